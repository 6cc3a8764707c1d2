// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/gpusource.h"

namespace lockstep::agent {

GpuSearch findGpus(const GpuRoots& roots)
{
    GpuSearch nvidia = findNvmlGpus(roots);
    if (nvidia.source)
        return nvidia;
    // A toolkit or a container may bring NVIDIA's library to a machine with AMD's devices.
    if (GpuSearch amd = findAmdGpus(roots); amd.source)
        return amd;
    // Where NVML itself fails, nvidia-smi fails the same way.
    return nvidia.note == kNoNvml ? findSmiGpus(roots) : std::move(nvidia);
}

} // namespace lockstep::agent
