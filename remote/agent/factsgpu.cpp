// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/factsgpu.h"

#include "core/wire/decoder.h"
#include "core/wire/kinds.h"
#include "remote/agent/answer.h"
#include "remote/agent/clocks.h"
#include "remote/agent/fd.h"
#include "remote/agent/procfile.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace lockstep::agent {

namespace {

// A sick driver never answers; a healthy one that nobody keeps loaded takes seconds to wake eight GPUs.
constexpr std::int64_t kDeadlineUs = 6'000'000;
constexpr std::size_t kMaxAnswer = std::size_t{1024} * 1024;
constexpr std::size_t kMaxProcesses = 64; // told of one device

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

// false: the deadline passed
bool readToEnd(int fd, std::string& text)
{
    const std::int64_t deadlineUs = monotonicUs() + kDeadlineUs;
    std::array<char, 4096> buffer{};
    while (text.size() < kMaxAnswer) {
        const std::int64_t leftMs = (deadlineUs - monotonicUs()) / 1000;
        pollfd waiting{fd, POLLIN, 0};
        if (leftMs <= 0 || ::poll(&waiting, 1, static_cast<int>(leftMs)) == 0)
            return false;
        const ssize_t got = ::read(fd, buffer.data(), buffer.size());
        if (got == 0)
            return true;
        if (got > 0)
            text.append(buffer.data(), static_cast<std::size_t>(got));
        else if (errno != EINTR && errno != EAGAIN)
            return true;
    }
    return true;
}

std::string ownerOf(const std::string& folder)
{
    struct stat status = {};
    if (::stat(folder.c_str(), &status) != 0)
        return {};
    const passwd* entry = ::getpwuid(status.st_uid);
    return entry != nullptr ? entry->pw_name : std::to_string(status.st_uid);
}

} // namespace

GpuFacts gpuFactsInTime(const GpuRoots& roots)
{
    GpuFacts failed;
    int ends[2] = {-1, -1};
    if (::pipe2(ends, O_CLOEXEC) != 0) {
        failed.note = "GPUs were not asked for: no pipe.";
        return failed;
    }
    const Fd readEnd(ends[0]);
    Fd writeEnd(ends[1]);
    const pid_t pid = ::fork();
    if (pid == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
        ::dup2(null, STDOUT_FILENO); // a driver's library that prints must not spoil the answer
        ::dup2(null, STDERR_FILENO);
        answer(writeEnd.get(), roots);
        ::_exit(0);
    }
    writeEnd.reset();
    std::string text;
    const bool inTime = pid > 0 && readToEnd(readEnd.get(), text);
    if (pid > 0) {
        ::kill(pid, SIGKILL);
        // One that is stuck in the driver does not go; it is left to init, which outlives it.
        ::waitpid(pid, nullptr, inTime ? 0 : WNOHANG);
    }
    if (inTime)
        return decoded(text);
    failed.note = "The GPU driver has not answered for " + std::to_string(kDeadlineUs / 1'000'000) +
                  " s; look for `Xid` or `NVRM` in the kernel log.";
    return failed;
}

void appendGpus(wire::Encoder& record, const GpuFacts& facts, const std::string& procRoot)
{
    if (!facts.driver.version.empty())
        record.field("driver", facts.driver.version);
    if (!facts.driver.cuda.empty())
        record.field("cuda", facts.driver.cuda);
    if (!facts.note.empty())
        record.field("gpu_note", facts.note);
    for (std::size_t number = 0; number < facts.devices.size(); ++number) {
        const GpuReading& device = facts.devices[number];
        const std::string key = "gpu/" + std::to_string(number) + '/';
        record.field(key + "index", device.index).field(key + "uuid", device.uuid).field(key + "name", device.name);
        if (device.memoryTotal)
            record.field(key + "mem_total", *device.memoryTotal);
        if (device.memory == GpuMemory::Unified)
            record.field(key + "unified", 1);
        if (!device.error.empty())
            record.field(key + "error", device.error);
        std::size_t told = 0;
        for (const GpuProcessUse& use : device.processes.value_or(std::vector<GpuProcessUse>{})) {
            if (told == kMaxProcesses)
                break;
            const std::string folder = procRoot + '/' + std::to_string(use.pid);
            record.field(key + "process/" + std::to_string(told++),
                         std::to_string(use.pid) + ':' + std::to_string(use.bytes.value_or(-1)) + ':' +
                             ownerOf(folder) + ':' + readWord(folder + "/comm"));
        }
    }
}

} // namespace lockstep::agent
