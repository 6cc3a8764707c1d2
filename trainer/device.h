// SPDX-License-Identifier: GPL-3.0-or-later
// What this rank computes on and talks through. The CUDA half lives in a plug-in, so that one program serves nodes with
// and without GPUs.
#pragma once

#include "trainer/options.h"
#include "trainer/placement.h"
#include "trainer/records/facts.h"
#include "trainer/records/memoryuse.h"

#include <ATen/core/Tensor.h>

#include <string>

namespace lockstep::trainer {

struct CudaApi; // cuda/cudaapi.h

// Loads the plug-in beside the program. It must come before anything asks LibTorch about CUDA: the answer is cached for
// ever. NCCL's flight recorder is switched on before, unless the user's own variables say otherwise: when a collective
// times out, every rank leaves a file that tells which one each was in.
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
    // With --cuda-graphs yes this thread's work leaves the default stream, which graphs cannot record.
    [[nodiscard]] static Device choose(const Options& options, const Placement& place, const CudaPlugin& plugin);

    [[nodiscard]] MemoryUse memory() const; // of a GPU's tensors, or of the process
    // device_name; of a GPU device_uuid too, and nccl (its version) and flight_recorder (the file) where it is used
    [[nodiscard]] Facts facts(const Placement& place) const;
    [[nodiscard]] Facts transport(int world) const; // once, after the first steps: nccl_transport, nccllog.h's words
};

[[nodiscard]] const char* toString(BackendUsed backend);

} // namespace lockstep::trainer
