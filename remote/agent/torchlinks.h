// SPDX-License-Identifier: GPL-3.0-or-later
// A torch that a node has, as it lies in a Python's site-packages: torch/version.py, torch/lib, and nvidia/*/lib beside
// it. Its libraries are put beside a bundle's program as links, so that the program's $ORIGIN finds them all and no
// variable is needed.
#pragma once

#include "remote/agent/bundlemanifest.h"

#include <string>
#include <vector>

namespace lockstep::agent {

struct TorchVersion {
    std::string version; // 2.14.1+cu130
    std::string cuda;    // 13.0; empty: built without

    bool operator==(const TorchVersion&) const = default;
};
// Of the package folder .../torch, read, never run. Empty members: no torch.
[[nodiscard]] TorchVersion readTorchVersion(const std::string& torch);

// Of the libraries of manifest.torch, which must still be the version that the sender chose. None when it names none.
[[nodiscard]] Outcome<std::vector<BundleLink>> torchLinks(const BundleManifest& manifest);

[[nodiscard]] bool hasLinks(const std::string& bundlePath, const std::vector<BundleLink>& links);

} // namespace lockstep::agent
