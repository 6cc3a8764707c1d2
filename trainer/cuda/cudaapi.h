// SPDX-License-Identifier: GPL-3.0-or-later
// What the program, which links no CUDA, may ask of the plug-in, which does. Both are built by one compiler against one
// LibTorch; the first members let the program refuse a plug-in or an NCCL that is not the one it was built with
// (ProcessGroupNCCL::Options embeds ncclConfig_t, so another NCCL would read past it).
#pragma once

#include <c10/util/intrusive_ptr.h>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <torch/version.h>

#include <chrono>

namespace lockstep::trainer {

inline constexpr int kCudaApiAbi = 1;
inline constexpr char kCudaApiEntryName[] = "lockstepCudaApi";

struct CudaApi {
    int abi;
    const char* torchVersion;
    int ncclBuilt; // NCCL_VERSION_CODE of the headers, and of the library that was loaded
    int ncclRunning;
    int (*deviceCount)();
    void (*setDevice)(int device);
    c10::intrusive_ptr<c10d::Backend> (*makeNccl)(const c10::intrusive_ptr<c10d::Store>& store, int rank, int world,
                                                  int device, std::chrono::milliseconds timeout);
    // Time on the device: mark() notes a point on the current stream under a number below kMarks, elapsedMs() waits for
    // both.
    void (*mark)(int slot);
    double (*elapsedMs)(int from, int to);
};

inline constexpr int kCudaMarks = 8;

using CudaApiEntry = const CudaApi* (*)();

} // namespace lockstep::trainer
