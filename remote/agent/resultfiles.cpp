// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/resultfiles.h"

#include "core/wire/glob.h"
#include "remote/agent/processtable.h"
#include "remote/agent/procfile.h"
#include "remote/agent/runfiles.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

namespace lockstep::agent {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 100'000; // of one look: a data set in the working folder must not stop the node
constexpr std::size_t kMostResults = 10'000;

// The folders before the first part that has a wildcard: where a look for an absolute pattern begins.
std::string topOf(const std::string& pattern)
{
    const std::size_t wild = pattern.find_first_of("*?[\\");
    const std::size_t slash = pattern.rfind('/', wild == std::string::npos ? std::string::npos : wild);
    return slash == 0 || slash == std::string::npos ? "/" : pattern.substr(0, slash);
}

// Files that a process of ours has open for writing.
std::set<std::string> writtenNow()
{
    constexpr std::int64_t kAccessMode = 3; // O_ACCMODE; the flags stand in octal
    std::set<std::string> files;
    for (const ProcessStat& process : ownProcesses()) {
        const std::string folder = "/proc/" + std::to_string(process.id.pid);
        std::error_code error;
        for (fs::directory_iterator it(folder + "/fd", error), end; !error && it != end; it.increment(error)) {
            std::error_code none;
            const fs::path target = fs::read_symlink(it->path(), none);
            if (none || !target.is_absolute() || target.string().starts_with("/dev/"))
                continue;
            const std::string info = readText(folder + "/fdinfo/" + it->path().filename().string(), 512);
            const std::size_t flags = info.find("flags:");
            if (flags == std::string::npos || (std::strtoll(info.c_str() + flags + 6, nullptr, 8) & kAccessMode) != 0)
                files.insert(target);
        }
    }
    return files;
}

} // namespace

ResultFiles::ResultFiles(Job job, std::string runFolder, std::vector<std::string> patterns)
    : m_job(std::move(job)), m_runFolder(std::move(runFolder))
{
    for (std::string& pattern : patterns) {
        if (pattern.ends_with('/'))
            pattern += "**"; // a folder means all in it
        (pattern.starts_with('/') ? m_absolute : m_inside).push_back(std::move(pattern));
    }
}

std::vector<ResultFile> ResultFiles::whole()
{
    const std::vector<ResultFile> files = changed();
    std::map<std::string, Stamp> seen;
    std::vector<ResultFile> still;
    for (const ResultFile& file : files) {
        const Stamp stamp{file.size, file.changedNs};
        const auto before = m_seen.find(file.file);
        if (before != m_seen.end() && before->second == stamp)
            still.push_back(file);
        seen.emplace(file.file, stamp);
    }
    m_seen = std::move(seen);
    if (!still.empty()) {
        const std::set<std::string> written = writtenNow();
        std::erase_if(still, [&](const ResultFile& file) { return written.contains(file.file); });
    }
    return still;
}

std::vector<ResultFile> ResultFiles::last()
{
    return changed();
}

std::vector<ResultFile> ResultFiles::changed() const
{
    std::vector<ResultFile> found;
    if (!m_inside.empty())
        look(workingFolder(m_job, m_runFolder), "", m_inside, found);
    for (const std::string& pattern : m_absolute) {
        const std::string top = topOf(pattern);
        look(top, top == "/" ? "/" : top + "/", {pattern}, found);
    }
    std::erase_if(found, [this](const ResultFile& file) {
        const auto taken = m_taken.find(file.file);
        return (taken != m_taken.end() && taken->second == Stamp{file.size, file.changedNs}) ||
               isAsSent(m_job, m_runFolder, file.file);
    });
    std::ranges::sort(found, {}, &ResultFile::file);
    const auto twice = std::ranges::unique(found, {}, &ResultFile::file);
    found.erase(twice.begin(), twice.end());
    return found;
}

void ResultFiles::look(const std::string& top, const std::string& shown, const std::vector<std::string>& patterns,
                       std::vector<ResultFile>& found) const
{
    // Our own files lie in the run's folder too when the ranks work there.
    const auto isOwn = [&](const std::string& inside) {
        return top == m_runFolder && inside.find('/') == std::string::npos &&
               (inside == "job" || inside == "lock" || inside == "control" || inside == "supervisor.log" ||
                inside == "stopped" || inside == "pipes" || inside.starts_with("spool.") ||
                inside.starts_with("rank-"));
    };
    std::size_t looked = 0;
    std::error_code error;
    for (fs::recursive_directory_iterator it(top, fs::directory_options::skip_permission_denied, error), end;
         !error && it != end && looked < kMostFiles && found.size() < kMostResults; it.increment(error)) {
        ++looked;
        struct stat status {};
        const std::string file = it->path();
        const std::string inside = file.substr(top == "/" ? 1 : top.size() + 1);
        const std::string path = shown + inside;
        if (::lstat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode) || isOwn(inside))
            continue;
        if (std::ranges::any_of(patterns, [&](const std::string& pattern) {
                return wire::patternFinds(pattern,
                                          path.starts_with('/') && pattern.starts_with('/') ? path.substr(1) : path);
            }))
            found.push_back({path, file, static_cast<std::uint64_t>(status.st_size),
                             std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec});
    }
}

} // namespace lockstep::agent
