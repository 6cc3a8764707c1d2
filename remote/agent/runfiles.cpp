// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/runfiles.h"

#include "remote/agent/answer.h"
#include "remote/agent/diskroom.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace lockstep::agent {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kSpareBytes = 64ULL << 20; // of the run's records: one segment

std::string copyPath(const std::string& runFolder)
{
    return runFolder + "/files";
}

Outcome<void> checkRoom(const std::string& from, const std::string& runFolder)
{
    std::uint64_t bytes = kSpareBytes;
    std::error_code error;
    for (fs::recursive_directory_iterator it(from, error), end; !error && it != end; it.increment(error)) {
        struct stat status {};
        if (::lstat(it->path().c_str(), &status) == 0 && S_ISREG(status.st_mode))
            bytes += static_cast<std::uint64_t>(status.st_size);
    }
    if (error)
        return failed("bad_job", "the files of the run can't be read in " + from + ": " + error.message());
    return needRoom(runFolder, bytes, " for the run's own files and its records");
}

// With the time of the sent file, by which isAsSent knows it again, and writable, as a file of the user's own is.
Outcome<void> copyOne(const fs::path& from, const fs::path& to)
{
    struct stat status {};
    std::error_code error;
    fs::copy_file(from, to, error);
    const int code = error.value();
    if (error || ::stat(from.c_str(), &status) != 0)
        return failed(code == ENOSPC || code == EDQUOT ? "disk" : "io",
                      "can't copy " + from.string() + " to " + to.string() + ": " + error.message());
    const timespec times[2] = {status.st_mtim, status.st_mtim};
    ::chmod(to.c_str(), (status.st_mode & S_IXUSR) != 0 ? 0700 : 0600);
    ::utimensat(AT_FDCWD, to.c_str(), times, 0);
    return {};
}

Outcome<void> copyTree(const fs::path& from, const fs::path& to)
{
    std::error_code error;
    fs::create_directories(to, error);
    for (fs::recursive_directory_iterator it(from, error), end; !error && it != end; it.increment(error)) {
        const fs::path target = to / it->path().lexically_relative(from);
        std::error_code none;
        if (it->is_directory(none)) {
            fs::create_directory(target, error);
        } else if (const auto copied = copyOne(it->path(), target); !copied) {
            return copied;
        }
    }
    if (error)
        return failed("io", "can't copy " + from.string() + " to " + to.string() + ": " + error.message());
    return {};
}

} // namespace

std::string workingFolder(const Job& job, const std::string& runFolder)
{
    if (!job.cwd.empty() && job.cwd[0] == '/')
        return job.cwd;
    const std::string top = job.files.empty() ? runFolder : copyPath(runFolder);
    return job.cwd.empty() ? top : top + "/" + job.cwd;
}

Outcome<void> copyFiles(const Job& job, const std::string& runFolder)
{
    if (job.files.empty())
        return {};
    const std::string copy = copyPath(runFolder), aside = copy + ".new";
    if (::access(copy.c_str(), F_OK) != 0) {
        if (const auto room = checkRoom(job.files, runFolder); !room)
            return room;
        std::error_code error;
        fs::remove_all(aside, error);
        if (const auto copied = copyTree(job.files, aside); !copied) {
            fs::remove_all(aside, error);
            return copied;
        }
        if (::rename(aside.c_str(), copy.c_str()) != 0)
            return failedSystemCall("put " + copy + " in place");
    }
    struct stat status {};
    const std::string folder = workingFolder(job, runFolder);
    if (::stat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode))
        return failed("bad_job", "the working directory " + job.cwd + " is no folder of what was sent");
    return {};
}

bool isAsSent(const Job& job, const std::string& runFolder, const std::string& path)
{
    const std::string top = copyPath(runFolder) + "/";
    struct stat sent {
    }, now{};
    return !job.files.empty() && path.starts_with(top) && ::lstat(path.c_str(), &now) == 0 &&
           ::stat((job.files + "/" + path.substr(top.size())).c_str(), &sent) == 0 && sent.st_size == now.st_size &&
           sent.st_mtim.tv_sec == now.st_mtim.tv_sec && sent.st_mtim.tv_nsec == now.st_mtim.tv_nsec;
}

} // namespace lockstep::agent
