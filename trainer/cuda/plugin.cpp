// SPDX-License-Identifier: GPL-3.0-or-later
// liblockstep_cuda.so: the only part that links libtorch_cuda and NCCL. Loading it gives LibTorch its CUDA operators.
#include "trainer/cuda/cudaapi.h"

#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAEvent.h>
#include <c10/cuda/CUDAFunctions.h>
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>

#include <array>

namespace lockstep::trainer {

namespace {

int deviceCount()
{
    return c10::cuda::device_count();
}

void setDevice(int device)
{
    c10::cuda::set_device(static_cast<c10::DeviceIndex>(device));
}

int runningNccl()
{
    int version = 0;
    return ncclGetVersion(&version) == ncclSuccess ? version : 0;
}

c10::intrusive_ptr<c10d::Backend> makeNccl(const c10::intrusive_ptr<c10d::Store>& store, int rank, int world,
                                           int device, std::chrono::milliseconds timeout)
{
    auto options = c10d::ProcessGroupNCCL::Options::create(/*is_high_priority_stream=*/true);
    options->timeout = timeout;
    auto backend = c10::make_intrusive<c10d::ProcessGroupNCCL>(store, rank, world, options);
    backend->setBoundDeviceId(c10::Device(c10::kCUDA, static_cast<c10::DeviceIndex>(device)));
    return backend;
}

std::array<at::cuda::CUDAEvent, kCudaMarks>& marks()
{
    static auto* events = [] { // leaked: the driver may be gone before static destructors run
        auto* all = new std::array<at::cuda::CUDAEvent, kCudaMarks>;
        for (auto& event : *all)
            event = at::cuda::CUDAEvent(cudaEventDefault); // with timing, which CUDAEvent's own default leaves out
        return all;
    }();
    return *events;
}

void mark(int slot)
{
    marks().at(static_cast<std::size_t>(slot)).record();
}

double elapsedMs(int from, int to)
{
    auto& first = marks().at(static_cast<std::size_t>(from));
    auto& last = marks().at(static_cast<std::size_t>(to));
    last.synchronize();
    return static_cast<double>(first.elapsed_time(last));
}

} // namespace

} // namespace lockstep::trainer

extern "C" __attribute__((visibility("default"))) const lockstep::trainer::CudaApi* lockstepCudaApi()
{
    using namespace lockstep::trainer;
    static const CudaApi api{kCudaApiAbi, TORCH_VERSION, NCCL_VERSION_CODE, runningNccl(), deviceCount, setDevice,
                             makeNccl,    mark,          elapsedMs};
    return &api;
}
