// SPDX-License-Identifier: GPL-3.0-or-later
// AMD's GPUs through sysfs: the amdgpu module needs no library to be read. Units are those of the kernel's
// documentation (gpu/amdgpu/thermal): microwatts, thousandths of a degree, hertz, bytes.
#include "remote/agent/gpusource.h"
#include "remote/agent/procfile.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <system_error>

namespace lockstep::agent {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kAmd = "0x1002";

std::vector<std::string> entriesOf(const std::string& folder, std::string_view prefix)
{
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
        if (std::string name = it->path().filename().string(); name.starts_with(prefix))
            names.push_back(std::move(name));
    }
    std::ranges::sort(names, [](const std::string& a, const std::string& b) {
        return a.size() != b.size() ? a.size() < b.size() : a < b; // card2 before card10
    });
    return names;
}

std::optional<double> scaled(const std::string& path, double unit)
{
    const auto value = readNumber(path);
    return value ? std::optional(static_cast<double>(*value) / unit) : std::nullopt;
}

std::optional<double> firstOf(std::optional<double> preferred, std::optional<double> other)
{
    return preferred ? preferred : other;
}

// PCI_SLOT_NAME=0000:03:00.0
std::string busAddress(const std::string& device)
{
    constexpr std::string_view kKey = "PCI_SLOT_NAME=";
    const std::string uevent = readText(device + "/uevent");
    std::string_view rest = uevent;
    while (const auto line = nextLine(rest)) {
        if (line->starts_with(kKey))
            return std::string(line->substr(kKey.size()));
    }
    return {};
}

struct AmdDevice {
    std::string folder;  // .../card0/device
    std::string sensors; // .../hwmon/hwmon3, empty: none
    GpuReading identity;
};

AmdDevice deviceAt(const std::string& folder, int index)
{
    AmdDevice device{folder, {}, {}};
    if (const auto hwmon = entriesOf(folder + "/hwmon", "hwmon"); !hwmon.empty())
        device.sensors = folder + "/hwmon/" + hwmon.front();
    device.identity.index = index;
    const std::string unique = readWord(folder + "/unique_id");
    device.identity.uuid = unique.empty() || unique == "0" ? busAddress(folder) : "AMD-" + unique;
    const std::string product = readWord(folder + "/product_name");
    device.identity.name = product.empty() ? "AMD GPU " + readWord(folder + "/device") : product;
    return device;
}

GpuReading readDevice(const AmdDevice& device)
{
    constexpr double kMicro = 1e6;
    constexpr double kMilli = 1e3;
    GpuReading reading = device.identity;
    reading.util = scaled(device.folder + "/gpu_busy_percent", 1);
    reading.memoryUsed = readNumber(device.folder + "/mem_info_vram_used");
    reading.memoryTotal = readNumber(device.folder + "/mem_info_vram_total");
    if (!device.sensors.empty()) {
        const std::string& at = device.sensors;
        reading.powerW = firstOf(scaled(at + "/power1_average", kMicro), scaled(at + "/power1_input", kMicro));
        reading.powerLimitW = scaled(at + "/power1_cap", kMicro);
        // temp1 is the edge; the junction, where there is one, is what throttles.
        reading.temperatureC = firstOf(scaled(at + "/temp2_input", kMilli), scaled(at + "/temp1_input", kMilli));
        reading.smMhz = scaled(at + "/freq1_input", kMicro);
        reading.memoryMhz = scaled(at + "/freq2_input", kMicro);
    }
    std::error_code error;
    if (!fs::exists(device.folder, error))
        reading.error = "GPU " + std::to_string(reading.index) + " (" + reading.name +
                        ") has left the PCI bus: look at the kernel log; the node usually needs a reboot.";
    return reading;
}

class AmdGpus final : public GpuSource {
public:
    AmdGpus(std::vector<AmdDevice> devices, std::string version)
        : m_devices(std::move(devices)), m_version(std::move(version))
    {
    }
    GpuRound read() override
    {
        GpuRound round;
        for (const AmdDevice& device : m_devices)
            round.readings.push_back(readDevice(device));
        return round;
    }
    GpuDriver driver() const override { return {m_version, {}}; }

private:
    std::vector<AmdDevice> m_devices;
    std::string m_version;
};

bool isCard(std::string_view name) // card0, not card0-HDMI-A-1
{
    name.remove_prefix(std::string_view("card").size());
    int number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    return error == std::errc{} && end == name.data() + name.size();
}

} // namespace

GpuSearch findAmdGpus(const GpuRoots& roots)
{
    GpuSearch search;
    std::vector<AmdDevice> devices;
    const std::string drm = roots.sys + "/class/drm";
    for (const std::string& card : entriesOf(drm, "card")) {
        std::string folder = drm + '/';
        folder.append(card).append("/device");
        // Without the busy file it is a device that the amdgpu module does not drive.
        std::error_code error;
        if (isCard(card) && readWord(folder + "/vendor") == kAmd && fs::exists(folder + "/gpu_busy_percent", error))
            devices.push_back(deviceAt(folder, static_cast<int>(devices.size())));
    }
    if (devices.empty())
        search.note = "none found: no GPU that amdgpu drives";
    else
        search.source = std::make_unique<AmdGpus>(std::move(devices), readWord(roots.sys + "/module/amdgpu/version"));
    return search;
}

} // namespace lockstep::agent
