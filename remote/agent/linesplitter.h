// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes of a rank's stdout or stderr -> lines for the spool. Memory is bounded: a line keeps its first kMaxTextBytes,
// the rest is counted. Of a line with carriage returns (a progress bar) only what follows the last one is kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace lockstep::agent {

inline constexpr std::size_t kMaxTextBytes = 16 * 1024;

class LineSplitter {
public:
    using Sink = std::function<void(std::string_view text, std::uint64_t cutBytes)>;

    void feed(std::string_view bytes, const Sink& sink);
    void finish(const Sink& sink); // the unfinished last line, if there is one

private:
    void add(std::string_view piece);
    void emitLine(const Sink& sink);

    std::string m_line;
    std::uint64_t m_cut = 0;
    bool m_returned = false; // a carriage return came last
};

} // namespace lockstep::agent
