// SPDX-License-Identifier: GPL-3.0-or-later
// The torch packages that a node has: in our cache, in virtual environments, conda's, the system's, and those that
// environment modules name. Files are read, nothing is run.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::agent {

struct FoundTorch {
    std::string path; // .../site-packages/torch
    std::string version;
    std::string cuda;
    std::string nccl;     // 2.30.7, of the package beside it; empty: not known
    bool hasCuda = false; // its CUDA libraries and NCCL are there
};

struct TorchPlaces { // where to look; a test has its own
    std::string home;
    std::string cache;
    std::string path;        // $PATH
    std::string pythonPath;  // $PYTHONPATH
    std::string environment; // $VIRTUAL_ENV and $CONDA_PREFIX, with :
    std::string modulePath;  // $MODULEPATH
    std::string root;        // before /usr and /opt

    [[nodiscard]] static TorchPlaces ofThisNode();
};

// In the order of the list above. Ends after some seconds: a home may be a slow disk.
[[nodiscard]] std::vector<FoundTorch> findTorches(const TorchPlaces& places);

// The first python3 of PATH, which `fetch-torch` runs, has pip.
[[nodiscard]] bool hasPip(const TorchPlaces& places);

[[nodiscard]] int runFindTorch(int out);

} // namespace lockstep::agent
