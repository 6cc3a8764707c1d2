// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/optiontable.h"

#include "trainer/failure.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>
#include <utility>

namespace lockstep::trainer {

namespace {

constexpr std::size_t kLongestName = 64; // longer arguments are no slip of the pen
constexpr std::size_t kFarthestSlip = 3; // edits up to which a name counts as meant
constexpr std::size_t kHelpColumn = 36;
constexpr std::string_view kOneOf = "NAME"; // of choices that the argument does not spell out
constexpr std::array kExitCodes{ExitCode::Ok,        ExitCode::Unexpected,  ExitCode::Options,    ExitCode::Device,
                                ExitCode::Data,      ExitCode::Checkpoint,  ExitCode::Rendezvous, ExitCode::LostPeer,
                                ExitCode::NanLoss,   ExitCode::OutOfMemory, ExitCode::Mismatch,   ExitCode::Output,
                                ExitCode::Terminated};

template <typename Number>
std::string shortest(Number value)
{
    std::array<char, 64> buffer{};
    const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    return {buffer.data(), result.ptr};
}

template <typename Number>
std::optional<Number> number(std::string_view text)
{
    Number value{};
    const char* end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, value);
    if (result.ec != std::errc{} || result.ptr != end || text.empty())
        return std::nullopt;
    return value;
}

[[noreturn]] void refuse(const OptionRow& row, std::string_view value, const std::string& right)
{
    throw Failure(ExitCode::Options, "--" + row.name + " is '" + std::string(value) + "', but must be " + right);
}

template <typename Kind, typename Number>
void setNumber(Options& options, const OptionRow& row, const Kind& kind, std::optional<Number> parsed,
               std::string_view value)
{
    const std::string what = std::is_same_v<Number, double> ? "a number" : "a whole number";
    if (!parsed || !(*parsed >= kind.least && *parsed <= kind.most))
        refuse(row, value, what + " from " + shortest(kind.least) + " to " + shortest(kind.most));
    options.*kind.member = *parsed;
}

std::string joined(const std::vector<std::string_view>& names, const std::string& between)
{
    std::string all;
    for (const auto& name : names)
        all += (all.empty() ? "" : between) + std::string(name);
    return all;
}

std::size_t edits(std::string_view a, std::string_view b) // Levenshtein
{
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i + 1);
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t swapped = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = std::exchange(row[j + 1], std::min({swapped, row[j] + 1, row[j + 1] + 1}));
        }
    }
    return row.back();
}

const char* heading(OptionRow::Part part)
{
    switch (part) {
    case OptionRow::Part::Model:
        return "Model";
    case OptionRow::Part::Data:
        return "Data";
    case OptionRow::Part::Optimiser:
        return "Optimiser and step";
    case OptionRow::Part::Ranks:
        return "Ranks and devices";
    case OptionRow::Part::Files:
        return "Checkpoints and files";
    }
    return "";
}

} // namespace

const OptionRow* findOption(std::string_view name)
{
    std::string dashed(name);
    std::ranges::replace(dashed, '_', '-');
    const auto& table = optionTable();
    const auto found = std::ranges::find(table, dashed, &OptionRow::name);
    return found == table.end() ? nullptr : &*found;
}

void setOption(Options& options, const OptionRow& row, std::string_view value)
{
    if (const auto* text = std::get_if<Text>(&row.kind)) {
        options.*text->member = std::string(value);
    } else if (const auto* whole = std::get_if<Whole>(&row.kind)) {
        setNumber(options, row, *whole, number<std::int64_t>(value), value);
    } else if (const auto* real = std::get_if<Real>(&row.kind)) {
        setNumber(options, row, *real, number<double>(value), value);
    } else {
        const auto& choice = std::get<Choice>(row.kind);
        const auto found = std::ranges::find(choice.names, value);
        if (found == choice.names.end())
            refuse(row, value, "one of " + joined(choice.names, ", "));
        choice.set(options, static_cast<std::size_t>(found - choice.names.begin()));
    }
}

std::string shownValue(const Options& options, const OptionRow& row)
{
    if (const auto* text = std::get_if<Text>(&row.kind))
        return options.*text->member;
    if (const auto* whole = std::get_if<Whole>(&row.kind))
        return shortest(options.*whole->member);
    if (const auto* real = std::get_if<Real>(&row.kind))
        return shortest(options.*real->member);
    const auto& choice = std::get<Choice>(row.kind);
    return std::string(choice.names[choice.get(options)]);
}

std::string unknownOption(std::string_view argument)
{
    const std::string quoted = "'" + std::string(argument) + "'";
    std::string_view name = argument.substr(std::min(argument.find_first_not_of('-'), argument.size()));
    name = name.substr(0, name.find('='));
    const OptionRow* nearest = nullptr;
    std::size_t least = kFarthestSlip + 1;
    if (name.size() <= kLongestName) {
        for (const OptionRow& row : optionTable()) {
            const std::size_t distance = edits(name, row.name);
            if (distance < least && distance < row.name.size()) {
                least = distance;
                nearest = &row;
            }
        }
    }
    if (nearest != nullptr)
        return quoted + " is no option; --" + nearest->name + " is: " + nearest->help;
    return quoted + " is no option; --help lists them";
}

std::string helpTable()
{
    std::string text = "part\tname\tkind\tdefault\tchoices\tleast\tmost\tmeaning\n";
    const Options defaults;
    for (const OptionRow& row : optionTable()) {
        std::string kind = "text";
        std::string choices;
        std::string least;
        std::string most;
        if (const auto* choice = std::get_if<Choice>(&row.kind)) {
            kind = "choice";
            choices = joined(choice->names, " ");
        } else if (const auto* whole = std::get_if<Whole>(&row.kind)) {
            kind = "whole";
            least = shortest(whole->least);
            most = shortest(whole->most);
        } else if (const auto* real = std::get_if<Real>(&row.kind)) {
            kind = "real";
            least = shortest(real->least);
            most = shortest(real->most);
        }
        for (const std::string& column :
             {std::string(heading(row.part)), row.name, kind, shownValue(defaults, row), choices, least, most})
            text += column + "\t";
        text += row.help + "\n";
    }
    return text;
}

std::string helpText()
{
    std::string text =
        "lockstep-trainer [--NAME VALUE]...\n\n"
        "Trains a network with distributed data parallelism, one process a rank. RANK, WORLD_SIZE, MASTER_ADDR,\n"
        "MASTER_PORT and LOCAL_RANK are read from the environment as torchrun sets them; without them the process is\n"
        "alone. Metric records go to descriptor 3 when it is open.\n\n";
    std::optional<OptionRow::Part> part;
    const Options defaults;
    for (const OptionRow& row : optionTable()) {
        if (part != row.part)
            text += std::string(part ? "\n" : "") + heading(row.part) + "\n";
        part = row.part;
        std::string left = "  --" + row.name + " " + row.argument;
        left.resize(std::max(kHelpColumn, left.size() + 2), ' ');
        text += left + row.help;
        if (const std::string value = shownValue(defaults, row); !value.empty())
            text += " (" + value + ")";
        text += "\n";
        if (const auto* choice = std::get_if<Choice>(&row.kind); choice != nullptr && row.argument == kOneOf)
            text += std::string(kHelpColumn, ' ') + "one of " + joined(choice->names, ", ") + "\n";
    }
    text += "\nExit codes\n";
    for (const ExitCode code : kExitCodes) {
        std::string left = "  " + std::to_string(static_cast<int>(code));
        left.resize(8, ' ');
        text += left + meaning(code) + "\n";
    }
    return text;
}

} // namespace lockstep::trainer
