// SPDX-License-Identifier: GPL-3.0-or-later
// Who is here? Every rank signs a board that all can read and write; rank 0 counts them and tells all the result, so
// that a missing rank is named by each of the others. The board may still hold an earlier run's notes (a file that was
// left over): every run has an id of its own, every process a sign of its own, and an answer that does not hold a
// rank's own sign is not meant for it.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace lockstep::trainer {

class Board { // a c10d::Store; tests bring their own
public:
    virtual ~Board() = default;
    virtual void write(const std::string& key, const std::string& value) = 0;
    [[nodiscard]] virtual std::optional<std::string> read(const std::string& key) = 0; // nullopt: not written yet
};

struct Caller {
    int rank = 0;
    int world = 1;
    std::string where;                                                             // as the messages name the board
    std::chrono::steady_clock::time_point came = std::chrono::steady_clock::now(); // from here on the deadline counts
};

// Returns the run's id, the same on all ranks, once all are here. Throws Failure(Rendezvous) that names who is here and
// who is not at the deadline, or which rank was given twice, and Failure(Mismatch) for unequal numbers of ranks.
[[nodiscard]] std::string callRoll(Board& board, const Caller& caller, std::chrono::milliseconds deadline);

} // namespace lockstep::trainer
