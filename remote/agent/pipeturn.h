// SPDX-License-Identifier: GPL-3.0-or-later
// One pipe's share of a turn of the poll loop.
#pragma once

#include "remote/agent/fd.h"

#include <cerrno>
#include <cstddef>
#include <string_view>

namespace lockstep::agent {

enum class PipeState {
    Empty, // read until there was nothing more
    More,  // its share of this turn is used up
    Ended,
};

inline constexpr std::size_t kPipeReadBytes = 64 * 1024;
inline constexpr std::size_t kPipeTurnBytes = 256 * 1024; // then the other pipes have their turn

// Reads what is there and hands it to take(std::string_view).
template <typename Take>
PipeState readTurn(const Fd& pipe, Take take)
{
    char buffer[kPipeReadBytes];
    std::size_t total = 0;
    while (total < kPipeTurnBytes) {
        const ssize_t got = ::read(pipe.get(), buffer, sizeof buffer);
        if (got == 0)
            return PipeState::Ended;
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return errno == EAGAIN ? PipeState::Empty : PipeState::Ended;
        take(std::string_view(buffer, static_cast<std::size_t>(got)));
        total += static_cast<std::size_t>(got);
    }
    return PipeState::More;
}

} // namespace lockstep::agent
