// SPDX-License-Identifier: GPL-3.0-or-later
// The files of a spool: spool.000000, spool.000001 ... ; a finished one becomes spool.NNNNNN.zst, one zstd frame that
// says its own uncompressed size. The last one is always plain.
#pragma once

#include "remote/agent/outcome.h"

#include <cstdint>
#include <optional>
#include <string>

namespace lockstep::agent {

[[nodiscard]] std::string segmentPath(const std::string& runFolder, int index);
[[nodiscard]] std::string compressedPath(const std::string& runFolder, int index);

struct SegmentState {
    std::uint64_t bytes = 0; // uncompressed
    bool compressed = false;

    bool operator==(const SegmentState&) const = default;
};
[[nodiscard]] std::optional<SegmentState> findSegment(const std::string& runFolder, int index); // nullopt: not there

// Slow: call it in a child. The plain file goes only when the compressed one is safe on disk.
[[nodiscard]] Outcome<void> compressSegment(const std::string& runFolder, int index);

} // namespace lockstep::agent
