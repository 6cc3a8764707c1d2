// SPDX-License-Identifier: GPL-3.0-or-later
// What a sender says of a bundle before it sends it (README.md, "Receiving a bundle").
#pragma once

#include "remote/agent/contentstore.h"

#include "core/wire/record.h"

namespace lockstep::agent {

struct BundleManifest {
    std::string bundle; // its hash
    std::string sender;
    FrameAfter frames = FrameAfter::Drop;
    std::string torch; // folder of a torch on this node whose libraries lie beside the bundle's files, as links
    std::string torchVersion;
    std::vector<BundleFile> files;
};

class ManifestReader {
public:
    enum class State { More, Complete };

    explicit ManifestReader(std::string bundle) { m_manifest.bundle = std::move(bundle); }
    // `line`: the record as it came, for messages.
    [[nodiscard]] Outcome<State> take(const wire::RecordView& record, const std::string& line);
    [[nodiscard]] const BundleManifest& manifest() const { return m_manifest; }

private:
    [[nodiscard]] Outcome<void> takeFile(const wire::RecordView& record, const std::string& line);

    BundleManifest m_manifest;
};

} // namespace lockstep::agent
