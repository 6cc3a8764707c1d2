// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/fetchtorch.h"

#include "core/wire/decoder.h"
#include "core/wire/encoder.h"
#include "remote/agent/answer.h"
#include "remote/agent/clocks.h"
#include "remote/agent/diskroom.h"
#include "remote/agent/fd.h"
#include "remote/agent/folders.h"
#include "remote/agent/input.h"
#include "remote/agent/piprun.h"
#include "remote/agent/torchlinks.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace lockstep::agent {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostPackages = 64;

bool isPlain(std::string_view text) // no option, no path, no blank
{
    constexpr std::string_view kBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+=";
    return !text.empty() && text.size() < 128 && text[0] != '-' && text[0] != '.' &&
           text.find_first_not_of(kBytes) == std::string_view::npos;
}

Outcome<WantedTorch> readWantedTorch(Input& input)
{
    WantedTorch wanted;
    const auto read = readAsked(input, "what to fetch", [&wanted](const wire::RecordView& record) {
        if (record.kind == "fetch") {
            wanted.version = record.text("version");
            wanted.bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(0, record.integer("bytes").value_or(0)));
            if (const std::string python = record.text("python"); !python.empty())
                wanted.python = python;
        }
        if (record.kind == "package" && wanted.packages.size() < kMostPackages)
            wanted.packages.push_back(record.text("spec"));
    });
    if (!read)
        return std::unexpected(read.error());
    const bool plain =
        isPlain(wanted.version) && isPlain(wanted.python) && std::ranges::all_of(wanted.packages, isPlain);
    if (!plain || wanted.packages.empty())
        return failed("protocol", "what to fetch can't be");
    return wanted;
}

Outcome<std::string> fetch(const WantedTorch& wanted, int in, int out)
{
    const auto cache = cacheFolder();
    if (!cache)
        return std::unexpected(cache.error());
    const std::string folder = *cache + "/torch", target = folder + "/" + wanted.version,
                      aside = folder + "/." + wanted.version;
    if (const auto made = ensurePrivateFolder(folder); !made)
        return std::unexpected(made.error());
    const Fd lock(::open((aside + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!lock.isOpen())
        return failedSystemCall("make " + aside + ".lock");
    if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return failed("busy", "torch is being fetched there already");
    if (readTorchVersion(target + "/torch").version == wanted.version)
        return target + "/torch"; // another node of this home was first
    std::error_code error;
    fs::remove_all(aside, error);
    // pip writes the wheels to a temporary folder first, then unpacks them.
    if (const auto room =
            needRoom(folder, wanted.bytes * 2,
                     " while torch is unpacked; make room, or set LOCKSTEP_CACHE_DIR there to another disk");
        !room)
        return std::unexpected(room.error());
    if (const auto made = ensurePrivateFolder(aside); !made)
        return std::unexpected(made.error());
    auto done = PipRun(wanted, aside, in, out).run();
    if (done && readTorchVersion(aside + "/site/torch").version != wanted.version)
        done = failed("protocol", "pip brought torch " + readTorchVersion(aside + "/site/torch").version + ", not " +
                                      wanted.version);
    if (done) {
        fs::remove_all(target, error);
        if (::rename((aside + "/site").c_str(), target.c_str()) != 0)
            done = failedSystemCall("put " + target + " in place");
    }
    fs::remove_all(aside, error);
    if (!done)
        return std::unexpected(done.error());
    return target + "/torch";
}

} // namespace

int runFetchTorch(int in, int out)
{
    Input input(in);
    const auto wanted = readWantedTorch(input);
    if (!wanted)
        return answerFailure(out, wanted.error());
    const auto path = fetch(*wanted, in, out);
    if (!path)
        return answerFailure(out, path.error());
    std::string record;
    wire::Encoder(record).begin("done", wire::kNode, monotonicUs()).field("path", *path).end();
    return writeAll(out, record) ? 0 : 1;
}

} // namespace lockstep::agent
