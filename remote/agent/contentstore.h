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

struct BundleLink { // a symbolic link in the bundle's folder to a file that the node has
    std::string name;
    std::string target; // absolute

    bool operator==(const BundleLink&) const = default;
};

struct Kept {
    std::uint64_t bytes = 0;
    std::string prefix; // XXH3-128 of them: another desktop may have compressed the content otherwise
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
    [[nodiscard]] Outcome<void> link(const std::string& bundle, const std::vector<BundleFile>& files,
                                     const std::vector<BundleLink>& links) const;
    [[nodiscard]] std::string contentPath(const BundleFile& file) const;
    // Compressed bytes of a content that came before a cut, in `<hash>.part`; small contents are sent again.
    [[nodiscard]] std::string keptPath(const BundleFile& file) const;
    [[nodiscard]] Kept kept(const BundleFile& file) const;
    // The frame of a content as it was sent, kept for a relay.
    [[nodiscard]] std::string framePath(const std::string& hash) const;
    void dropFrames() const;
    // Bytes and inodes that these contents and the bundle's folders take. Failure disk, with both numbers.
    [[nodiscard]] Outcome<void> checkRoom(const std::vector<BundleFile>& needed,
                                          const std::vector<BundleFile>& all) const;
    // What a killed agent or a power cut has left half written, once it is old.
    void dropLeftovers() const;
    [[nodiscard]] const std::string& folder() const { return m_folder; }

private:
    explicit ContentStore(std::string folder) : m_folder(std::move(folder)) {}

    std::string m_folder;
};

enum class FrameAfter { Drop, Keep };

// One content on its way in: zstd frame -> file, checked against size and hash. The frame of a large one is kept beside
// it until it is whole, so that a cut costs no byte twice.
class IncomingContent {
public:
    struct Frame {
        std::uint64_t bytes = 0; // of the whole frame
        std::uint64_t from = 0;  // the first one that comes; those before it are kept here
        FrameAfter after = FrameAfter::Drop;
    };
    [[nodiscard]] static Outcome<IncomingContent> open(const ContentStore& store, const BundleFile& file,
                                                       const Frame& frame);
    ~IncomingContent(); // what is not finished goes, but for the kept part of a frame that was cut off
    IncomingContent(IncomingContent&&) noexcept;
    IncomingContent& operator=(IncomingContent&&) noexcept = delete;

    [[nodiscard]] Outcome<void> add(std::string_view compressed);
    [[nodiscard]] Outcome<void> finish();

private:
    struct State;
    explicit IncomingContent(std::unique_ptr<State> state);
    [[nodiscard]] Outcome<void> unfold(std::string_view compressed);
    [[nodiscard]] Outcome<void> replay(std::uint64_t bytes);

    std::unique_ptr<State> m_state;
};

} // namespace lockstep::agent
