// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/nvmlpcie.h"

#include "remote/agent/clocks.h"

#include <algorithm>
#include <ctime>

namespace lockstep::agent {

namespace {

constexpr std::int64_t kWindowUs = 30'000;    // a 32-bit counter wraps within it only above 143 GB/s
constexpr std::int64_t kMaxWindowUs = 60'000; // 71 GB/s: a process held up for longer has learned nothing
constexpr double kMaxRate = 135e9;            // PCIe 6 x16, one direction, and some

std::optional<PcieCounter> counterOf(const nvml::FieldValue& value)
{
    if (value.code != nvml::kSuccess)
        return std::nullopt;
    switch (value.type) {
    case nvml::kU32:
        return PcieCounter{value.value.u32, value.type};
    case nvml::kUnsignedLong:
    case nvml::kU64:
        return PcieCounter{value.value.u64, value.type};
    default: // field numbers have been renumbered once: another type is another field
        return std::nullopt;
    }
}

PcieCounters countersOf(const nvml::Functions& functions, nvml::Device device)
{
    PcieCounters counters;
    nvml::FieldValue values[2];
    values[0].field = nvml::kFieldPcieRxBytes;
    values[1].field = nvml::kFieldPcieTxBytes;
    if (functions.fields != nullptr && functions.fields(device, 2, values) == nvml::kSuccess) {
        counters.rx = counterOf(values[0]);
        counters.tx = counterOf(values[1]);
    }
    counters.timeUs = monotonicUs();
    return counters;
}

bool isNarrow(const PcieCounters& counters)
{
    return (counters.rx && counters.rx->type == nvml::kU32) || (counters.tx && counters.tx->type == nvml::kU32);
}

void compare(const PcieQuestion& question, const PcieCounters& now)
{
    const std::int64_t interval = now.timeUs - question.before->timeUs;
    question.reading->pcieRx = pcieRate(question.before->rx, now.rx, interval);
    question.reading->pcieTx = pcieRate(question.before->tx, now.tx, interval);
    *question.before = now;
}

} // namespace

std::optional<double> pcieRate(const std::optional<PcieCounter>& before, const std::optional<PcieCounter>& after,
                               std::int64_t intervalUs)
{
    if (!before || !after || before->type != after->type || intervalUs <= 0)
        return std::nullopt;
    std::uint64_t bytes = after->bytes - before->bytes;
    if (after->type == nvml::kU32) {
        if (intervalUs > kMaxWindowUs)
            return std::nullopt;
        bytes &= 0xffff'ffff;
    }
    const double rate = static_cast<double>(bytes) * 1e6 / static_cast<double>(intervalUs);
    return rate <= kMaxRate ? std::optional(rate) : std::nullopt;
}

void askPcie(const nvml::Functions& functions, const std::vector<PcieQuestion>& questions)
{
    std::vector<PcieQuestion> narrow;
    for (const PcieQuestion& question : questions) {
        const PcieCounters now = countersOf(functions, question.device);
        if (isNarrow(now)) {
            *question.before = now;
            narrow.push_back(question);
        } else {
            compare(question, now);
        }
    }
    if (narrow.empty())
        return;
    timespec window{0, kWindowUs * 1000};
    ::clock_nanosleep(CLOCK_MONOTONIC, 0, &window, nullptr);
    for (const PcieQuestion& question : narrow)
        compare(question, countersOf(functions, question.device));
}

} // namespace lockstep::agent
