// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/findtorch.h"

#include "core/wire/encoder.h"
#include "remote/agent/answer.h"
#include "remote/agent/clocks.h"
#include "remote/agent/folders.h"
#include "remote/agent/modulefiles.h"
#include "remote/agent/torchlinks.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <unistd.h>

namespace lockstep::agent {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kSearchUs = 8'000'000;
constexpr std::size_t kMostEntries = 2'000; // of one folder
constexpr std::size_t kMostFound = 32;

std::string variable(const char* name)
{
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

std::vector<std::string> split(const std::string& list)
{
    std::vector<std::string> parts;
    for (std::size_t at = 0; at <= list.size();) {
        const std::size_t colon = std::min(list.find(':', at), list.size());
        if (colon > at && list[at] == '/')
            parts.push_back(list.substr(at, colon - at));
        at = colon + 1;
    }
    return parts;
}

// The sub-folders of a folder, sorted; links to folders too.
std::vector<std::string> foldersIn(const std::string& folder)
{
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end && names.size() < kMostEntries;
         it.increment(error)) {
        std::error_code ignored;
        if (it->is_directory(ignored))
            names.push_back(it->path());
    }
    std::ranges::sort(names);
    return names;
}

bool exists(const std::string& path)
{
    return ::access(path.c_str(), F_OK) == 0;
}

// lib/python3*/{site,dist}-packages of an environment
std::vector<std::string> sitesOf(const std::string& prefix)
{
    std::vector<std::string> sites;
    for (const char* lib : {"/lib", "/lib64"})
        for (const std::string& python : foldersIn(prefix + lib))
            if (fs::path(python).filename().string().starts_with("python3"))
                for (const char* packages : {"/site-packages", "/dist-packages"})
                    sites.push_back(python + packages);
    return sites;
}

class Search {
public:
    explicit Search(const TorchPlaces& places) : m_places(places), m_end(monotonicUs() + kSearchUs) {}

    std::vector<FoundTorch> all()
    {
        for (const std::string& folder : foldersIn(m_places.cache + "/torch"))
            site(folder);
        for (const std::string& prefix : split(m_places.environment))
            environment(prefix);
        for (const std::string& folder : split(m_places.pythonPath))
            site(folder);
        for (const std::string& folder : split(m_places.path))
            if (exists(folder + "/python3") || exists(folder + "/python"))
                environment(fs::path(folder).parent_path());
        homes();
        system();
        for (const std::string& prefix : modulePrefixes(m_places.modulePath, m_places.root, m_end)) {
            environment(prefix);
            site(prefix);
        }
        return std::move(m_found);
    }

private:
    [[nodiscard]] bool isOver() const { return monotonicUs() > m_end || m_found.size() >= kMostFound; }

    void homes()
    {
        const std::string& home = m_places.home;
        environment(home + "/.local");
        for (const std::string& folder : foldersIn(home)) {
            if (isOver())
                return;
            for (const char* inside : {"", "/.venv", "/venv", "/env"})
                if (exists(folder + inside + "/pyvenv.cfg") || exists(folder + inside + "/conda-meta"))
                    environment(folder + inside);
            conda(folder);
        }
        for (const char* many : {"/.virtualenvs", "/.venvs", "/.pyenv/versions", "/.conda/envs",
                                 "/.local/share/virtualenvs", "/.local/share/mamba/envs", "/.local/share/uv/tools"})
            for (const std::string& folder : foldersIn(home + many))
                environment(folder);
    }

    void system()
    {
        const std::string& root = m_places.root;
        environment(root + "/usr");
        environment(root + "/usr/local");
        for (const char* many : {"/opt", "/usr/local"})
            for (const std::string& folder : foldersIn(root + many)) {
                if (isOver())
                    return;
                if (exists(folder + "/pyvenv.cfg") || exists(folder + "/conda-meta"))
                    environment(folder);
                conda(folder);
            }
    }

    void conda(const std::string& folder)
    {
        if (exists(folder + "/condabin"))
            for (const std::string& inner : foldersIn(folder + "/envs"))
                environment(inner);
    }

    void environment(const std::string& prefix)
    {
        for (const std::string& folder : sitesOf(prefix))
            site(folder);
    }

    void site(const std::string& folder)
    {
        const std::string torch = folder + "/torch";
        if (isOver() || !exists(torch + "/version.py"))
            return;
        std::error_code error;
        const fs::path real = fs::canonical(torch, error);
        if (error || !m_seen.insert(real).second)
            return;
        const TorchVersion version = readTorchVersion(real);
        if (version.version.empty())
            return;
        FoundTorch found{real, version.version, version.cuda, {}, false};
        const fs::path beside = real.parent_path();
        found.hasCuda = exists(real / "lib/libtorch_cuda.so") &&
                        (exists(beside / "nvidia/nccl/lib/libnccl.so.2") || exists(real / "lib/libnccl.so.2"));
        found.nccl = ncclBeside(beside);
        m_found.push_back(std::move(found));
    }

    // nvidia_nccl_cu13-2.30.7.dist-info
    static std::string ncclBeside(const fs::path& folder)
    {
        for (const std::string& entry : foldersIn(folder)) {
            const std::string name = fs::path(entry).filename();
            const std::size_t dash = name.find('-'), end = name.rfind(".dist-info");
            if (name.starts_with("nvidia_nccl_") && dash != std::string::npos && end != std::string::npos && dash < end)
                return name.substr(dash + 1, end - dash - 1);
        }
        return {};
    }

    const TorchPlaces& m_places;
    std::int64_t m_end;
    std::set<std::string> m_seen;
    std::vector<FoundTorch> m_found;
};

} // namespace

TorchPlaces TorchPlaces::ofThisNode()
{
    return {homeFolder(),
            cacheFolder().value_or(""),
            variable("PATH"),
            variable("PYTHONPATH"),
            variable("VIRTUAL_ENV") + ':' + variable("CONDA_PREFIX"),
            variable("MODULEPATH"),
            ""};
}

std::vector<FoundTorch> findTorches(const TorchPlaces& places)
{
    return Search(places).all();
}

bool hasPip(const TorchPlaces& places)
{
    for (const std::string& folder : split(places.path)) {
        if (!exists(folder + "/python3"))
            continue;
        std::vector<std::string> sites = sitesOf(fs::path(folder).parent_path());
        std::error_code error; // a virtual environment may see the packages of the Python that made it
        const fs::path real = fs::canonical(folder + "/python3", error);
        if (!error)
            for (std::string& site : sitesOf(real.parent_path().parent_path()))
                sites.push_back(std::move(site));
        return std::ranges::any_of(sites, [](const std::string& site) { return exists(site + "/pip/__init__.py"); });
    }
    return false;
}

int runFindTorch(int out)
{
    std::string text;
    const TorchPlaces places = TorchPlaces::ofThisNode();
    wire::Encoder(text).begin("pip", wire::kNode, monotonicUs()).field("found", hasPip(places) ? 1 : 0).end();
    for (const FoundTorch& found : findTorches(places)) {
        wire::Encoder record(text);
        record.begin("torch", wire::kNode, monotonicUs()).field("path", found.path).field("version", found.version);
        record.field("cuda", found.cuda).field("nccl", found.nccl).field("has_cuda", found.hasCuda ? 1 : 0).end();
    }
    return writeAll(out, text) ? 0 : 1;
}

} // namespace lockstep::agent
