// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/outofmemory.h"

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <fstream>

namespace lockstep::trainer {

namespace {

constexpr std::string_view kGpuSign = "out of memory. Tried to allocate ";
constexpr std::array<std::string_view, 4> kGpuBriefSigns{
    "CUDA error: out of memory", // a context, or pinned memory; NCCL quotes it
    "'out of memory'", "CUBLAS_STATUS_ALLOC_FAILED", "CUDNN_STATUS_ALLOC_FAILED"};
constexpr std::string_view kCpuSign = "can't allocate memory: you tried to allocate ";
constexpr std::string_view kBadAlloc = "std::bad_alloc";
constexpr std::string_view kNoThread = "Resource temporarily unavailable"; // also for too many threads of a user
constexpr std::string_view kNoMap = "Cannot allocate memory";
constexpr double kThreadsStack = 8 << 20; // where the limit says nothing else
constexpr std::string_view kRemedies = "what helps: a smaller --batch (with --accumulate for the same step), "
                                       "--activation-checkpointing yes, --precision bf16, or --strategy fsdp";
constexpr double kGibibyte = 1 << 30;

std::string gibibytes(double bytes)
{
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.2f GiB", bytes / kGibibyte);
    return text.data();
}

std::string_view between(std::string_view text, std::string_view before, std::string_view after)
{
    const std::size_t start = text.find(before);
    if (start == std::string_view::npos)
        return {};
    text.remove_prefix(start + before.size());
    return text.substr(0, text.find(after));
}

// A line of /proc/meminfo or /proc/self/status, in bytes.
std::optional<double> kernelSays(const char* file, std::string_view key)
{
    std::ifstream lines(file);
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with(key))
            continue;
        const std::size_t digit = line.find_first_of("0123456789");
        std::int64_t kibibytes = 0;
        if (digit != std::string::npos &&
            std::from_chars(line.data() + digit, line.data() + line.size(), kibibytes).ec == std::errc{})
            return static_cast<double>(kibibytes) * 1024;
    }
    return std::nullopt;
}

// Of the process's own limit on what it may map; nullopt: it has none.
std::optional<double> leftOfTheLimit()
{
    rlimit limit{};
    const auto used = kernelSays("/proc/self/status", "VmSize:");
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || !used)
        return std::nullopt;
    return static_cast<double>(limit.rlim_cur) - *used;
}

// A thread that cannot be made has no place for its stack, if so little is left.
bool noPlaceForAThread()
{
    rlimit stack{};
    const bool known = getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur != RLIM_INFINITY;
    const auto left = leftOfTheLimit();
    return left && *left < 2 * (known ? static_cast<double>(stack.rlim_cur) : kThreadsStack);
}

std::string freeOnTheMachine()
{
    std::string text;
    if (const auto available = kernelSays("/proc/meminfo", "MemAvailable:"))
        text = gibibytes(*available) + " were available on this machine";
    rlimit limit{};
    const auto left = leftOfTheLimit();
    if (left && getrlimit(RLIMIT_AS, &limit) == 0)
        text += std::string(text.empty() ? "" : ", ") + gibibytes(*left) + " were left of this process's limit of " +
                gibibytes(static_cast<double>(limit.rlim_cur)) + " (ulimit -v)";
    return text.empty() ? "what was free is unknown" : text;
}

} // namespace

std::optional<std::string> outOfMemory(std::string_view message)
{
    std::string sentence;
    if (message.find(kGpuSign) != std::string_view::npos) {
        // "... Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 139.81 GiB of which 1.06 GiB is free. ..."
        sentence = "the GPU's memory ran out: " + std::string(between(message, kGpuSign, ". ")) + " were asked for";
        const std::string_view total = between(message, "total capacity of ", " of which ");
        const std::string_view left = between(message, " of which ", " is free");
        if (!total.empty() && !left.empty())
            sentence += ", " + std::string(left) + " of " + std::string(total) + " were free";
    } else if (message.find(kCpuSign) != std::string_view::npos) {
        const std::string_view digits = between(message, kCpuSign, " bytes");
        double asked = 0;
        std::from_chars(digits.data(), digits.data() + digits.size(), asked);
        sentence = "the machine's memory ran out: " + gibibytes(asked) + " were asked for, " + freeOnTheMachine();
    } else if (std::ranges::any_of(kGpuBriefSigns, [&](std::string_view sign) {
                   return message.find(sign) != std::string_view::npos;
               })) {
        sentence = "the GPU's memory ran out";
    } else if (message == kBadAlloc || message.ends_with(kNoMap) ||
               ((message.find(kNoThread) != std::string_view::npos || message == kTerminate ||
                 message == kLibraryExit) &&
                noPlaceForAThread())) {
        sentence = "the machine's memory ran out: " + freeOnTheMachine();
    } else {
        return std::nullopt;
    }
    return sentence + "; " + std::string(kRemedies);
}

} // namespace lockstep::trainer
