// SPDX-License-Identifier: GPL-3.0-or-later
// liblockstep_cuda.so: the only part that links libtorch_cuda and NCCL. Loading it gives LibTorch its CUDA operators.
#include "trainer/cuda/cudaapi.h"

#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>

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

std::string deviceName(int device)
{
    return at::cuda::getDeviceProperties(static_cast<c10::DeviceIndex>(device))->name;
}

std::string deviceUuid(int device)
{
    constexpr char kDigits[] = "0123456789abcdef";
    const auto& bytes = at::cuda::getDeviceProperties(static_cast<c10::DeviceIndex>(device))->uuid.bytes;
    std::string text = "GPU-";
    for (std::size_t i = 0; i < sizeof bytes; ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            text += '-';
        const auto byte = static_cast<unsigned char>(bytes[i]);
        text += kDigits[byte >> 4];
        text += kDigits[byte & 15];
    }
    return text;
}

MemoryUse memory(int device)
{
    const auto stats = c10::cuda::CUDACachingAllocator::getDeviceStats(static_cast<c10::DeviceIndex>(device));
    const auto& allocated = stats.allocated_bytes[static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE)];
    return {allocated.current, allocated.peak};
}

void leaveDefaultStream(int device)
{
    c10::cuda::setCurrentCUDAStream(
        c10::cuda::getStreamFromPool(/*isHighPriority=*/false, static_cast<c10::DeviceIndex>(device)));
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

class Graph : public CudaGraph {
public:
    explicit Graph(const CudaGraph* before)
        : m_pool(before == nullptr ? at::cuda::graph_pool_handle() : static_cast<const Graph*>(before)->m_pool)
    {
    }

    // Only this thread is forbidden what a capture cannot hold: others query events and pin memory meanwhile.
    void begin() override { m_graph.capture_begin(m_pool, cudaStreamCaptureModeThreadLocal); }
    void end() override { m_graph.capture_end(); }
    void replay() override { m_graph.replay(); }

private:
    decltype(at::cuda::graph_pool_handle()) m_pool;
    at::cuda::CUDAGraph m_graph;
};

std::unique_ptr<CudaGraph> makeGraph(const CudaGraph* before)
{
    return std::make_unique<Graph>(before);
}

} // namespace

} // namespace lockstep::trainer

extern "C" __attribute__((visibility("default"))) const lockstep::trainer::CudaApi* lockstepCudaApi()
{
    using namespace lockstep::trainer;
    static const CudaApi api{.abi = kCudaApiAbi,
                             .torchVersion = TORCH_VERSION,
                             .ncclBuilt = NCCL_VERSION_CODE,
                             .ncclRunning = runningNccl(),
                             .deviceCount = deviceCount,
                             .setDevice = setDevice,
                             .deviceName = deviceName,
                             .deviceUuid = deviceUuid,
                             .memory = memory,
                             .leaveDefaultStream = leaveDefaultStream,
                             .makeNccl = makeNccl,
                             .makeGraph = makeGraph};
    return &api;
}
