// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/startcheck.h"

#include "trainer/contenthash.h"
#include "trainer/failure.h"
#include "trainer/fingerprint.h"
#include "trainer/optiontable.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace lockstep::trainer {

namespace {

constexpr std::array<std::string_view, 4> kNodesOwn{"init", "threads", "workers", "prefetch"};

std::string hex(std::uint64_t value)
{
    std::array<char, 17> text{};
    std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(value));
    return text.data();
}

std::vector<Statement> everyRanks(ProcessGroup& group, const Statement& own)
{
    const std::string bytes = encoded(own);
    at::Tensor most = at::tensor({static_cast<double>(bytes.size())}, at::kDouble);
    group.highest(most);
    at::Tensor padded = at::zeros({static_cast<std::int64_t>(most.item<double>())}, at::kByte);
    std::ranges::copy(bytes, static_cast<char*>(padded.mutable_data_ptr()));
    std::vector<Statement> all;
    for (const at::Tensor& one : group.allGather(padded))
        all.push_back(decodedStatement({static_cast<const char*>(one.const_data_ptr()), one.nbytes()}));
    return all;
}

void compare(ProcessGroup& group, const Statement& own)
{
    if (group.world() == 1)
        return;
    if (const std::string difference = differences(everyRanks(group, own)); !difference.empty())
        throw Failure(ExitCode::Mismatch, "the ranks differ: " + difference);
}

void compareClocks(ProcessGroup& group)
{
    using std::chrono::system_clock;
    const double own = std::chrono::duration<double>(system_clock::now().time_since_epoch()).count();
    const std::vector<at::Tensor> times = group.allGather(at::tensor({own}, at::kDouble));
    std::string wrong;
    for (std::size_t rank = 1; rank < times.size(); ++rank) {
        const double ahead = times[rank].item<double>() - times[0].item<double>();
        if (std::abs(ahead) <= kMostClockDifferenceS)
            continue;
        std::array<char, 96> text{};
        std::snprintf(text.data(), text.size(), "%srank %zu's is %.1f s %s", wrong.empty() ? "" : ", ", rank,
                      std::abs(ahead), ahead > 0 ? "ahead" : "behind");
        wrong += text.data();
    }
    if (!wrong.empty())
        throw Failure(ExitCode::Mismatch,
                      "the clocks differ: beside rank 0's, " + wrong + "; do these nodes keep time (NTP)?");
}

} // namespace

Statement optionStatement(const Options& options)
{
    Statement statement;
    for (const OptionRow& row : optionTable()) {
        if (std::ranges::find(kNodesOwn, row.name) != kNodesOwn.end())
            continue;
        const std::string value = shownValue(options, row);
        const bool path = std::holds_alternative<Text>(row.kind);
        statement.emplace_back("--" + row.name, !path ? value : (value.empty() ? "not given" : "given"));
    }
    if (!options.modelFile.empty())
        statement.emplace_back("the file of --model-file", hex(hashOfFile(options.modelFile)));
    return statement;
}

void checkStart(ProcessGroup& group, const Options& options, const Device& device)
{
    if (group.world() == 1)
        return;
    Statement own{{"the program", hex(hashOfFile("/proc/self/exe"))},
                  {"LibTorch", TORCH_VERSION},
                  {"the device", device.tensors.is_cuda() ? "a GPU" : "the CPU"},
                  {"the backend", toString(device.backend)}};
    for (auto& option : optionStatement(options))
        own.push_back(std::move(option));
    compare(group, own); // which also brings the ranks together, for their clocks to be read at one time
    compareClocks(group);
}

void checkData(ProcessGroup& group, const DataSplit& data, const Statement& order, std::chrono::milliseconds patience)
{
    group.barrier(patience);
    Statement own = order;
    own.emplace_back("the number of test samples", std::to_string(data.test ? data.test->count() : 0));
    compare(group, own);
}

void checkParameters(ProcessGroup& group, Strategy& strategy, const Model& model)
{
    if (group.world() == 1)
        return;
    ContentHash buffers;
    for (const at::Tensor& buffer : model.buffers()) {
        const at::Tensor plain = buffer.detach().to(at::kCPU).contiguous();
        buffers.add(plain.const_data_ptr(), plain.nbytes());
    }
    compare(group, {{"the hash of the parameters", fingerprint(strategy)}, {"the hash of the buffers", buffers.hex()}});
}

} // namespace lockstep::trainer
