// SPDX-License-Identifier: GPL-3.0-or-later
// The bytes of a spool from any offset, across plain and compressed segments, while it is being written and compressed.
#pragma once

#include "remote/agent/fd.h"
#include "remote/agent/outcome.h"
#include "remote/agent/segment.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace lockstep::agent {

class SpoolReader {
public:
    explicit SpoolReader(std::string runFolder);
    ~SpoolReader();
    SpoolReader(SpoolReader&&) noexcept;
    SpoolReader& operator=(SpoolReader&&) noexcept;

    [[nodiscard]] Outcome<void> seek(std::uint64_t offset); // code offset: beyond the end
    // Appends some bytes, about kReadBytes at most; 0: this is the end for now.
    [[nodiscard]] Outcome<std::size_t> read(std::string& out);
    [[nodiscard]] std::uint64_t size(); // of the whole spool, now

private:
    struct Decompression;

    [[nodiscard]] Outcome<void> openSegment(int index, std::uint64_t skip);
    [[nodiscard]] Outcome<std::size_t> readPlain(std::string& out);
    [[nodiscard]] Outcome<std::size_t> readCompressed(std::string& out);

    std::string m_runFolder;
    int m_index = -1; // of the open segment; -1: none yet
    Fd m_file;
    std::unique_ptr<Decompression> m_decompression; // of a compressed one
    std::vector<std::uint64_t> m_finished;          // sizes of segments that will not grow
};

} // namespace lockstep::agent
