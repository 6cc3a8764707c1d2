// SPDX-License-Identifier: GPL-3.0-or-later
// Threads that fill batches ahead of the one that trains. Batches are begun in the order in which they were submitted
// and finished in that order too, whichever thread was first. Nobody waits for a thread that has not begun: the caller
// then does the oldest batch itself. Measured with batches of 64 from Fashion-MNIST in memory: a worker takes 58 µs a
// batch off the thread that trains and costs 7 µs of processor time, so one is the default even with a core a rank,
// which is idle while the ranks wait for each other.
#pragma once

#include "trainer/data/dataset.h"

#include <cstdint>
#include <memory>
#include <span>

namespace lockstep::trainer {

struct BatchJob {
    std::span<const std::int64_t> indices; // these and the memory stay valid until the job is finished or given up
    Draw draw;
    BatchMemory memory;
};

// All calls from one thread. The threads live as long as the object.
class BatchWorkers {
public:
    BatchWorkers(const Dataset& dataset, std::int64_t threads); // 0: finishOldest does all the work
    ~BatchWorkers();
    BatchWorkers(const BatchWorkers&) = delete;
    BatchWorkers& operator=(const BatchWorkers&) = delete;

    void submit(const BatchJob& job);
    void finishOldest(); // throws what Dataset::read threw for it
    void giveUp();       // forgets all jobs; returns when no thread works on one

private:
    struct State;
    std::unique_ptr<State> m_state;
};

[[nodiscard]] std::int64_t workersFor(std::int64_t asked, int ranksOnThisNode); // -1: min(8, cores / ranks)

} // namespace lockstep::trainer
