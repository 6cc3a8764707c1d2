// SPDX-License-Identifier: GPL-3.0-or-later
// NVIDIA's management library without its header: only what is read here, found by name at run time. Numbers and
// layouts are those of NVML's public interface, whose binary form is stable within a version suffix. Names carry their
// suffix: a plain name is the oldest version of a function (the official header renames them by macro).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace lockstep::agent::nvml {

using Device = struct Opaque*;

enum Code : int {
    kSuccess = 0,
    kNotSupported = 3,
    kNoPermission = 4,
    kInsufficientSize = 7,
    kDriverNotLoaded = 9,
    kFunctionNotFound = 13,
    kGpuLost = 15,
    kResetRequired = 16,
    kVersionsDiffer = 18,
};

inline constexpr int kSensorGpu = 0;
inline constexpr int kClockSm = 1;
inline constexpr int kClockMemory = 2;
inline constexpr int kEccUncorrected = 1;
inline constexpr int kEccVolatile = 0; // since the driver was loaded
inline constexpr std::uint32_t kFieldPowerInstant = 186;
inline constexpr std::uint32_t kFieldPcieTxBytes = 197;
inline constexpr std::uint32_t kFieldPcieRxBytes = 198;
inline constexpr std::uint64_t kUnknownBytes = ~std::uint64_t{0};

// What newer functions want in a struct's first word: nvtop's plain 2 is refused with code 25.
template <typename T>
constexpr std::uint32_t versionWord(std::uint32_t version)
{
    return static_cast<std::uint32_t>(sizeof(T)) | version << 24;
}

struct Utilization {
    std::uint32_t gpu = 0;
    std::uint32_t memory = 0;
};
struct MemoryV1 {
    std::uint64_t total = 0;
    std::uint64_t free = 0;
    std::uint64_t used = 0; // with what the driver reserves
};
struct MemoryV2 {
    std::uint32_t version = versionWord<MemoryV2>(2);
    std::uint64_t total = 0;
    std::uint64_t reserved = 0;
    std::uint64_t free = 0;
    std::uint64_t used = 0;
};
struct Temperature {
    std::uint32_t version = versionWord<Temperature>(1);
    std::int32_t sensor = kSensorGpu;
    std::int32_t celsius = 0;
};
struct Process {
    std::uint32_t pid = 0;
    std::uint64_t bytes = 0;
    std::uint32_t gpuInstance = 0;
    std::uint32_t computeInstance = 0;
};
union Value {
    double real;
    std::uint32_t u32;
    std::uint64_t u64;
    std::int64_t i64;
    std::int32_t i32;
};
enum ValueType : int { kReal = 0, kU32 = 1, kUnsignedLong = 2, kU64 = 3, kI64 = 4, kI32 = 5 };
struct FieldValue {
    std::uint32_t field = 0;
    std::uint32_t scope = 0;
    std::int64_t timestampUs = 0;
    std::int64_t latencyUs = 0;
    int type = 0;
    int code = 0;
    Value value = {};
};
struct PciInfo {
    char busIdLegacy[16] = {};
    std::uint32_t domain = 0;
    std::uint32_t bus = 0;
    std::uint32_t device = 0;
    std::uint32_t deviceId = 0;
    std::uint32_t subSystemId = 0;
    char busId[32] = {};
};
static_assert(sizeof(MemoryV1) == 24 && sizeof(MemoryV2) == 40 && sizeof(Temperature) == 12);
static_assert(sizeof(Process) == 24 && sizeof(FieldValue) == 40 && sizeof(PciInfo) == 68);
static_assert(versionWord<MemoryV2>(2) == 0x02000028 && versionWord<Temperature>(1) == 0x0100000C);

// A function that the library lacks is a null pointer.
struct Functions {
    int (*init)() = nullptr;
    int (*shutdown)() = nullptr;
    const char* (*errorString)(int) = nullptr;
    int (*count)(unsigned*) = nullptr;
    int (*handle)(unsigned, Device*) = nullptr;

    int (*driverVersion)(char*, unsigned) = nullptr;
    int (*cudaVersion)(int*) = nullptr;
    int (*name)(Device, char*, unsigned) = nullptr;
    int (*uuid)(Device, char*, unsigned) = nullptr;
    int (*pci)(Device, PciInfo*) = nullptr;
    int (*utilization)(Device, Utilization*) = nullptr;
    int (*memoryV2)(Device, MemoryV2*) = nullptr;
    int (*memoryV1)(Device, MemoryV1*) = nullptr;
    int (*power)(Device, unsigned*) = nullptr;
    int (*powerLimit)(Device, unsigned*) = nullptr;
    int (*temperatureV)(Device, Temperature*) = nullptr;
    int (*temperature)(Device, int, unsigned*) = nullptr;
    int (*clock)(Device, int, unsigned*) = nullptr;
    int (*clockReasons)(Device, unsigned long long*) = nullptr;
    int (*ecc)(Device, int, int, unsigned long long*) = nullptr;
    int (*migMode)(Device, unsigned*, unsigned*) = nullptr;
    int (*processes)(Device, unsigned*, Process*) = nullptr;
    int (*fields)(Device, int, FieldValue*) = nullptr;
};

class Library {
public:
    enum class Status {
        Ready,
        Missing, // no libnvidia-ml.so.1: no NVIDIA driver is installed
        Failed,
    };
    struct Opened {
        Status status = Status::Missing;
        std::unique_ptr<Library> library; // when Ready
        int code = kSuccess;              // NVML's, when Failed
        std::string text;                 // why, in words, when not Ready
        std::string version;              // of the library file, empty: unknown
    };
    // Loads and initialises. May take seconds (a driver that is not kept loaded) or for ever (a sick one).
    [[nodiscard]] static Opened open();
    ~Library();
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;

    [[nodiscard]] const Functions& call() const { return m_functions; }
    [[nodiscard]] std::string errorText(int code) const;

private:
    explicit Library(const Functions& functions) : m_functions(functions) {}

    Functions m_functions;
};

} // namespace lockstep::agent::nvml
