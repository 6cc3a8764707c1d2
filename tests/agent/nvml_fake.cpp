// SPDX-License-Identifier: GPL-3.0-or-later
// A libnvidia-ml.so.1 that plays the script named by FAKE_NVML_SCRIPT. A line gives a value from some second on
// (counted from the process's first call), for one GPU or for all; the latest line that has come true counts:
//
//   driver 570.86.15          cuda 13000         gpus 2
//   init 9                    what nvmlInit answers            print 1   noise on stdout with every call
//   stall 60                  every call takes that many seconds
//   gpu 0 name NVIDIA H200    gpu 0 uuid GPU-aaaa              gpu 0 util 12
//   0.5 gpu 0 util 97         gpu 1 nosup throttle             2 gpu 1 lost 15
//   gpu 0 process 4242 1048576   gpu 0 process 4243 -1         gpu 0 pcie_type 3
//
// keys of a GPU: name uuid bus util mem_total mem_used mem_reserved power_mw power_instant_mw limit_mw temp sm
// mem_clock throttle ecc mig pcie_rx_rate pcie_tx_rate (bytes/s that the counters grow by). A key that no line names is
// not supported. As strict as the real one: a wrong version word is code 25, a call before init code 1. Built with
// FAKE_NVML_OLD it has only the functions of an old driver.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

enum : int { kOk = 0, kUninitialized = 1, kBadArgument = 2, kNotSupported = 3, kTooSmall = 7, kVersion = 25 };

struct Line {
    double from = 0;
    int gpu = -1;
    std::string key;
    std::string value;
};

struct Fake {
    std::vector<Line> lines;
    std::array<int, 64> devices{}; // a handle points to its number
    double startS = 0;
    bool isReady = false;
};

double nowS()
{
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

Fake read()
{
    Fake fake;
    fake.startS = nowS();
    for (int number = 0; number < static_cast<int>(fake.devices.size()); ++number)
        fake.devices[static_cast<std::size_t>(number)] = number;
    const char* path = std::getenv("FAKE_NVML_SCRIPT");
    std::ifstream file(path != nullptr ? path : "");
    for (std::string text; std::getline(file, text);) {
        Line line;
        std::istringstream words(text);
        if (!(words >> line.from)) {
            line.from = 0;
            words.clear();
            words.str(text);
        }
        words >> line.key;
        if (line.key == "gpu")
            words >> line.gpu >> line.key;
        std::getline(words >> std::ws, line.value);
        if (!line.key.empty())
            fake.lines.push_back(line);
    }
    return fake;
}

Fake& fake()
{
    static Fake it = read();
    return it;
}

const std::string* find(int gpu, const std::string& key)
{
    const double age = nowS() - fake().startS;
    const std::string* found = nullptr;
    for (const Line& line : fake().lines) {
        if (line.key == "nosup" && line.gpu == gpu && line.value == key)
            return nullptr;
        if (line.key == key && line.gpu == gpu && line.from <= age)
            found = &line.value;
    }
    return found;
}

long long number(int gpu, const std::string& key, long long otherwise)
{
    const std::string* text = find(gpu, key);
    return text != nullptr ? std::atoll(text->c_str()) : otherwise;
}

// What every call does first.
int enter(const int* device)
{
    if (number(-1, "print", 0) != 0)
        std::puts("driver noise"), std::fflush(stdout);
    if (const long long seconds = number(-1, "stall", 0); seconds > 0)
        sleep(static_cast<unsigned>(seconds));
    if (!fake().isReady)
        return kUninitialized;
    return device != nullptr ? static_cast<int>(number(*device, "lost", kOk)) : kOk;
}

template <typename T>
int answer(const int* device, const char* key, T* value)
{
    if (device == nullptr || value == nullptr)
        return kBadArgument;
    if (const int code = enter(device); code != kOk)
        return code;
    const std::string* text = find(*device, key);
    if (text == nullptr)
        return kNotSupported;
    *value = static_cast<T>(std::strtoll(text->c_str(), nullptr, 0));
    return kOk;
}

int answerText(const std::string* text, char* into, unsigned size)
{
    if (text == nullptr)
        return kNotSupported;
    if (text->size() >= size)
        return kTooSmall;
    std::memcpy(into, text->c_str(), text->size() + 1);
    return kOk;
}

struct Memory {
    unsigned long long total, free, used;
};
struct MemoryV2 {
    unsigned version;
    unsigned long long total, reserved, free, used;
};
struct Process {
    unsigned pid;
    unsigned long long bytes;
    unsigned gpuInstance, computeInstance;
};
struct Temperature {
    unsigned version;
    int sensor, celsius;
};
struct Field {
    unsigned id, scope;
    long long timestamp, latency;
    int type, code;
    unsigned long long value;
};

int processes(const int* device, unsigned* count, Process* into)
{
    if (const int code = enter(device); code != kOk)
        return code;
    std::vector<Process> all;
    for (const Line& line : fake().lines) {
        Process process{0, 0, ~0u, ~0u};
        long long bytes = 0;
        if (line.key == "process" && line.gpu == *device && line.from <= nowS() - fake().startS &&
            std::sscanf(line.value.c_str(), "%u %lld", &process.pid, &bytes) == 2) {
            process.bytes = static_cast<unsigned long long>(bytes);
            all.push_back(process);
        }
    }
    const bool fits = all.size() <= *count;
    *count = static_cast<unsigned>(all.size());
    if (fits)
        std::copy(all.begin(), all.end(), into);
    return fits ? kOk : kTooSmall;
}

} // namespace

extern "C" {

int nvmlInit_v2()
{
    enter(nullptr);
    const auto code = static_cast<int>(number(-1, "init", kOk));
    fake().isReady = code == kOk;
    return code;
}
int nvmlShutdown()
{
    fake().isReady = false;
    return kOk;
}
const char* nvmlErrorString(int code)
{
    switch (code) {
    case 9:
        return "Driver Not Loaded";
    case 15:
        return "GPU is lost";
    case 16:
        return "GPU requires reset";
    case 18:
        return "Driver/library version mismatch";
    default:
        return "Unknown Error";
    }
}
int nvmlSystemGetDriverVersion(char* text, unsigned size)
{
    return answerText(find(-1, "driver"), text, size);
}
int nvmlDeviceGetCount_v2(unsigned* count)
{
    const int code = enter(nullptr);
    *count = static_cast<unsigned>(number(-1, "gpus", 0));
    return code;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, int** device)
{
    *device = &fake().devices.at(index);
    return enter(*device);
}
int nvmlDeviceGetName(int* device, char* text, unsigned size)
{
    const int code = enter(device);
    return code != kOk ? code : answerText(find(*device, "name"), text, size);
}
int nvmlDeviceGetUUID(int* device, char* text, unsigned size)
{
    const int code = enter(device);
    return code != kOk ? code : answerText(find(*device, "uuid"), text, size);
}
int nvmlDeviceGetUtilizationRates(int* device, unsigned* gpuAndMemory)
{
    gpuAndMemory[1] = 0;
    return answer(device, "util", gpuAndMemory);
}
int nvmlDeviceGetMemoryInfo(int* device, Memory* memory)
{
    if (const int code = answer(device, "mem_total", &memory->total); code != kOk)
        return code;
    // The first form counts the reserved part as used.
    memory->used = static_cast<unsigned long long>(number(*device, "mem_used", 0) + number(*device, "mem_reserved", 0));
    memory->free = memory->total - memory->used;
    return kOk;
}
int nvmlDeviceGetPowerUsage(int* device, unsigned* milliwatts)
{
    return answer(device, "power_mw", milliwatts);
}
int nvmlDeviceGetTemperature(int* device, int, unsigned* celsius)
{
    return answer(device, "temp", celsius);
}
int nvmlDeviceGetClockInfo(int* device, int clock, unsigned* mhz)
{
    return answer(device, clock == 1 ? "sm" : "mem_clock", mhz);
}
int nvmlDeviceGetTotalEccErrors(int* device, int kind, int counter, unsigned long long* count)
{
    return kind == 1 && counter == 0 ? answer(device, "ecc", count) : kBadArgument;
}
int nvmlDeviceGetComputeRunningProcesses_v2(int* device, unsigned* count, Process* into)
{
    return processes(device, count, into);
}

#ifdef FAKE_NVML_OLD
int nvmlSystemGetCudaDriverVersion(int* version)
{
    *version = static_cast<int>(number(-1, "cuda", 0));
    return kOk;
}
int nvmlDeviceGetPowerManagementLimit(int* device, unsigned* milliwatts)
{
    return answer(device, "limit_mw", milliwatts);
}
int nvmlDeviceGetCurrentClocksThrottleReasons(int* device, unsigned long long* bits)
{
    return answer(device, "throttle", bits);
}
#else
int nvmlSystemGetCudaDriverVersion_v2(int* version)
{
    *version = static_cast<int>(number(-1, "cuda", 0));
    return kOk;
}
int nvmlDeviceGetMemoryInfo_v2(int* device, MemoryV2* memory)
{
    if (memory->version != (sizeof(MemoryV2) | 2u << 24))
        return kVersion;
    if (const int code = answer(device, "mem_total", &memory->total); code != kOk)
        return code;
    memory->used = static_cast<unsigned long long>(number(*device, "mem_used", 0));
    memory->reserved = static_cast<unsigned long long>(number(*device, "mem_reserved", 0));
    memory->free = memory->total - memory->used - memory->reserved;
    return kOk;
}
int nvmlDeviceGetEnforcedPowerLimit(int* device, unsigned* milliwatts)
{
    return answer(device, "limit_mw", milliwatts);
}
int nvmlDeviceGetTemperatureV(int* device, Temperature* temperature)
{
    if (temperature->version != (sizeof(Temperature) | 1u << 24))
        return kVersion;
    return answer(device, "temp", &temperature->celsius);
}
int nvmlDeviceGetCurrentClocksEventReasons(int* device, unsigned long long* bits)
{
    return answer(device, "throttle", bits);
}
int nvmlDeviceGetMigMode(int* device, unsigned* current, unsigned* pending)
{
    *pending = 0;
    return answer(device, "mig", current);
}
int nvmlDeviceGetComputeRunningProcesses_v3(int* device, unsigned* count, Process* into)
{
    return processes(device, count, into);
}
int nvmlDeviceGetFieldValues(int* device, int count, Field* fields)
{
    if (const int code = enter(device); code != kOk)
        return code;
    for (Field* field = fields; field != fields + count; ++field) {
        field->value = 0;
        field->type = 1;
        if (field->id == 186) {
            field->code = answer(device, "power_instant_mw", &field->value);
            continue;
        }
        const char* key = field->id == 198 ? "pcie_rx_rate" : field->id == 197 ? "pcie_tx_rate" : "";
        double rate = 0;
        field->code = answer(device, key, &rate);
        // Near the end of 32 bits, so that narrow counters wrap soon.
        const double bytes = 4.29e9 + rate * (nowS() - fake().startS);
        field->value = static_cast<unsigned long long>(bytes);
        field->type = static_cast<int>(number(*device, "pcie_type", 1));
        if (field->type == 1)
            field->value &= 0xffffffffu;
    }
    return kOk;
}
#endif

} // extern "C"
