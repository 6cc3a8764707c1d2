// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/nvml.h"

#include <climits>
#include <cstdlib>
#include <dlfcn.h>
#include <initializer_list>
#include <link.h>

namespace lockstep::agent::nvml {

namespace {

// The name that every driver package installs. The unversioned one belongs to development packages, whose library is a
// stub.
constexpr const char* kLibrary = "libnvidia-ml.so.1";

// The first of `names` that there is, newest first.
template <typename Function>
void find(void* handle, Function& function, std::initializer_list<const char*> names)
{
    for (const char* name : names) {
        function = reinterpret_cast<Function>(::dlsym(handle, name));
        if (function != nullptr)
            return;
    }
}

Functions functionsOf(void* handle)
{
    Functions f;
    find(handle, f.init, {"nvmlInit_v2"});
    find(handle, f.shutdown, {"nvmlShutdown"});
    find(handle, f.errorString, {"nvmlErrorString"});
    find(handle, f.count, {"nvmlDeviceGetCount_v2"});
    find(handle, f.handle, {"nvmlDeviceGetHandleByIndex_v2"});
    find(handle, f.driverVersion, {"nvmlSystemGetDriverVersion"});
    find(handle, f.cudaVersion, {"nvmlSystemGetCudaDriverVersion_v2", "nvmlSystemGetCudaDriverVersion"});
    find(handle, f.name, {"nvmlDeviceGetName"});
    find(handle, f.uuid, {"nvmlDeviceGetUUID"});
    find(handle, f.pci, {"nvmlDeviceGetPciInfo_v3"});
    find(handle, f.utilization, {"nvmlDeviceGetUtilizationRates"});
    find(handle, f.memoryV2, {"nvmlDeviceGetMemoryInfo_v2"});
    find(handle, f.memoryV1, {"nvmlDeviceGetMemoryInfo"});
    find(handle, f.power, {"nvmlDeviceGetPowerUsage"});
    find(handle, f.powerLimit, {"nvmlDeviceGetEnforcedPowerLimit", "nvmlDeviceGetPowerManagementLimit"});
    find(handle, f.temperatureV, {"nvmlDeviceGetTemperatureV"});
    find(handle, f.temperature, {"nvmlDeviceGetTemperature"});
    find(handle, f.clock, {"nvmlDeviceGetClockInfo"});
    find(handle, f.clockReasons,
         {"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"});
    find(handle, f.ecc, {"nvmlDeviceGetTotalEccErrors"});
    find(handle, f.migMode, {"nvmlDeviceGetMigMode"});
    // The unsuffixed form writes smaller structs: not asked for.
    find(handle, f.processes, {"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2"});
    find(handle, f.fields, {"nvmlDeviceGetFieldValues"});
    return f;
}

// libnvidia-ml.so.570.86.15 -> 570.86.15: the only way to learn it when the library refuses to start.
std::string versionOfFile(void* handle)
{
    link_map* map = nullptr;
    if (::dlinfo(handle, RTLD_DI_LINKMAP, static_cast<void*>(&map)) != 0 || map == nullptr)
        return {};
    char path[PATH_MAX];
    if (::realpath(map->l_name, path) == nullptr)
        return {};
    const std::string name(path);
    const std::size_t at = name.rfind(".so.");
    const std::string version = at == std::string::npos ? std::string() : name.substr(at + 4);
    return version.find('.') == std::string::npos ? std::string() : version;
}

} // namespace

Library::Opened Library::open()
{
    Opened opened;
    // Never closed: the driver's library keeps threads and handlers of its own, and this process ends soon enough.
    void* handle = ::dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        const char* why = ::dlerror();
        opened.text = why != nullptr ? why : "";
        // A library that is there but does not load is a fault, not an absence.
        if (opened.text.find("No such file") == std::string::npos)
            opened.status = Status::Failed;
        return opened;
    }
    opened.status = Status::Failed;
    opened.version = versionOfFile(handle);
    const Functions functions = functionsOf(handle);
    if (functions.init == nullptr || functions.count == nullptr || functions.handle == nullptr ||
        functions.errorString == nullptr || functions.shutdown == nullptr) {
        opened.code = kFunctionNotFound;
        opened.text = "its library is older than 2012 or a stub";
        return opened;
    }
    opened.code = functions.init();
    if (opened.code != kSuccess) {
        opened.text = functions.errorString(opened.code);
        return opened;
    }
    opened.status = Status::Ready;
    opened.library.reset(new Library(functions));
    return opened;
}

Library::~Library()
{
    m_functions.shutdown();
}

std::string Library::errorText(int code) const
{
    const char* text = m_functions.errorString(code);
    return text != nullptr ? text : "error " + std::to_string(code);
}

} // namespace lockstep::agent::nvml
