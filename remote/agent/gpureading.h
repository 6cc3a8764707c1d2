// SPDX-License-Identifier: GPL-3.0-or-later
// What is known of one GPU at one moment. What a device does not tell is missing, never zero.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::agent {

enum class GpuMemory {
    Own,
    Unified, // the device shares the machine's memory, whose figures stand in
};

struct GpuProcessUse {
    std::int64_t pid = 0;
    std::optional<std::int64_t> bytes;
};

struct GpuReading {
    int index = 0;    // the driver's order, which need not be CUDA's
    std::string uuid; // for AMD: the unique id or the bus address
    std::string name;
    std::optional<double> util; // percent
    std::optional<std::int64_t> memoryUsed;
    std::optional<std::int64_t> memoryTotal;
    GpuMemory memory = GpuMemory::Own;
    std::optional<double> powerW;
    std::optional<double> powerLimitW;
    std::optional<double> temperatureC;
    std::optional<double> smMhz;
    std::optional<double> memoryMhz;
    std::optional<std::uint64_t> throttle; // NVML's bits
    std::optional<double> pcieRx;          // bytes/s that the GPU receives
    std::optional<double> pcieTx;
    std::optional<std::int64_t> eccErrors; // uncorrected, since the driver was loaded
    std::optional<std::vector<GpuProcessUse>> processes;
    bool mig = false;  // partitioned: utilisation of the whole is not known
    std::string error; // why it could not be read, in words

    [[nodiscard]] std::string id() const; // gpu:UUID, or gpu:INDEX when it never said its name
};

// A `device` record at the end of `out`.
void appendRecord(std::string& out, const GpuReading& reading, std::int64_t timeUs);

// The machine's memory in place of a device's own.
void useUnifiedMemory(GpuReading& reading, const std::string& procRoot);

} // namespace lockstep::agent
