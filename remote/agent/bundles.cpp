// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/bundles.h"

#include "core/wire/encoder.h"
#include "core/wire/runtag.h"
#include "remote/agent/answer.h"
#include "remote/agent/bundlelock.h"
#include "remote/agent/clocks.h"
#include "remote/agent/contentstore.h"
#include "remote/agent/folders.h"
#include "remote/agent/processtable.h"
#include "remote/agent/runslist.h"

#include <algorithm>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace lockstep::agent {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMicroseconds = 1'000'000;

std::vector<std::string> bundleNames(const ContentStore& store)
{
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator it(store.folder() + "/bundles", error), end; !error && it != end; it.increment(error))
        if (isHash(it->path().filename().string()))
            names.push_back(it->path().filename());
    std::ranges::sort(names);
    return names;
}

struct Size {
    std::uint64_t bytes = 0, files = 0;
};

Size sizeOf(const std::string& folder)
{
    Size size;
    std::error_code error;
    for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
        struct stat status {};
        if (::lstat(it->path().c_str(), &status) == 0 && S_ISREG(status.st_mode)) {
            size.bytes += static_cast<std::uint64_t>(status.st_size);
            ++size.files;
        }
    }
    return size;
}

// What was started from the bundle's folder and still runs: also without a supervisor, also by hand.
std::string userOf(const std::string& path)
{
    for (const ProcessStat& process : ownProcesses())
        if (process.isRunning() && programOf(process.id.pid).starts_with(path + "/"))
            return environmentOf(process.id.pid, wire::kRunVariable)
                .value_or("process " + std::to_string(process.id.pid));
    return {};
}

// A trainer whose libraries are links into this bundle, a torch that was sent; empty: none.
std::string dependentOf(const ContentStore& store, const std::string& hash)
{
    for (const std::string& other : bundleNames(store)) {
        std::error_code error;
        const fs::path target = fs::read_symlink(store.bundlePath(other) + "/libtorch_cuda.so", error);
        if (!error && target.string().starts_with(store.bundlePath(hash) + "/"))
            return other;
    }
    return {};
}

Outcome<void> checkUnused(const ContentStore& store, const std::string& hash)
{
    if (const std::string user = userOf(store.bundlePath(hash)); !user.empty())
        return failed("busy", user + " runs from the bundle " + hash);
    if (const std::string other = dependentOf(store, hash); !other.empty())
        return failed("busy", "the bundle " + other + " uses its libraries; remove that one first");
    return {};
}

std::string_view kindOf(const std::string& path)
{
    if (::access((path + "/torch/version.py").c_str(), F_OK) == 0)
        return "torch";
    return ::access((path + "/lockstep-trainer").c_str(), F_OK) == 0 ? "program" : "files";
}

// Locked before the look: a run that begins meanwhile waits, and finds none.
Outcome<void> moveAside(const ContentStore& store, const std::string& hash, const std::string& aside)
{
    const auto lock = RemovalLock::take(store.folder() + "/bundles", hash);
    if (const auto unused = checkUnused(store, hash); !unused)
        return unused; // with a better name for who it is than the lock has
    if (!lock)
        return std::unexpected(lock.error());
    if (::rename(store.bundlePath(hash).c_str(), aside.c_str()) != 0)
        return failedSystemCall("remove " + store.bundlePath(hash));
    return {};
}

// The name goes first: whoever looks sees a whole bundle or none.
Outcome<void> removeBundle(const ContentStore& store, const std::string& hash)
{
    const std::string path = store.bundlePath(hash);
    if (::access(path.c_str(), F_OK) != 0)
        return failed("not_found", "there is no bundle " + hash + " on " + hostName());
    const std::string aside = store.folder() + "/bundles/." + hash + ".gone." + std::to_string(::getpid());
    if (const auto moved = moveAside(store, hash, aside); !moved)
        return moved;
    std::error_code error;
    fs::remove_all(aside, error);
    if (error)
        return failed("io", "can't remove all of " + aside + ": " + error.message());
    return {};
}

// A content that no bundle links to has one name left, and one that was copied too: it is asked for again when needed.
std::uint64_t dropUnlinked(const ContentStore& store)
{
    std::uint64_t bytes = 0;
    if (FillLock::isAnyHeld(store.folder() + "/bundles"))
        return bytes; // they will be linked in a moment
    std::error_code error;
    for (fs::directory_iterator it(store.folder() + "/contents", error), end; !error && it != end;
         it.increment(error)) {
        struct stat status {};
        const std::string extension = it->path().extension();
        const bool isContent = extension.empty() || extension == ".x";
        if (isContent && ::lstat(it->path().c_str(), &status) == 0 && status.st_nlink == 1 &&
            ::unlink(it->path().c_str()) == 0)
            bytes += static_cast<std::uint64_t>(status.st_size);
    }
    return bytes;
}

} // namespace

int runBundles(int out)
{
    const auto store = ContentStore::open();
    if (!store)
        return answerFailure(out, store.error());
    std::string text;
    for (const std::string& hash : bundleNames(*store)) {
        const std::string path = store->bundlePath(hash);
        const Size size = sizeOf(path);
        struct stat status {};
        (void)::lstat(path.c_str(), &status);
        std::string user = userOf(path);
        if (user.empty() && !RemovalLock::take(store->folder() + "/bundles", hash))
            user = "a run on another node"; // of this shared home, or one that fills it
        wire::Encoder record(text);
        record.begin("bundle", wire::kNode, monotonicUs()).field("hash", hash).field("bytes", size.bytes);
        record.field("kind", kindOf(path)).field("files", size.files);
        record.field("made_us", std::int64_t{status.st_mtime} * kMicroseconds);
        record.field("in_use", user).end();
    }
    return writeAll(out, text) ? 0 : 1;
}

int runForget(const std::vector<std::string>& hashes, int out)
{
    const auto store = ContentStore::open();
    if (!store)
        return answerFailure(out, store.error());
    if (hashes.size() == 1 && hashes[0] == "frames") {
        store->dropFrames();
        return 0;
    }
    std::string text;
    for (const std::string& hash : hashes) {
        const Outcome<void> removed =
            isHash(hash) ? removeBundle(*store, hash) : failed("usage", "\"" + hash + "\" is no bundle's hash");
        wire::Encoder record(text);
        record.begin(removed ? "removed" : "kept", wire::kNode, monotonicUs()).field("hash", hash);
        if (!removed)
            record.field("code", removed.error().code).field("text", removed.error().text);
        record.end();
    }
    wire::Encoder(text).begin("freed", wire::kNode, monotonicUs()).field("bytes", dropUnlinked(*store)).end();
    return writeAll(out, text) ? 0 : 1;
}

} // namespace lockstep::agent
