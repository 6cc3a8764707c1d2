// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/gpureading.h"

#include "core/wire/encoder.h"
#include "core/wire/kinds.h"
#include "remote/agent/procfile.h"

#include <charconv>
#include <cmath>

namespace lockstep::agent {

namespace {

void field(wire::Encoder& record, std::string_view key, const std::optional<double>& value)
{
    constexpr double kPlaces = 100; // power in hundredths of a watt is finer than any sensor
    if (value)
        record.field(key, std::round(*value * kPlaces) / kPlaces);
}

void field(wire::Encoder& record, std::string_view key, const std::optional<std::int64_t>& value)
{
    if (value)
        record.field(key, *value);
}

std::string hex(std::uint64_t bits)
{
    char text[2 * sizeof bits];
    const auto [end, error] = std::to_chars(text, text + sizeof text, bits, 16);
    return std::string(text, error == std::errc{} ? end : text);
}

// PID:BYTES,PID:BYTES; -1 where the driver keeps the bytes to itself.
std::string joined(const std::vector<GpuProcessUse>& processes)
{
    std::string text;
    for (const GpuProcessUse& process : processes) {
        if (!text.empty())
            text += ',';
        text += std::to_string(process.pid) + ':' + std::to_string(process.bytes.value_or(-1));
    }
    return text;
}

} // namespace

std::string GpuReading::id() const
{
    return "gpu:" + (uuid.empty() ? std::to_string(index) : uuid);
}

void appendRecord(std::string& out, const GpuReading& reading, std::int64_t timeUs)
{
    wire::Encoder record(out);
    record.begin(wire::kind::kDevice, wire::kNode, timeUs).field("id", reading.id()).field("index", reading.index);
    if (!reading.name.empty())
        record.field("name", reading.name);
    field(record, "util", reading.util);
    field(record, "mem_used", reading.memoryUsed);
    field(record, "mem_total", reading.memoryTotal);
    if (reading.memory == GpuMemory::Unified)
        record.field("unified", 1);
    field(record, "power_w", reading.powerW);
    field(record, "power_limit_w", reading.powerLimitW);
    field(record, "temp_c", reading.temperatureC);
    field(record, "sm_mhz", reading.smMhz);
    field(record, "mem_mhz", reading.memoryMhz);
    if (reading.throttle)
        record.field("throttle", hex(*reading.throttle));
    if (reading.pcieRx)
        record.field("pcie_rx_bytes_per_s", std::llround(*reading.pcieRx));
    if (reading.pcieTx)
        record.field("pcie_tx_bytes_per_s", std::llround(*reading.pcieTx));
    field(record, "ecc_errors", reading.eccErrors);
    if (reading.processes)
        record.field("processes", joined(*reading.processes));
    if (reading.mig)
        record.field("mig", 1);
    if (!reading.error.empty())
        record.field("error", reading.error);
    record.end();
}

void useUnifiedMemory(GpuReading& reading, const std::string& procRoot)
{
    if (const auto memory = parseMemInfo(readText(procRoot + "/meminfo"))) {
        reading.memoryUsed = memory->total - memory->available;
        reading.memoryTotal = memory->total;
        reading.memory = GpuMemory::Unified;
    }
}

} // namespace lockstep::agent
