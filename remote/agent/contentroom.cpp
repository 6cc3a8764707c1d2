// SPDX-License-Identifier: GPL-3.0-or-later
// What a node's cache has room for, and what lies in it half written.
#include "remote/agent/contentstore.h"

#include "remote/agent/diskroom.h"
#include "remote/agent/filehash.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <set>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

namespace lockstep::agent {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kSpareBytes = 16ULL << 20; // records of a run, folders, what others write meanwhile
constexpr std::uint64_t kSpareInodes = 32;
constexpr time_t kHalfFileAgeS = 24L * 3600;  // of a content that is written by nobody any more
constexpr time_t kPartAgeS = 14L * 24 * 3600; // of the kept part of a frame: a desktop may come back after a holiday

} // namespace

std::string ContentStore::keptPath(const BundleFile& file) const
{
    return m_folder + "/contents/" + file.hash + ".part";
}

std::string ContentStore::framePath(const std::string& hash) const
{
    return m_folder + "/contents/" + hash + ".frame";
}

Kept ContentStore::kept(const BundleFile& file) const
{
    struct stat status {};
    const std::string path = keptPath(file);
    if (::lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0)
        return {};
    const auto hashed = hashFile(path, static_cast<std::uint64_t>(status.st_size));
    return hashed ? Kept{hashed->bytes, hashed->hash} : Kept{};
}

Outcome<void> ContentStore::checkRoom(const std::vector<BundleFile>& needed, const std::vector<BundleFile>& all) const
{
    std::uint64_t bytes = kSpareBytes, largest = 0;
    for (const BundleFile& file : needed) {
        bytes += file.size;
        largest = std::max(largest, file.size);
    }
    bytes += largest / 2; // its frame, kept until it is whole
    std::set<std::string> folders;
    for (const BundleFile& file : all)
        folders.insert(file.path.substr(0, file.path.rfind('/') == std::string::npos ? 0 : file.path.rfind('/')));
    const std::uint64_t inodes = needed.size() + folders.size() + kSpareInodes;
    const std::string advice = "; make room (`lockstep bundles remove` takes what no run uses), or set "
                               "LOCKSTEP_CACHE_DIR there to another disk";
    if (!needed.empty()) {
        if (const auto room = needRoom(m_folder, bytes, advice); !room)
            return room;
    }
    return needFiles(m_folder, inodes, advice);
}

void ContentStore::dropFrames() const
{
    std::error_code error;
    for (fs::directory_iterator it(m_folder + "/contents", error), end; !error && it != end; it.increment(error))
        if (it->path().extension() == ".frame")
            ::unlink(it->path().c_str());
}

void ContentStore::dropLeftovers() const
{
    const time_t now = ::time(nullptr);
    std::error_code error;
    for (fs::directory_iterator it(m_folder + "/contents", error), end; !error && it != end; it.increment(error)) {
        const std::string extension = it->path().extension();
        struct stat status {};
        if (extension.empty() || extension == ".x" || ::lstat(it->path().c_str(), &status) != 0)
            continue;
        if (now - status.st_mtime > (extension == ".part" ? kPartAgeS : kHalfFileAgeS))
            ::unlink(it->path().c_str());
    }
}

} // namespace lockstep::agent
