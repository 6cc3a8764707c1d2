// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/torchlinks.h"

#include "remote/agent/procfile.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <unistd.h>

namespace lockstep::agent {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kVersionFileBytes = 16 * 1024;
constexpr std::size_t kMostLinks = 1000;

// The text between the first two quotes; empty: `None`.
std::string quoted(std::string_view text)
{
    const std::size_t open = text.find_first_of("'\"");
    if (open == std::string_view::npos)
        return {};
    const std::size_t close = text.find(text[open], open + 1);
    return close == std::string_view::npos ? std::string() : std::string(text.substr(open + 1, close - open - 1));
}

// libcudart.so.13, libtorch_cuda.so: what a loader may ask for.
bool isLibrary(const fs::path& path)
{
    const std::string name = path.filename();
    return name.starts_with("lib") && (name.ends_with(".so") || name.find(".so.") != std::string::npos);
}

void addLibraries(const fs::path& folder, const std::set<std::string>& own, std::vector<BundleLink>& links)
{
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end && links.size() < kMostLinks;
         it.increment(error)) {
        std::error_code ignored;
        if (isLibrary(it->path()) && it->is_regular_file(ignored) && !own.contains(it->path().filename()))
            links.push_back({it->path().filename(), it->path()});
    }
}

} // namespace

TorchVersion readTorchVersion(const std::string& torch)
{
    const std::string file = readText(torch + "/version.py", kVersionFileBytes);
    TorchVersion version;
    std::string_view rest = file;
    while (const auto line = nextLine(rest)) {
        const std::size_t equals = line->find('=');
        if (equals == std::string_view::npos)
            continue;
        const std::string_view name = trimmed(line->substr(0, std::min(equals, line->find(':'))));
        if (name == "__version__")
            version.version = quoted(line->substr(equals));
        else if (name == "cuda")
            version.cuda = quoted(line->substr(equals));
    }
    return version;
}

Outcome<std::vector<BundleLink>> torchLinks(const BundleManifest& manifest)
{
    std::vector<BundleLink> links;
    if (manifest.torch.empty())
        return links;
    const TorchVersion there = readTorchVersion(manifest.torch);
    if (there.version.empty())
        return failed("not_found", "there is no torch in " + manifest.torch + " any more");
    if (there.version != manifest.torchVersion)
        return failed("not_found",
                      "the torch in " + manifest.torch + " is " + there.version + " now, not " + manifest.torchVersion);
    std::set<std::string> own;
    for (const BundleFile& file : manifest.files)
        own.insert(file.path);
    addLibraries(manifest.torch + "/lib", own, links);
    std::error_code error;
    const fs::path nvidia = fs::path(manifest.torch).parent_path() / "nvidia";
    for (fs::directory_iterator it(nvidia, error), end; !error && it != end; it.increment(error))
        addLibraries(it->path() / "lib", own, links);
    std::ranges::sort(links, {}, &BundleLink::name);
    const auto twice = std::ranges::unique(links, {}, &BundleLink::name);
    links.erase(twice.begin(), twice.end());
    return links;
}

bool hasLinks(const std::string& bundlePath, const std::vector<BundleLink>& links)
{
    return std::ranges::all_of(links, [&](const BundleLink& link) {
        std::error_code error;
        return fs::read_symlink(bundlePath + "/" + link.name, error) == link.target && !error;
    });
}

} // namespace lockstep::agent
