// SPDX-License-Identifier: GPL-3.0-or-later
// What this rank computes on and talks through. The CUDA half lives in a plug-in, so that one program serves nodes with
// and without GPUs.
#pragma once

#include "trainer/options.h"
#include "trainer/placement.h"

#include <ATen/core/Tensor.h>

#include <string>

namespace lockstep::trainer {

struct CudaApi; // cuda/cudaapi.h

// Loads the plug-in beside the program. It must come before anything asks LibTorch about CUDA: the answer is cached for
// ever.
struct CudaPlugin {
    const CudaApi* api = nullptr; // nullptr: no CUDA here, and `why` says what was missing
    std::string why;

    [[nodiscard]] static CudaPlugin load();
};

enum class BackendUsed { Gloo, Nccl };

struct Device {
    at::Device tensors = at::Device(at::kCPU);
    BackendUsed backend = BackendUsed::Gloo;
    const CudaApi* cuda = nullptr; // set when tensors are on a GPU

    // Throws Failure(Device) when what is asked for is not there. LOCAL_RANK chooses among the GPUs that are visible.
    [[nodiscard]] static Device choose(const Options& options, const Placement& place, const CudaPlugin& plugin);
};

[[nodiscard]] const char* toString(BackendUsed backend);

} // namespace lockstep::trainer
