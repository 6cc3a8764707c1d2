// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/device.h"

#include "trainer/cuda/cudaapi.h"
#include "trainer/failure.h"

#include <dlfcn.h>

#include <filesystem>

namespace lockstep::trainer {

namespace {

constexpr char kPluginName[] = "liblockstep_cuda.so";
constexpr int kNcclMinor = 100; // NCCL_VERSION_CODE is major * 10000 + minor * 100 + patch

std::string refusal(const CudaApi& api)
{
    if (api.abi != kCudaApiAbi)
        return "it belongs to another build of this program";
    if (std::string(api.torchVersion) != TORCH_VERSION)
        return std::string("it was built for LibTorch ") + api.torchVersion + ", this program for " TORCH_VERSION;
    if (api.ncclBuilt / kNcclMinor != api.ncclRunning / kNcclMinor)
        return "this node has NCCL " + std::to_string(api.ncclRunning) + ", it was built with " +
               std::to_string(api.ncclBuilt);
    if (api.deviceCount() == 0)
        return "no GPU is visible";
    return {};
}

CudaPlugin refused(const std::string& why)
{
    std::string text = kPluginName;
    text += ": ";
    text += why;
    return {nullptr, text};
}

} // namespace

CudaPlugin CudaPlugin::load()
{
    std::error_code error;
    const auto folder = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
    // Global: the operators of libtorch_cuda must be found by libraries that are loaded later.
    void* library =
        dlopen((folder / kPluginName).c_str(), RTLD_NOW | RTLD_GLOBAL); // never closed, it registers operators
    if (library == nullptr)
        return {nullptr, dlerror()};
    const auto entry = reinterpret_cast<CudaApiEntry>(dlsym(library, kCudaApiEntryName));
    if (entry == nullptr)
        return refused("it is no plug-in of this program");
    const CudaApi* api = entry();
    std::string why = refusal(*api);
    return why.empty() ? CudaPlugin{api, {}} : refused(why);
}

Device Device::choose(const Options& options, const Placement& place, const CudaPlugin& plugin)
{
    Device device;
    const bool wanted = options.device != DeviceKind::Cpu && options.backend != BackendKind::Gloo;
    if (options.device == DeviceKind::Cuda && plugin.api == nullptr)
        throw Failure(ExitCode::Device, "--device cuda: no GPU can be used here: " + plugin.why);
    if (options.backend == BackendKind::Nccl && (plugin.api == nullptr || options.device == DeviceKind::Cpu))
        throw Failure(ExitCode::Device, "--backend nccl needs a GPU for every rank: " +
                                            (plugin.api == nullptr ? plugin.why : "--device cpu was asked for"));
    if (plugin.api == nullptr || !(wanted || options.device == DeviceKind::Cuda))
        return device;

    const int count = plugin.api->deviceCount();
    if (place.localRank >= count)
        throw Failure(ExitCode::Device, "local rank " + std::to_string(place.localRank) + " has no GPU: " +
                                            std::to_string(count) + " visible (CUDA_VISIBLE_DEVICES)");
    plugin.api->setDevice(place.localRank);
    device.tensors = at::Device(at::kCUDA, static_cast<at::DeviceIndex>(place.localRank));
    device.backend = options.backend == BackendKind::Gloo ? BackendUsed::Gloo : BackendUsed::Nccl;
    device.cuda = plugin.api;
    return device;
}

const char* toString(BackendUsed backend)
{
    return backend == BackendUsed::Nccl ? "nccl" : "gloo";
}

} // namespace lockstep::trainer
