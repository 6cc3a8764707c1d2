// SPDX-License-Identifier: GPL-3.0-or-later
// Work that rank 0 does alone, with files that the others do not see, while all wait: what fails there ends the same
// way, with the same sentence, on every rank, and never in the middle of a collective.
#pragma once

#include "trainer/failure.h"
#include "trainer/parallel/processgroup.h"

#include <cstdint>
#include <functional>
#include <optional>

namespace lockstep::trainer {

class RankZero {
public:
    explicit RankZero(ProcessGroup& group) : m_group(group) {}

    // On rank 0, unless an earlier attempt has failed; on the others nothing. Nothing is thrown. No collectives inside.
    void attempt(const std::function<void()>& work);
    // All ranks, each with the same sum of bytes: the others' next collective must not outwait its time-out while rank
    // 0 writes so much.
    void keepPace(std::uint64_t bytes);
    void agree(); // all ranks: throws rank 0's Failure on each

private:
    ProcessGroup& m_group;
    std::optional<Failure> m_failure;
    std::uint64_t m_bytes = 0; // since all waited
};

} // namespace lockstep::trainer
