// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/device.h"

#include "trainer/cuda/cudaapi.h"
#include "trainer/failure.h"
#include "trainer/nccllog.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

namespace lockstep::trainer {

namespace {

constexpr char kPluginName[] = "liblockstep_cuda.so";
// Each by its newer name, which counts first, and its older one.
constexpr std::array<const char*, 2> kFlightRecorderFile{"TORCH_FR_DUMP_TEMP_FILE", // the rank is appended
                                                         "TORCH_NCCL_DEBUG_INFO_TEMP_FILE"};
constexpr std::array<const char*, 2> kFlightRecorderSize{"TORCH_FR_BUFFER_SIZE", "TORCH_NCCL_TRACE_BUFFER_SIZE"};
constexpr char kFlightRecorderEntries[] = "2000"; // as torchrun's documentation advises
// NCCL's watchdog, whose collective has timed out, sleeps four times as long before it ends the rank: by default a
// minute, which would be added to --timeout.
constexpr char kFlightRecorderPatience[] = "TORCH_NCCL_WAIT_TIMEOUT_DUMP_MILSEC";
constexpr char kFlightRecorderPatienceMs[] = "1000"; // a file of so many entries takes some 10
constexpr int kNcclMinor = 100;                      // NCCL_VERSION_CODE is major * 10000 + minor * 100 + patch

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

std::optional<std::string> firstSet(const std::array<const char*, 2>& names)
{
    const auto newer = environmentVariable(names.front());
    return newer ? newer : environmentVariable(names.back());
}

// Read by ProcessGroupNCCL when it is made; what the user has set stays.
void switchFlightRecorderOn()
{
    constexpr int kKeep = 0;
    std::error_code error;
    const auto folder = std::filesystem::temp_directory_path(error);
    setenv("TORCH_NCCL_DUMP_ON_TIMEOUT", "1", kKeep);
    setenv(kFlightRecorderPatience, kFlightRecorderPatienceMs, kKeep);
    if (!firstSet(kFlightRecorderSize))
        setenv(kFlightRecorderSize.back(), kFlightRecorderEntries, kKeep);
    if (!firstSet(kFlightRecorderFile))
        setenv(kFlightRecorderFile.back(),
               ((error ? "." : folder) / ("lockstep-nccl-" + std::to_string(getpid()) + "-rank-")).c_str(), kKeep);
}

std::string versionText(int nccl) // 23007: 2.30.7
{
    return std::to_string(nccl / 10000) + "." + std::to_string(nccl / kNcclMinor % 100) + "." +
           std::to_string(nccl % kNcclMinor);
}

std::string processorName()
{
    std::ifstream lines("/proc/cpuinfo");
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("model name"))
            return line.substr(std::min(line.find(':') + 2, line.size()));
    }
    return "CPU";
}

} // namespace

CudaPlugin CudaPlugin::load()
{
    switchFlightRecorderOn();
    NcclLog::switchOn();
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
    if (place.device() >= count)
        throw Failure(ExitCode::Device, "local rank " + std::to_string(place.localRank) + " has no GPU: " +
                                            std::to_string(count) + " visible (CUDA_VISIBLE_DEVICES)");
    plugin.api->setDevice(place.device());
    device.tensors = at::Device(at::kCUDA, static_cast<at::DeviceIndex>(place.device()));
    device.backend = options.backend == BackendKind::Gloo ? BackendUsed::Gloo : BackendUsed::Nccl;
    device.cuda = plugin.api;
    if (options.cudaGraphs == Switch::Yes)
        plugin.api->leaveDefaultStream(place.device());
    return device;
}

MemoryUse Device::memory() const
{
    return cuda == nullptr ? processMemory() : cuda->memory(tensors.index());
}

Facts Device::facts(const Placement& place) const
{
    if (cuda == nullptr)
        return {{"device_name", processorName()}};
    Facts facts{{"device_name", cuda->deviceName(tensors.index())}, {"device_uuid", cuda->deviceUuid(tensors.index())}};
    if (backend == BackendUsed::Nccl) {
        facts.emplace_back("nccl", versionText(cuda->ncclRunning));
        facts.emplace_back("flight_recorder", firstSet(kFlightRecorderFile).value_or("") + std::to_string(place.rank));
    }
    return facts;
}

Facts Device::transport(int world) const
{
    if (backend != BackendUsed::Nccl)
        return {};
    std::string found = NcclLog::transports();
    return {{"nccl_transport", world == 1 ? "none: a rank alone" : found}};
}

const char* toString(BackendUsed backend)
{
    return backend == BackendUsed::Nccl ? "nccl" : "gloo";
}

} // namespace lockstep::trainer
