// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/folders.h"

#include "remote/agent/answer.h"
#include "remote/agent/fd.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lockstep::agent {

namespace {

constexpr mode_t kFolderMode = 0700;
constexpr std::size_t kMaxRunIdBytes = 128;

std::string environmentPath(const char* variable)
{
    const char* value = std::getenv(variable);
    if (value == nullptr || *value != '/') // a relative one would mean another folder in every working directory
        return {};
    std::string path = value;
    while (path.size() > 1 && path.back() == '/')
        path.pop_back();
    return path;
}

} // namespace

Outcome<void> ensurePrivateFolder(const std::string& path)
{
    if (::mkdir(path.c_str(), kFolderMode) != 0 && errno != EEXIST)
        return failedSystemCall("make the folder " + path);
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0)
        return failedSystemCall("look at the folder " + path);
    if (!S_ISDIR(status.st_mode))
        return failed("io", path + " is not a folder of ours (a link or a file); remove it");
    if (status.st_uid != ::geteuid())
        return failed("io", path + " belongs to user " + std::to_string(status.st_uid) + ", not to us");
    if ((status.st_mode & 07777) != kFolderMode && ::chmod(path.c_str(), kFolderMode) != 0)
        return failedSystemCall("close the folder " + path + " to others");
    return {};
}

Outcome<std::string> runsFolder()
{
    std::string path = environmentPath(kRunsVariable);
    if (path.empty()) {
        path = "/var/tmp/lockstep-" + std::to_string(::geteuid());
        if (const auto made = ensurePrivateFolder(path); !made)
            return std::unexpected(made.error());
        path += "/" + hostName();
    }
    if (const auto made = ensurePrivateFolder(path); !made)
        return std::unexpected(made.error());
    return path;
}

Outcome<std::string> cacheFolder()
{
    std::string path = environmentPath(kCacheVariable);
    if (path.empty()) {
        const std::string cache = homeFolder() + "/.cache";
        if (::mkdir(cache.c_str(), kFolderMode) != 0 && errno != EEXIST)
            return failedSystemCall("make the folder " + cache);
        path = cache + "/lockstep";
    }
    if (const auto made = ensurePrivateFolder(path); !made)
        return std::unexpected(made.error());
    return path;
}

std::string hostName()
{
    char name[256] = {};
    if (::gethostname(name, sizeof name - 1) != 0 || name[0] == '\0' || name[0] == '.')
        return "localhost";
    std::string host = name;
    for (char& c : host)
        c = c == '/' ? '_' : c;
    return host;
}

std::string homeFolder()
{
    std::string home = environmentPath("HOME");
    if (!home.empty())
        return home;
    const passwd* entry = ::getpwuid(::geteuid());
    return entry != nullptr && entry->pw_dir != nullptr ? entry->pw_dir : "/";
}

bool isRunId(std::string_view text)
{
    constexpr std::string_view kBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    return !text.empty() && text.size() <= kMaxRunIdBytes && text[0] != '.' &&
           text.find_first_not_of(kBytes) == std::string_view::npos;
}

Outcome<std::string> readFile(const std::string& path, std::size_t limit)
{
    const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (!file.isOpen())
        return failedSystemCall("open " + path);
    std::string bytes;
    char buffer[16 * 1024];
    while (bytes.size() < limit) {
        const ssize_t got = ::read(file.get(), buffer, sizeof buffer);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return failedSystemCall("read " + path);
        if (got == 0)
            break;
        bytes.append(buffer, static_cast<std::size_t>(got));
    }
    if (bytes.size() > limit)
        bytes.resize(limit);
    return bytes;
}

Outcome<void> replaceFile(const std::string& path, std::string_view bytes)
{
    const std::string aside = path + ".new";
    ::unlink(aside.c_str());
    const Fd file(::open(aside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file.isOpen())
        return failedSystemCall("make " + aside);
    if (!writeAll(file.get(), bytes) || ::fsync(file.get()) != 0)
        return failedSystemCall("write " + aside);
    if (::rename(aside.c_str(), path.c_str()) != 0)
        return failedSystemCall("put " + path + " in place");
    return {};
}

} // namespace lockstep::agent
