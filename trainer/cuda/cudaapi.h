// SPDX-License-Identifier: GPL-3.0-or-later
// What the program, which links no CUDA, may ask of the plug-in, which does. Both are built by one compiler against one
// LibTorch; the first members let the program refuse a plug-in or an NCCL that is not the one it was built with
// (ProcessGroupNCCL::Options embeds ncclConfig_t, so another NCCL would read past it). Streams and events need no entry
// here: c10::Event and c10's guards reach them once libtorch_cuda is loaded.
#pragma once

#include "trainer/records/memoryuse.h"

#include <c10/util/intrusive_ptr.h>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <torch/version.h>

#include <chrono>
#include <memory>
#include <string>

namespace lockstep::trainer {

inline constexpr int kCudaApiAbi = 2;
inline constexpr char kCudaApiEntryName[] = "lockstepCudaApi";

// Work of the current stream, which must not be the default one, recorded once and launched whole afterwards.
class CudaGraph {
public:
    virtual ~CudaGraph() = default;
    virtual void begin() = 0; // from here to end() kernels are noted, not run
    virtual void end() = 0;
    virtual void replay() = 0; // on the current stream
};

struct CudaApi {
    int abi;
    const char* torchVersion;
    int ncclBuilt; // NCCL_VERSION_CODE of the headers, and of the library that was loaded
    int ncclRunning;
    int (*deviceCount)();
    void (*setDevice)(int device);
    std::string (*deviceName)(int device);
    std::string (*deviceUuid)(int device);  // as NVML and nvidia-smi spell it: GPU-8-4-4-4-12 hex digits
    MemoryUse (*memory)(int device);        // of tensors, from the caching allocator
    void (*leaveDefaultStream)(int device); // this thread's work goes to a stream that graphs can record
    c10::intrusive_ptr<c10d::Backend> (*makeNccl)(const c10::intrusive_ptr<c10d::Store>& store, int rank, int world,
                                                  int device, std::chrono::milliseconds timeout);
    // `before`: a graph that is always replayed just before this one; they share memory. nullptr: none.
    std::unique_ptr<CudaGraph> (*makeGraph)(const CudaGraph* before);
};

using CudaApiEntry = const CudaApi* (*)();

} // namespace lockstep::trainer
