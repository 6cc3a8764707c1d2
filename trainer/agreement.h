// SPDX-License-Identifier: GPL-3.0-or-later
// What all ranks must do at the same step, though only some of them know of it: stop after a SIGTERM, write a
// checkpoint after a SIGUSR1 or when the minutes are over. About five times a second, at a step that all ranks compute
// alike from the last one's answer, each gives its wishes to one small all-reduce; between those a step costs nothing.
#pragma once

#include "trainer/parallel/processgroup.h"

#include <chrono>
#include <cstdint>

namespace lockstep::trainer {

struct Wishes {
    bool checkpoint = false;
    bool stop = false;
};

class Agreement {
public:
    static constexpr std::chrono::milliseconds kBetween{200};

    explicit Agreement(ProcessGroup& group);

    // After every step, on all ranks. The same answer on all of them: what any wished.
    [[nodiscard]] Wishes after(std::int64_t step, const Wishes& own);

private:
    ProcessGroup& m_group;
    std::int64_t m_lastStep = -1; // after which they asked; -1: not yet
    std::int64_t m_next = 0;      // after which they ask again
    std::chrono::steady_clock::time_point m_last;
};

} // namespace lockstep::trainer
