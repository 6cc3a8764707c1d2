// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/gpusource.h"
#include "remote/agent/nvml.h"
#include "remote/agent/nvmlpcie.h"
#include "remote/agent/procfile.h"

#include <algorithm>
#include <array>

namespace lockstep::agent {

namespace {

constexpr unsigned kMaxDevices = 64;
constexpr unsigned kMaxProcesses = 4096; // of one device

// Asks one device, and stops asking once it is lost: every further call could take the driver's own time-out.
class Questions {
public:
    template <typename Function, typename... Arguments>
    bool ask(Function function, Arguments... arguments)
    {
        if (function == nullptr || m_lost != nvml::kSuccess) {
            m_code = function == nullptr ? nvml::kFunctionNotFound : m_lost;
            return false;
        }
        m_code = function(arguments...);
        if (m_code == nvml::kGpuLost || m_code == nvml::kResetRequired)
            m_lost = m_code;
        return m_code == nvml::kSuccess;
    }
    [[nodiscard]] int code() const { return m_code; } // of the last answer
    [[nodiscard]] int lost() const { return m_lost; } // kSuccess: it is there

private:
    int m_code = nvml::kSuccess;
    int m_lost = nvml::kSuccess;
};

std::string cudaText(int version) // 13020 -> 13.2
{
    return std::to_string(version / 1000) + '.' + std::to_string(version % 1000 / 10);
}

std::string lostSentence(const GpuReading& identity, int code, const std::string& text)
{
    const std::string index = std::to_string(identity.index);
    std::string sentence = "GPU " + index + (identity.name.empty() ? "" : " (" + identity.name + ")");
    sentence += " does not answer its driver: " + text + ". Look for `Xid` in the kernel log; ";
    return sentence + (code == nvml::kResetRequired
                           ? "`nvidia-smi --gpu-reset -i " + index + "` as root or a reboot brings it back."
                           : "the node usually needs a reboot.");
}

std::string failureSentence(const nvml::Library::Opened& opened, const GpuRoots& roots)
{
    const std::string library = opened.version.empty() ? "of unknown version" : opened.version;
    std::string sentence = "Failed to initialize NVML: " + opened.text;
    if (opened.code == nvml::kVersionsDiffer) {
        const std::string module = readWord(roots.sys + "/module/nvidia/version");
        return sentence + ": the library is " + library + ", the loaded kernel module " +
               (module.empty() ? "another" : module) +
               ". The driver was updated while it was in use: reboot the node, or reload its nvidia modules.";
    }
    if (opened.code == nvml::kDriverNotLoaded)
        return sentence + ": the driver's library (" + library +
               ") is installed but its kernel module is not loaded. Load it (`modprobe nvidia` as root) or reboot the "
               "node.";
    return sentence + (opened.code != nvml::kSuccess ? " (NVML's code " + std::to_string(opened.code) + ")." : ".") +
           " Run `nvidia-smi` on the node to see more.";
}

class NvmlGpus final : public GpuSource {
public:
    NvmlGpus(std::unique_ptr<nvml::Library> library, unsigned count, GpuRoots roots)
        : m_library(std::move(library)), m_nvml(m_library->call()), m_devices(count), m_roots(std::move(roots))
    {
    }

    GpuRound read() override
    {
        GpuRound round;
        for (unsigned index = 0; index < m_devices.size(); ++index)
            round.readings.push_back(readDevice(index));
        readPcie(round.readings);
        if (std::ranges::none_of(round.readings, [](const GpuReading& reading) { return reading.error.empty(); }))
            round.error = "No GPU of this node answers its driver any more.";
        return round;
    }

    GpuDriver driver() const override
    {
        GpuDriver driver;
        Questions driverQuestions;
        std::array<char, 96> text{};
        int cuda = 0;
        if (driverQuestions.ask(m_nvml.driverVersion, text.data(), static_cast<unsigned>(text.size())))
            driver.version = text.data();
        if (driverQuestions.ask(m_nvml.cudaVersion, &cuda))
            driver.cuda = cudaText(cuda);
        return driver;
    }

private:
    struct DeviceState {
        nvml::Device handle = nullptr;
        GpuReading identity;
        PcieCounters pcie;
    };

    // Kept, so that a device that is lost later still has its name.
    void identify(unsigned index, DeviceState& device, Questions& questions)
    {
        device.identity.index = static_cast<int>(index);
        if (device.handle == nullptr && !questions.ask(m_nvml.handle, index, &device.handle)) {
            device.handle = nullptr;
            return;
        }
        std::array<char, 96> text{};
        const auto size = static_cast<unsigned>(text.size());
        if (device.identity.name.empty() && questions.ask(m_nvml.name, device.handle, text.data(), size))
            device.identity.name = text.data();
        if (!device.identity.uuid.empty())
            return;
        nvml::PciInfo pci;
        if (questions.ask(m_nvml.uuid, device.handle, text.data(), size))
            device.identity.uuid = text.data();
        else if (questions.ask(m_nvml.pci, device.handle, &pci))
            device.identity.uuid.assign(pci.busId, std::find(pci.busId, std::end(pci.busId), '\0'));
    }

    GpuReading readDevice(unsigned index)
    {
        DeviceState& device = m_devices[index];
        Questions questions;
        identify(index, device, questions);
        GpuReading reading = device.identity;
        if (device.handle == nullptr) {
            reading.error = lostSentence(device.identity, questions.code(), m_library->errorText(questions.code()));
            return reading;
        }
        readState(device, reading, questions);
        readMemory(device, reading, questions);
        reading.processes = readProcesses(device, questions);
        if (questions.lost() != nvml::kSuccess) {
            reading = device.identity;
            reading.error = lostSentence(device.identity, questions.lost(), m_library->errorText(questions.lost()));
        }
        return reading;
    }

    void readState(DeviceState& device, GpuReading& reading, Questions& questions)
    {
        nvml::Utilization utilization;
        unsigned number = 0;
        unsigned long long wide = 0;
        unsigned pendingMode = 0;
        if (questions.ask(m_nvml.migMode, device.handle, &number, &pendingMode))
            reading.mig = number == 1;
        if (questions.ask(m_nvml.utilization, device.handle, &utilization))
            reading.util = utilization.gpu;
        if (const auto milliwatts = instantPower(device, questions))
            reading.powerW = *milliwatts / 1e3;
        else if (questions.ask(m_nvml.power, device.handle, &number))
            reading.powerW = number / 1e3;
        if (questions.ask(m_nvml.powerLimit, device.handle, &number))
            reading.powerLimitW = number / 1e3;
        nvml::Temperature temperature;
        if (questions.ask(m_nvml.temperatureV, device.handle, &temperature))
            reading.temperatureC = temperature.celsius;
        else if (questions.ask(m_nvml.temperature, device.handle, nvml::kSensorGpu, &number))
            reading.temperatureC = number;
        if (questions.ask(m_nvml.clock, device.handle, nvml::kClockSm, &number))
            reading.smMhz = number;
        if (questions.ask(m_nvml.clock, device.handle, nvml::kClockMemory, &number))
            reading.memoryMhz = number;
        if (questions.ask(m_nvml.clockReasons, device.handle, &wide))
            reading.throttle = wide;
        if (questions.ask(m_nvml.ecc, device.handle, nvml::kEccUncorrected, nvml::kEccVolatile, &wide))
            reading.eccErrors = static_cast<std::int64_t>(wide);
    }

    // Plain power is the mean of the last second from Ampere on; this field is not.
    std::optional<double> instantPower(const DeviceState& device, Questions& questions)
    {
        nvml::FieldValue value;
        value.field = nvml::kFieldPowerInstant;
        if (!questions.ask(m_nvml.fields, device.handle, 1, &value) || value.code != nvml::kSuccess ||
            value.type != nvml::kU32 || value.value.u32 == 0)
            return std::nullopt;
        return value.value.u32;
    }

    void readMemory(DeviceState& device, GpuReading& reading, Questions& questions)
    {
        nvml::MemoryV2 memory;
        if (questions.ask(m_nvml.memoryV2, device.handle, &memory)) {
            reading.memoryUsed = static_cast<std::int64_t>(memory.used);
            reading.memoryTotal = static_cast<std::int64_t>(memory.total);
            return;
        }
        nvml::MemoryV1 older;
        if (questions.ask(m_nvml.memoryV1, device.handle, &older)) {
            reading.memoryUsed = static_cast<std::int64_t>(older.used);
            reading.memoryTotal = static_cast<std::int64_t>(older.total);
        } else if (questions.code() == nvml::kNotSupported && !reading.mig) {
            useUnifiedMemory(reading, m_roots.proc); // Grace Blackwell, Jetson: no memory of its own
        }
    }

    std::optional<std::vector<GpuProcessUse>> readProcesses(DeviceState& device, Questions& questions)
    {
        auto count = static_cast<unsigned>(m_processes.size());
        bool read = questions.ask(m_nvml.processes, device.handle, &count, m_processes.data());
        if (!read && questions.code() == nvml::kInsufficientSize && count < kMaxProcesses) {
            m_processes.resize(count + count / 4 + 8); // some more may start meanwhile
            count = static_cast<unsigned>(m_processes.size());
            read = questions.ask(m_nvml.processes, device.handle, &count, m_processes.data());
        }
        if (!read || count > m_processes.size())
            return std::nullopt;
        std::vector<GpuProcessUse> uses;
        for (unsigned at = 0; at < count; ++at) {
            const nvml::Process& process = m_processes[at];
            GpuProcessUse use{process.pid, std::nullopt};
            if (process.bytes != nvml::kUnknownBytes)
                use.bytes = static_cast<std::int64_t>(process.bytes);
            uses.push_back(use);
        }
        return uses;
    }

    void readPcie(std::vector<GpuReading>& readings)
    {
        std::vector<PcieQuestion> questions;
        for (std::size_t at = 0; at < readings.size(); ++at) {
            if (readings[at].error.empty() && !readings[at].mig)
                questions.push_back({m_devices[at].handle, &m_devices[at].pcie, &readings[at]});
        }
        askPcie(m_nvml, questions);
    }

    std::unique_ptr<nvml::Library> m_library;
    const nvml::Functions& m_nvml;
    std::vector<DeviceState> m_devices;
    std::vector<nvml::Process> m_processes{32};
    GpuRoots m_roots;
};

} // namespace

GpuSearch findNvmlGpus(const GpuRoots& roots)
{
    GpuSearch search;
    nvml::Library::Opened opened = nvml::Library::open();
    switch (opened.status) {
    case nvml::Library::Status::Missing:
        search.note = kNoNvml;
        return search;
    case nvml::Library::Status::Failed:
        search.error = failureSentence(opened, roots);
        return search;
    case nvml::Library::Status::Ready:
        break;
    }
    unsigned count = 0;
    if (const int code = opened.library->call().count(&count); code != nvml::kSuccess) {
        search.error =
            "The NVIDIA driver does not say how many GPUs there are: " + opened.library->errorText(code) + ".";
        return search;
    }
    if (count == 0) {
        search.note = "none found: the NVIDIA driver is loaded but shows no GPU";
        return search;
    }
    search.source = std::make_unique<NvmlGpus>(std::move(opened.library), std::min(count, kMaxDevices), roots);
    return search;
}

} // namespace lockstep::agent
