// SPDX-License-Identifier: GPL-3.0-or-later
// The `follow` verb: the spool's bytes from an offset, and on as they come. Beside them, on err: beats, and the time of
// day for every line that comes in.
#pragma once

#include <cstdint>
#include <string>

namespace lockstep::agent {

struct FollowFds {
    int in = 0;
    int out = 1;
    int err = 2;
};

struct FollowOrder {
    std::string run;
    std::uint64_t offset = 0;
    std::int64_t gatherUs = 0; // sent at its multiples by the clock; 0: at once
};

// Exit code 0 after the spool's last record, or when the reader is gone.
[[nodiscard]] int runFollow(const FollowOrder& order, const FollowFds& fds);

} // namespace lockstep::agent
