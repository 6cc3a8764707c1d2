// SPDX-License-Identifier: GPL-3.0-or-later
// Where readings of GPUs come from: NVML, the nvidia-smi program, AMD's sysfs. Everything here may block in a driver,
// so it runs in a process that somebody else may kill.
#pragma once

#include "remote/agent/gpureading.h"

#include <memory>
#include <string>
#include <vector>

namespace lockstep::agent {

struct GpuRoots { // where the kernel's trees lie; tests lay made ones here
    std::string proc = "/proc";
    std::string sys = "/sys";
};

struct GpuDriver {
    std::string version; // empty: unknown
    std::string cuda;    // the highest CUDA version it serves, 13.0
};

struct GpuRound {
    std::vector<GpuReading> readings;
    std::string error; // the source as a whole is at its end, in words
};

class GpuSource {
public:
    virtual ~GpuSource() = default;
    [[nodiscard]] virtual GpuRound read() = 0;
    [[nodiscard]] virtual GpuDriver driver() const = 0;
};

inline constexpr const char* kNoNvml = "none found: libnvidia-ml.so.1 is not installed";

struct GpuSearch {
    std::unique_ptr<GpuSource> source;
    std::string note;  // there is no device, and that is no fault
    std::string error; // there should be one, but it cannot be read: what is wrong and what to do
};

// NVML when its driver runs and has a device, else AMD's devices, else nvidia-smi.
[[nodiscard]] GpuSearch findGpus(const GpuRoots& roots);

[[nodiscard]] GpuSearch findNvmlGpus(const GpuRoots& roots); // gpunvml.cpp
[[nodiscard]] GpuSearch findAmdGpus(const GpuRoots& roots);  // gpuamd.cpp
[[nodiscard]] GpuSearch findSmiGpus(const GpuRoots& roots);  // gpusmi.cpp

} // namespace lockstep::agent
