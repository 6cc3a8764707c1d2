// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/facts.h"

#include "core/wire/encoder.h"
#include "core/wire/kinds.h"
#include "remote/agent/answer.h"
#include "remote/agent/clock.h"
#include "remote/agent/clocks.h"
#include "remote/agent/factscores.h"
#include "remote/agent/factsgpu.h"
#include "remote/agent/factshome.h"
#include "remote/agent/factsib.h"
#include "remote/agent/factslogin.h"
#include "remote/agent/factsnames.h"
#include "remote/agent/factsnccl.h"
#include "remote/agent/factsnet.h"
#include "remote/agent/factsruns.h"
#include "remote/agent/folders.h"
#include "remote/agent/portrange.h"
#include "remote/agent/procfile.h"
#include "remote/agent/version.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <gnu/libc-version.h>
#include <pwd.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace lockstep::agent {

namespace {

constexpr std::size_t kCpuInfoBytes = 4096; // the first core's lines; all of them take a large machine 20 ms and more

void text(wire::Encoder& record, std::string_view key, std::string_view value)
{
    if (!value.empty())
        record.field(key, value);
}

// NAME="value" of os-release.
std::string osReleaseValue(const std::string& file, std::string_view name)
{
    std::string_view rest = file;
    while (const auto line = nextLine(rest)) {
        if (!line->starts_with(name) || line->substr(name.size(), 1) != "=")
            continue;
        std::string_view value = trimmed(line->substr(name.size() + 1));
        if (value.size() >= 2 && (value.front() == '"' || value.front() == '\'') && value.back() == value.front())
            value = value.substr(1, value.size() - 2);
        return std::string(value);
    }
    return {};
}

std::string cpuModel(const FactsRoots& roots)
{
    const std::string file = readText(roots.proc + "/cpuinfo", kCpuInfoBytes);
    std::string_view rest = file;
    while (const auto line = nextLine(rest)) {
        const std::size_t colon = line->find(':');
        const std::string_view key = trimmed(line->substr(0, colon));
        if (colon != std::string_view::npos && (key == "model name" || key == "cpu model" || key == "Model"))
            return std::string(trimmed(line->substr(colon + 1)));
    }
    std::string model = readWord(roots.proc + "/device-tree/model"); // Arm has no model name in cpuinfo
    while (!model.empty() && model.back() == '\0')
        model.pop_back();
    return model;
}

void appendCoresAndMemory(wire::Encoder& record, const FactsRoots& roots)
{
    const CgroupLimits limits = cgroupLimits(roots.proc, roots.sys);
    const int cores = usableCores();
    record.field("cores", cores);
    if (limits.cores && *limits.cores < cores)
        record.field("cpu_quota", *limits.cores);
    text(record, "cpu", cpuModel(roots));
    if (const auto memory = parseMemInfo(readText(roots.proc + "/meminfo"))) {
        record.field("mem_total", memory->total).field("mem_available", memory->available);
        if (limits.memory && *limits.memory < static_cast<double>(memory->total))
            record.field("mem_limit", static_cast<std::int64_t>(*limits.memory));
    }
}

// Room in the file system where `path` is, or would be.
void appendFree(wire::Encoder& record, std::string_view key, std::string path)
{
    struct statvfs fs = {};
    while (::statvfs(path.c_str(), &fs) != 0) {
        const std::size_t slash = path.rfind('/');
        if (errno != ENOENT || slash == std::string::npos || path == "/")
            return;
        path.resize(std::max<std::size_t>(slash, 1));
    }
    record.field(key, fs.f_bavail * fs.f_frsize);
}

void appendUser(wire::Encoder& record)
{
    const passwd* entry = ::getpwuid(::getuid());
    const char* shell = std::getenv("SHELL");
    record.field("user", entry != nullptr ? entry->pw_name : std::to_string(::getuid()).c_str());
    text(record, "home", homeFolder());
    text(record, "shell", entry != nullptr ? entry->pw_shell : shell != nullptr ? shell : "");
}

void appendFolders(wire::Encoder& record)
{
    const char* cacheSet = std::getenv(kCacheVariable);
    const char* runsSet = std::getenv(kRunsVariable);
    const std::string cache = cacheSet != nullptr ? cacheSet : homeFolder() + "/.cache/lockstep";
    const std::string runs =
        runsSet != nullptr ? runsSet : "/var/tmp/lockstep-" + std::to_string(::getuid()) + '/' + hostName();
    appendFree(record, "cache_free", cache);
    appendFree(record, "runs_free", runs);
    record.field("cache_folder", cache);
    record.field("runs_folder", runs);
}

void appendLimit(wire::Encoder& record, std::string_view key, int resource)
{
    rlimit limit{};
    if (::getrlimit(static_cast<__rlimit_resource>(resource), &limit) == 0)
        record.field(key, limit.rlim_cur == RLIM_INFINITY ? -1 : static_cast<std::int64_t>(limit.rlim_cur));
}

// The first of the usual places that holds the training images.
std::string fashionMnistFolder()
{
    const std::string home = homeFolder();
    const std::array places = {std::string("/usr/share/datasets/fashion-mnist"),
                               home + "/.cache/lockstep/data/fashion-mnist", home + "/data/fashion-mnist",
                               home + "/data/FashionMNIST/raw", home + "/fashion-mnist"};
    for (const std::string& place : places) {
        for (const char* name : {"/train-images-idx3-ubyte.gz", "/train-images-idx3-ubyte"}) {
            if (::access((place + name).c_str(), R_OK) == 0)
                return place;
        }
    }
    return {};
}

void appendSystem(wire::Encoder& record, const FactsRoots& roots)
{
    utsname system{};
    ::uname(&system);
    record.field("host", hostName());
    text(record, "os", osReleaseValue(readText(roots.etc + "/os-release"), "PRETTY_NAME"));
    record.field("kernel", system.release).field("arch", system.machine).field("glibc", ::gnu_get_libc_version());
}

} // namespace

void appendFacts(std::string& out, const FactsRoots& roots)
{
    constexpr std::int64_t kSecondUs = 1'000'000;
    const GpuFacts gpus = gpuFactsInTime({roots.proc, roots.sys}); // first, since it may take its whole deadline
    const std::int64_t nowUs = monotonicUs();
    wire::Encoder record(out);
    record.begin("facts", wire::kNode, nowUs).field("wall_us", wallUs());
    appendSystem(record, roots);
    appendUser(record);
    record.field("agent", kVersion);
    appendCoresAndMemory(record, roots);
    appendFolders(record);
    appendLimit(record, "limit_nofile", RLIMIT_NOFILE);
    appendLimit(record, "limit_memlock", RLIMIT_MEMLOCK);
    record.field("uptime_s", readClockUs(CLOCK_BOOTTIME) / kSecondUs);
    text(record, "boot_id", readWord(roots.proc + "/sys/kernel/random/boot_id"));
    text(record, "fashion_mnist", fashionMnistFolder());
    appendNames(record, roots.etc);
    appendLogin(record, roots);
    appendHome(record);
    appendPorts(record, roots.proc);
    appendCpus(record, roots.sys);
    appendNccl(record, roots);
    appendRuns(record);
    appendInterfaces(record, roots.sys);
    appendInfiniband(record, roots.sys);
    appendGpus(record, gpus, {roots.proc, roots.sys});
    record.end();
}

int runProbe(int outFd, int inFd)
{
    std::string out;
    appendFacts(out, FactsRoots{});
    return writeAll(outFd, out) ? answerClockQuestions(outFd, inFd) : 1;
}

} // namespace lockstep::agent
