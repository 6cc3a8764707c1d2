// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/contentstore.h"

#include "remote/agent/answer.h"
#include "remote/agent/folders.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

namespace lockstep::agent {

namespace {

constexpr std::size_t kMaxPathBytes = 1024;

bool hasSize(const std::string& path, std::uint64_t size)
{
    struct stat status {};
    return ::lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
           static_cast<std::uint64_t>(status.st_size) == size;
}

BundleFile inOtherMode(BundleFile file)
{
    file.program = !file.program;
    return file;
}

Outcome<void> copyContent(const std::string& from, const std::string& to, bool program)
{
    const std::string aside = to + "." + std::to_string(::getpid());
    std::error_code error;
    std::filesystem::copy_file(from, aside, std::filesystem::copy_options::overwrite_existing, error);
    if (error || ::chmod(aside.c_str(), program ? 0755 : 0644) != 0 || ::rename(aside.c_str(), to.c_str()) != 0)
        return failed("io", "can't copy " + from + " to " + to);
    return {};
}

// The bytes reach the disk before the bundle's name does.
void syncFolder(const std::string& path)
{
    const Fd folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder.isOpen())
        ::fsync(folder.get());
}

} // namespace

bool isHash(std::string_view text)
{
    return text.size() >= 6 && text.size() <= 64 &&
           text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool isBundlePath(std::string_view text)
{
    if (text.empty() || text.size() > kMaxPathBytes || text.find('\0') != std::string_view::npos)
        return false;
    while (true) {
        const std::string_view part = text.substr(0, text.find('/'));
        if (part.empty() || part == "." || part == "..")
            return false;
        if (part.size() == text.size())
            return true;
        text.remove_prefix(part.size() + 1);
    }
}

Outcome<ContentStore> ContentStore::open()
{
    const auto cache = cacheFolder();
    if (!cache)
        return std::unexpected(cache.error());
    for (const char* name : {"/contents", "/bundles"}) {
        if (const auto made = ensurePrivateFolder(*cache + name); !made)
            return std::unexpected(made.error());
    }
    return ContentStore(*cache);
}

std::string ContentStore::bundlePath(const std::string& bundle) const
{
    return m_folder + "/bundles/" + bundle;
}

std::string ContentStore::contentPath(const BundleFile& file) const
{
    return m_folder + "/contents/" + file.hash + (file.program ? ".x" : "");
}

bool ContentStore::hasBundle(const std::string& bundle, const std::vector<BundleFile>& files) const
{
    return std::ranges::all_of(
        files, [&](const BundleFile& file) { return hasSize(bundlePath(bundle) + "/" + file.path, file.size); });
}

bool ContentStore::hasContent(const BundleFile& file) const
{
    return hasSize(contentPath(file), file.size) || hasSize(contentPath(inOtherMode(file)), file.size);
}

Outcome<void> ContentStore::link(const std::string& bundle, const std::vector<BundleFile>& files,
                                 const std::vector<BundleLink>& links) const
{
    namespace fs = std::filesystem;
    const std::string target = bundlePath(bundle);
    const std::string aside = m_folder + "/bundles/." + bundle + "." + std::to_string(::getpid());
    std::error_code error;
    fs::remove_all(aside, error);
    fs::create_directories(aside, error); // also for a bundle of links alone
    std::set<std::string> folders{aside};
    for (const BundleFile& file : files) {
        const std::string content = contentPath(file);
        if (!hasSize(content, file.size)) {
            if (const auto copied = copyContent(contentPath(inOtherMode(file)), content, file.program); !copied)
                return copied;
        }
        const fs::path path = fs::path(aside) / file.path;
        fs::create_directories(path.parent_path(), error);
        folders.insert(path.parent_path());
        if (::link(content.c_str(), path.c_str()) != 0) {
            // Too many links, or a file system without them.
            if (const auto copied = copyContent(content, path, file.program); !copied)
                return copied;
        }
    }
    for (const BundleLink& link : links)
        if (::symlink(link.target.c_str(), (aside + "/" + link.name).c_str()) != 0)
            return failedSystemCall("link " + link.target);
    std::ranges::for_each(folders, syncFolder);
    if (::rename(aside.c_str(), target.c_str()) != 0) {
        fs::remove_all(target, error); // not whole, else it would not have been filled
        if (::rename(aside.c_str(), target.c_str()) != 0)
            return failedSystemCall("put the bundle " + target + " in place");
    }
    syncFolder(m_folder + "/bundles");
    return {};
}

} // namespace lockstep::agent
