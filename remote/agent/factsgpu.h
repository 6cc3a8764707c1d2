// SPDX-License-Identifier: GPL-3.0-or-later
// The GPUs of this node as gpu/N/... keys of the `facts` record.
#pragma once

#include "core/wire/encoder.h"
#include "remote/agent/gpusource.h"

#include <string>
#include <vector>

namespace lockstep::agent {

struct GpuFacts {
    GpuDriver driver;
    std::vector<GpuReading> devices;
    std::string note; // why there is none, in words
};

// Asks in a forked child, which is killed at its deadline.
[[nodiscard]] GpuFacts gpuFactsInTime(const GpuRoots& roots);

// driver, cuda, gpu_note, gpu/N/...; a process's user, name, start and run come from /proc.
void appendGpus(wire::Encoder& record, const GpuFacts& facts, const GpuRoots& roots);

} // namespace lockstep::agent
