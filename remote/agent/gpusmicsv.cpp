// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/gpusmicsv.h"

#include "remote/agent/procfile.h"

#include <algorithm>
#include <charconv>

namespace lockstep::agent {

namespace {

constexpr double kMiB = 1024.0 * 1024.0;

std::vector<std::string_view> split(std::string_view line)
{
    std::vector<std::string_view> cells;
    while (true) {
        const std::size_t comma = line.find(',');
        cells.push_back(trimmed(line.substr(0, comma)));
        if (comma == std::string_view::npos)
            return cells;
        line.remove_prefix(comma + 1);
    }
}

std::optional<std::int64_t> bytesOf(std::string_view cell)
{
    const auto mebibytes = leadingNumber(cell);
    return mebibytes ? std::optional(static_cast<std::int64_t>(*mebibytes * kMiB)) : std::nullopt;
}

std::optional<std::uint64_t> bitsOf(std::string_view cell)
{
    std::uint64_t bits = 0;
    if (!cell.starts_with("0x"))
        return std::nullopt;
    const auto [end, error] = std::from_chars(cell.data() + 2, cell.data() + cell.size(), bits, 16);
    return error == std::errc{} ? std::optional(bits) : std::nullopt;
}

bool isUnknown(std::string_view cell)
{
    return cell.empty() || cell == "N/A" || (cell.starts_with('[') && cell.ends_with(']'));
}

// clocks_throttle_reasons became clocks_event_reasons; both end alike.
bool isThrottle(std::string_view column)
{
    return column == "clocks_throttle_reasons.active" || column == "clocks_event_reasons.active";
}

} // namespace

SmiTable::Parsed SmiTable::parse(std::string_view line)
{
    Parsed parsed;
    if (line.find("is not a valid field") != std::string_view::npos) {
        parsed.kind = Line::BadField;
        return parsed;
    }
    const std::vector<std::string_view> cells = split(line);
    const bool heading = std::ranges::any_of(cells, [](std::string_view cell) { return cell == "index"; });
    if (heading) {
        m_columns.clear();
        for (const std::string_view cell : cells)
            m_columns.emplace_back(cell.substr(0, cell.find(" [")));
        parsed.kind = Line::Heading;
    } else if (!m_columns.empty() && cells.size() == m_columns.size()) {
        parsed.kind = Line::Row;
        parsed.reading = readingOf(cells);
        const auto asked = [this](const char* column) {
            return std::ranges::find(m_columns, column) != m_columns.end();
        };
        parsed.ownMemory =
            parsed.reading.memoryTotal || !asked("memory.total") || parsed.reading.mig || !parsed.reading.error.empty();
    }
    return parsed;
}

GpuReading SmiTable::readingOf(const std::vector<std::string_view>& cells)
{
    GpuReading reading;
    for (std::size_t at = 0; at < cells.size(); ++at) {
        const std::string& column = m_columns[at];
        const std::string_view cell = cells[at];
        if (cell.find("is lost") != std::string_view::npos || cell.find("requires reset") != std::string_view::npos)
            reading.error = "nvidia-smi: " + std::string(cell) +
                            ". Look for `Xid` in the kernel log; the node usually needs a reboot.";
        if (column == "index")
            reading.index = static_cast<int>(leadingInteger(cell).value_or(0));
        else if (column == "uuid" && !isUnknown(cell))
            reading.uuid = cell;
        else if (column == "name" && !isUnknown(cell))
            reading.name = cell;
        else if (column == "driver_version" && !isUnknown(cell))
            m_driver = cell;
        else if (column == "utilization.gpu")
            reading.util = leadingNumber(cell);
        else if (column == "memory.used")
            reading.memoryUsed = bytesOf(cell);
        else if (column == "memory.total")
            reading.memoryTotal = bytesOf(cell);
        else if (column == "power.draw.instant" || (column == "power.draw" && !reading.powerW))
            reading.powerW = leadingNumber(cell);
        else if (column == "enforced.power.limit" || (column == "power.limit" && !reading.powerLimitW))
            reading.powerLimitW = leadingNumber(cell);
        else if (column == "temperature.gpu")
            reading.temperatureC = leadingNumber(cell);
        else if (column == "clocks.sm" || column == "clocks.current.sm")
            reading.smMhz = leadingNumber(cell);
        else if (column == "clocks.mem" || column == "clocks.current.memory")
            reading.memoryMhz = leadingNumber(cell);
        else if (isThrottle(column))
            reading.throttle = bitsOf(cell);
        else if (column == "ecc.errors.uncorrected.volatile.total")
            reading.eccErrors = leadingInteger(cell);
        else if (column == "mig.mode.current")
            reading.mig = cell == "Enabled";
    }
    return reading;
}

} // namespace lockstep::agent
