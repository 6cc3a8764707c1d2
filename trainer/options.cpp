// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/options.h"

#include "trainer/failure.h"
#include "trainer/optioncheck.h"
#include "trainer/optiontable.h"

#include <algorithm>
#include <cstdio>
#include <vector>

namespace lockstep::trainer {

namespace {

constexpr double kAdamLearningRate = 1e-3;
constexpr double kSgdLearningRate = 1e-2;
constexpr double kAdamWDecay = 1e-2; // torch.optim.AdamW's default

// As a shell would want it typed, so that a blank in a path does not look like the next option.
std::string quotedWhereNeeded(const std::string& value)
{
    if (value.find_first_of(" \t\r\n\"\\=") == std::string::npos)
        return value;
    std::string text = "\"";
    for (const char c : value) {
        if (c == '"' || c == '\\')
            text += '\\';
        text += c;
    }
    return text + '"';
}

std::chrono::milliseconds asMilliseconds(double seconds)
{
    return std::chrono::milliseconds(static_cast<std::chrono::milliseconds::rep>(seconds * 1000));
}

std::string_view withoutDashes(std::string_view argument)
{
    argument.remove_prefix(std::min(argument.find_first_not_of('-'), argument.size()));
    return argument;
}

} // namespace

double Options::learningRate() const
{
    if (lr > 0)
        return lr;
    return optimizer == OptimizerKind::Sgd ? kSgdLearningRate : kAdamLearningRate;
}

double Options::decay() const
{
    if (weightDecay >= 0)
        return weightDecay;
    return optimizer == OptimizerKind::AdamW ? kAdamWDecay : 0;
}

std::optional<Options> parseOptions(std::span<const char* const> arguments)
{
    Options options;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string_view argument = arguments[i];
        if (argument == "--help" || argument == "-h") {
            std::fputs(helpText().c_str(), stdout);
            return std::nullopt;
        }
        if (argument == "--help-table") {
            std::fputs(helpTable().c_str(), stdout);
            return std::nullopt;
        }
        const std::string_view body = withoutDashes(argument);
        const std::size_t equals = body.find('=');
        const std::string_view name = body.substr(0, equals);
        const OptionRow* row = findOption(name);
        if (!argument.starts_with("--") || row == nullptr)
            throw Failure(ExitCode::Options, unknownOption(argument));
        std::string_view value;
        if (equals != std::string_view::npos) {
            value = body.substr(equals + 1);
        } else if (i + 1 < arguments.size()) {
            value = arguments[++i];
        } else {
            throw Failure(ExitCode::Options, "--" + row->name + " needs a value: --" + row->name + " " + row->argument);
        }
        setOption(options, *row, value);
    }
    refuseContradictions(options);
    return options;
}

std::chrono::milliseconds Options::timeout() const
{
    return asMilliseconds(timeoutS);
}

std::chrono::milliseconds Options::rendezvousTimeout() const
{
    return asMilliseconds(rendezvousTimeoutS);
}

std::string valueOf(const Options& options, std::string_view name)
{
    return shownValue(options, *findOption(name));
}

std::string configuration(const Options& options)
{
    std::string text;
    for (const OptionRow& row : optionTable())
        text += (text.empty() ? "" : " ") + row.name + "=" + quotedWhereNeeded(shownValue(options, row));
    return text;
}

} // namespace lockstep::trainer
