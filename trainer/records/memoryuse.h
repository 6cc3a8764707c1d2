// SPDX-License-Identifier: GPL-3.0-or-later
// How much memory this rank holds: on a CPU what is resident of the process, on a GPU what its tensors take
// (Device::memory).
#pragma once

#include <cstdint>

namespace lockstep::trainer {

struct MemoryUse { // bytes; 0: unknown
    std::int64_t now = 0;
    std::int64_t peak = 0; // since the process began
};

[[nodiscard]] MemoryUse processMemory(); // two numbers of /proc/self/status: some 20 µs

} // namespace lockstep::trainer
