// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/bundlelock.h"

#include "remote/agent/answer.h"
#include "remote/agent/clocks.h"
#include "remote/agent/contentstore.h"
#include "remote/agent/folders.h"
#include "remote/agent/processtable.h"
#include "remote/agent/procfile.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <set>
#include <sys/file.h>
#include <unistd.h>

namespace lockstep::agent {

namespace {

constexpr std::size_t kMaxOwnerBytes = 1024;
constexpr std::int64_t kRemovalDeadlineUs = 3'000'000; // it looks through /proc and renames a folder
constexpr useconds_t kLookAgainUs = 10'000;

std::string fillPath(const std::string& folder, const std::string& bundle)
{
    return folder + "/." + bundle + ".lock";
}

std::string usePath(const std::string& folder, const std::string& bundle)
{
    return folder + "/." + bundle + ".used";
}

Fd openLock(const std::string& path, int access = O_RDWR)
{
    return Fd(::open(path.c_str(), access | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
}

// A file system without locks (ENOLCK) must not keep anybody from working: both fill, the rename decides.
bool isHeldByAnother(const Fd& file)
{
    return ::flock(file.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

bool recordLock(const Fd& file, short type)
{
    struct flock lock {};
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    return ::fcntl(file.get(), F_SETLK, &lock) == 0 || (errno != EAGAIN && errno != EACCES);
}

// "HOST PID START SENDER"
std::string ownWords(const std::string& sender)
{
    const auto self = readProcess(::getpid());
    return hostName() + ' ' + std::to_string(::getpid()) + ' ' + std::to_string(self ? self->id.startTicks : 0) + ' ' +
           sender + '\n';
}

void endCutOffAgent(const std::string& path, const std::string& sender)
{
    const std::string words = readText(path, kMaxOwnerBytes);
    std::string_view rest = words;
    const std::string host(nextWord(rest));
    const auto pid = leadingInteger(nextWord(rest));
    const auto start = leadingInteger(nextWord(rest));
    if (sender.empty() || host != hostName() || !pid || !start || trimmed(rest) != sender || *pid == ::getpid())
        return;
    sendSignal({static_cast<pid_t>(*pid), static_cast<std::uint64_t>(*start)}, SIGTERM);
}

// ~/.cache/lockstep/bundles/HASH/lockstep-trainer -> HASH; empty: not of ours
std::string bundleIn(const std::string& folder, const std::string& path)
{
    if (!path.starts_with(folder + "/"))
        return {};
    const std::string rest = path.substr(folder.size() + 1);
    const std::string name = rest.substr(0, rest.find('/'));
    return isHash(name) ? name : std::string();
}

} // namespace

Outcome<FillLock> FillLock::take(const std::string& bundlesFolder, const std::string& bundle, const std::string& sender)
{
    const std::string path = fillPath(bundlesFolder, bundle);
    Fd file = openLock(path);
    if (!file.isOpen())
        return failedSystemCall("open " + path);
    if (isHeldByAnother(file)) {
        endCutOffAgent(path, sender);
        return failed("busy", "another agent fills this bundle");
    }
    const std::string words = ownWords(sender);
    if (::ftruncate(file.get(), 0) != 0 || !writeAll(file.get(), words))
        return failedSystemCall("write " + path);
    return FillLock(std::move(file));
}

bool FillLock::isAnyHeld(const std::string& bundlesFolder)
{
    std::error_code error;
    for (std::filesystem::directory_iterator it(bundlesFolder, error), end; !error && it != end; it.increment(error)) {
        if (it->path().extension() != ".lock")
            continue;
        const Fd file(::open(it->path().c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
        if (file.isOpen() && isHeldByAnother(file))
            return true;
    }
    return false;
}

Outcome<UseLocks> UseLocks::take(const Job& job)
{
    UseLocks locks;
    const auto cache = cacheFolder();
    if (!cache)
        return locks; // then no bundle of ours is there to be removed
    const std::string folder = *cache + "/bundles";
    std::set<std::string> bundles;
    for (const RankJob& rank : job.ranks)
        bundles.insert(bundleIn(folder, rank.argv.front()));
    bundles.insert(bundleIn(folder, job.files + "/"));
    bundles.erase(std::string());
    for (const std::string& bundle : bundles) {
        // Not for writing: for days that would keep an administrator from making /home read-only.
        Fd file = openLock(usePath(folder, bundle), O_RDONLY);
        if (!file.isOpen())
            continue; // such a home: then nothing can be removed either
        const std::int64_t deadline = monotonicUs() + kRemovalDeadlineUs;
        while (!recordLock(file, F_RDLCK)) {
            if (monotonicUs() > deadline)
                return failed("busy", "the bundle " + bundle + " is being removed on " + hostName() + "; launch again");
            ::usleep(kLookAgainUs);
        }
        locks.m_files.push_back(std::move(file));
    }
    return locks;
}

Outcome<RemovalLock> RemovalLock::take(const std::string& bundlesFolder, const std::string& bundle)
{
    RemovalLock lock;
    lock.m_fill = openLock(fillPath(bundlesFolder, bundle));
    lock.m_use = openLock(usePath(bundlesFolder, bundle));
    if (!lock.m_fill.isOpen() || !lock.m_use.isOpen())
        return failedSystemCall("lock the bundle " + bundle);
    if (isHeldByAnother(lock.m_fill))
        return failed("busy", "the bundle " + bundle + " is being filled");
    if (!recordLock(lock.m_use, F_WRLCK))
        return failed("busy", "a run uses the bundle " + bundle);
    return lock;
}

} // namespace lockstep::agent
