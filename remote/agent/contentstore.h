// SPDX-License-Identifier: GPL-3.0-or-later
// Bundles on a node: contents by their hash under contents/, bundles as folders of hard links to them under bundles/.
// A content that is a program lies apart from the same bytes that are none, because hard links share their mode.
#pragma once

#include "remote/agent/fd.h"
#include "remote/agent/outcome.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::agent {

struct BundleFile {
    std::string path; // inside the bundle: relative, no `..`
    std::string hash; // XXH3-128, 32 hex digits
    std::uint64_t size = 0;
    bool program = false; // mode 755, else 644

    bool operator==(const BundleFile&) const = default;
};

[[nodiscard]] bool isHash(std::string_view text);       // 6 to 64 lower-case hex digits
[[nodiscard]] bool isBundlePath(std::string_view text); // can't leave the bundle

class ContentStore {
public:
    [[nodiscard]] static Outcome<ContentStore> open();

    [[nodiscard]] std::string bundlePath(const std::string& bundle) const;
    [[nodiscard]] bool hasBundle(const std::string& bundle, const std::vector<BundleFile>& files) const;
    [[nodiscard]] bool hasContent(const BundleFile& file) const; // in one of its two modes
    // Made aside, synced, renamed; what lies under that name and is not whole goes.
    [[nodiscard]] Outcome<void> link(const std::string& bundle, const std::vector<BundleFile>& files) const;
    [[nodiscard]] std::string contentPath(const BundleFile& file) const;
    // Held by whoever fills a bundle: a home may be shared by several nodes. Failure busy: another one does.
    [[nodiscard]] Outcome<Fd> lockBundle(const std::string& bundle) const;

private:
    explicit ContentStore(std::string folder) : m_folder(std::move(folder)) {}

    std::string m_folder;
};

// One content on its way in: zstd frame -> file, checked against size and hash.
class IncomingContent {
public:
    [[nodiscard]] static Outcome<IncomingContent> open(const ContentStore& store, const BundleFile& file);
    ~IncomingContent(); // what is not finished goes
    IncomingContent(IncomingContent&&) noexcept;
    IncomingContent& operator=(IncomingContent&&) noexcept = delete;

    [[nodiscard]] Outcome<void> add(std::string_view compressed);
    [[nodiscard]] Outcome<void> finish();

private:
    struct State;
    explicit IncomingContent(std::unique_ptr<State> state);

    std::unique_ptr<State> m_state;
};

} // namespace lockstep::agent
