// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/factsgpu.h"

#include "core/wire/decoder.h"
#include "core/wire/kinds.h"
#include "core/wire/runtag.h"
#include "remote/agent/answer.h"
#include "remote/agent/childanswer.h"
#include "remote/agent/processtable.h"
#include "remote/agent/procfile.h"

#include <filesystem>
#include <map>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lockstep::agent {

namespace {

// A sick driver never answers; a healthy one that nobody keeps loaded takes seconds to wake eight GPUs.
constexpr std::chrono::seconds kDeadline{6};
constexpr std::size_t kMaxProcesses = 16; // told of one device: sixteen devices of them still fit one record

// The child's answer: the devices' records as in a sample, then one about all.
void answer(int fd, const GpuRoots& roots)
{
    std::string out;
    GpuSearch search = findGpus(roots);
    GpuRound round;
    GpuDriver driver;
    std::string note = search.error.empty() ? search.note : search.error;
    if (search.source) {
        round = search.source->read();
        driver = search.source->driver();
        note = round.error;
    }
    for (const GpuReading& reading : round.readings)
        appendRecord(out, reading, 0);
    wire::Encoder record(out);
    record.begin(wire::kind::kDevice, wire::kNode, 0).field("id", "gpus");
    record.field("driver", driver.version).field("cuda", driver.cuda).field("note", note).end();
    writeAll(fd, out);
}

GpuReading readingOf(const wire::RecordView& record)
{
    GpuReading reading;
    reading.index = static_cast<int>(record.integer("index").value_or(0));
    reading.name = record.text("name");
    reading.memoryTotal = record.integer("mem_total");
    reading.memory = record.integer("unified") == 1 ? GpuMemory::Unified : GpuMemory::Own;
    reading.error = record.text("error");
    reading.mig = record.integer("mig") == 1;
    const std::string id = record.text("id");
    constexpr std::string_view kPrefix = "gpu:";
    if (id.starts_with(kPrefix) && id != kPrefix.data() + std::to_string(reading.index))
        reading.uuid = id.substr(kPrefix.size());
    std::vector<GpuProcessUse> uses;
    const std::string processes = record.text("processes");
    for (std::string_view rest = processes; !rest.empty();) {
        const std::size_t comma = std::min(rest.find(','), rest.size());
        const std::string_view one = rest.substr(0, comma);
        const auto bytes = leadingInteger(one.substr(std::min(one.find(':') + 1, one.size())));
        if (const auto pid = leadingInteger(one))
            uses.push_back({*pid, bytes.value_or(-1) < 0 ? std::nullopt : bytes});
        rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
    reading.processes = std::move(uses);
    return reading;
}

GpuFacts decoded(const std::string& text)
{
    GpuFacts facts;
    facts.note = "The process that asked for the GPUs ended without an answer.";
    wire::Decoder decoder;
    decoder.feed(text, [&facts](const wire::RecordView& record) {
        if (record.text("id") == "gpus") {
            facts.driver = {record.text("driver"), record.text("cuda")};
            facts.note = record.text("note");
        } else {
            facts.devices.push_back(readingOf(record));
        }
    });
    return facts;
}

std::string ownerOf(const std::string& folder)
{
    struct stat status = {};
    if (::stat(folder.c_str(), &status) != 0)
        return {};
    const passwd* entry = ::getpwuid(status.st_uid);
    return entry != nullptr ? entry->pw_name : std::to_string(status.st_uid);
}

// The kernel module says which device sits where: GPU-uuid -> 0000:53:00.0.
std::map<std::string, std::string> nvidiaBuses(const std::string& procRoot)
{
    std::map<std::string, std::string> buses;
    std::error_code failed; // no module: none
    const std::string folder = procRoot + "/driver/nvidia/gpus";
    for (auto entry = std::filesystem::directory_iterator(folder, failed);
         !failed && entry != std::filesystem::directory_iterator(); entry.increment(failed)) {
        const std::string file = readText(entry->path().string() + "/information");
        std::string_view rest = file;
        while (const auto line = nextLine(rest)) {
            if (line->starts_with("GPU UUID:"))
                buses[std::string(trimmed(line->substr(line->find(':') + 1)))] = entry->path().filename();
        }
    }
    return buses;
}

std::optional<std::int64_t> pciNumaNode(const std::string& sysRoot, const std::string& bus)
{
    if (bus.empty() || bus.find('/') != std::string::npos)
        return std::nullopt;
    const auto node = readNumber(sysRoot + "/bus/pci/devices/" + bus + "/numa_node");
    return node && *node >= 0 ? node : std::nullopt; // -1: the machine does not say
}

// PID:BYTES:USER:NAME, since when, and the run that it belongs to where it is one of ours.
void appendProcesses(wire::Encoder& record, const std::string& key, const GpuReading& device,
                     const std::string& procRoot)
{
    std::size_t told = 0;
    for (const GpuProcessUse& use : device.processes.value_or(std::vector<GpuProcessUse>{})) {
        if (told == kMaxProcesses)
            break;
        const std::string number = std::to_string(told++);
        const std::string folder = procRoot + '/' + std::to_string(use.pid);
        record.field(key + "process/" + number, std::to_string(use.pid) + ':' + std::to_string(use.bytes.value_or(-1)) +
                                                    ':' + ownerOf(folder) + ':' + readWord(folder + "/comm"));
        const auto pid = static_cast<pid_t>(use.pid);
        if (const auto started = startedWallUs(pid))
            record.field(key + "since/" + number, *started);
        if (const auto run = environmentOf(pid, wire::kRunVariable))
            record.field(key + "run/" + number, *run);
    }
}

} // namespace

GpuFacts gpuFactsInTime(const GpuRoots& roots)
{
    if (const auto text = answerInTime([&roots](int fd) { answer(fd, roots); }, kDeadline))
        return decoded(*text);
    GpuFacts failed;
    failed.note = "The GPU driver has not answered for " + std::to_string(kDeadline.count()) +
                  " s; look for `Xid` or `NVRM` in the kernel log.";
    return failed;
}

void appendGpus(wire::Encoder& record, const GpuFacts& facts, const GpuRoots& roots)
{
    if (!facts.driver.version.empty())
        record.field("driver", facts.driver.version);
    if (!facts.driver.cuda.empty())
        record.field("cuda", facts.driver.cuda);
    if (!facts.note.empty())
        record.field("gpu_note", facts.note);
    const std::map<std::string, std::string> buses = nvidiaBuses(roots.proc);
    for (std::size_t number = 0; number < facts.devices.size(); ++number) {
        const GpuReading& device = facts.devices[number];
        const std::string key = "gpu/" + std::to_string(number) + '/';
        record.field(key + "index", device.index).field(key + "uuid", device.uuid).field(key + "name", device.name);
        if (device.memoryTotal)
            record.field(key + "mem_total", *device.memoryTotal);
        if (device.memory == GpuMemory::Unified)
            record.field(key + "unified", 1);
        if (device.mig)
            record.field(key + "mig", 1);
        if (!device.error.empty())
            record.field(key + "error", device.error);
        const auto bus = buses.find(device.uuid);
        if (const auto node = pciNumaNode(roots.sys, bus == buses.end() ? device.uuid : bus->second))
            record.field(key + "numa", *node);
        appendProcesses(record, key, device, roots.proc);
    }
}

} // namespace lockstep::agent
