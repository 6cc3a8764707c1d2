// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/data/batchworkers.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace lockstep::trainer {

namespace {

constexpr std::int64_t kMostWorkers = 8;

struct Entry {
    BatchJob job;
    bool done = false;
    std::exception_ptr error = nullptr;
};

} // namespace

struct BatchWorkers::State {
    const Dataset& dataset;
    std::mutex mutex; // for all below
    std::condition_variable submitted;
    std::condition_variable finished;
    std::deque<Entry> entries; // the oldest first; references stay good while others come and go at the ends
    std::size_t begun = 0;     // so many of the first are done or worked on
    bool stop = false;
    std::vector<std::jthread> threads;

    explicit State(const Dataset& data) : dataset(data) {}

    void read(const BatchJob& job) const { dataset.read(job.indices, job.draw, job.memory); }

    void work()
    {
        std::unique_lock lock(mutex);
        while (true) {
            submitted.wait(lock, [this] { return stop || begun < entries.size(); });
            if (stop)
                return;
            Entry& entry = entries[begun++];
            lock.unlock();
            std::exception_ptr error;
            try {
                read(entry.job);
            } catch (...) {
                error = std::current_exception();
            }
            lock.lock();
            entry.error = std::move(error);
            entry.done = true;
            finished.notify_one();
        }
    }
};

BatchWorkers::BatchWorkers(const Dataset& dataset, std::int64_t threads) : m_state(std::make_unique<State>(dataset))
{
    for (std::int64_t i = 0; i < threads; ++i)
        m_state->threads.emplace_back([state = m_state.get()] { state->work(); });
}

BatchWorkers::~BatchWorkers()
{
    giveUp();
    {
        const std::lock_guard lock(m_state->mutex);
        m_state->stop = true;
    }
    m_state->submitted.notify_all();
    m_state->threads.clear(); // joins
}

void BatchWorkers::submit(const BatchJob& job)
{
    {
        const std::lock_guard lock(m_state->mutex);
        m_state->entries.push_back({job});
    }
    m_state->submitted.notify_one();
}

void BatchWorkers::finishOldest()
{
    std::unique_lock lock(m_state->mutex);
    if (m_state->begun == 0) {
        const BatchJob job = m_state->entries.front().job;
        m_state->entries.pop_front();
        lock.unlock();
        m_state->read(job);
        return;
    }
    const Entry& oldest = m_state->entries.front();
    m_state->finished.wait(lock, [&oldest] { return oldest.done; });
    const std::exception_ptr error = oldest.error;
    m_state->entries.pop_front();
    --m_state->begun;
    if (error)
        std::rethrow_exception(error);
}

void BatchWorkers::giveUp()
{
    std::unique_lock lock(m_state->mutex);
    m_state->entries.resize(m_state->begun);
    m_state->finished.wait(lock, [this] { return std::ranges::all_of(m_state->entries, &Entry::done); });
    m_state->entries.clear();
    m_state->begun = 0;
}

std::int64_t workersFor(std::int64_t asked, int ranksOnThisNode)
{
    if (asked >= 0)
        return asked;
    const auto cores = static_cast<std::int64_t>(std::thread::hardware_concurrency());
    return std::clamp<std::int64_t>(cores / ranksOnThisNode, 1, kMostWorkers);
}

} // namespace lockstep::trainer
