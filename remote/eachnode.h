// SPDX-License-Identifier: GPL-3.0-or-later
// One step of a flow on all nodes at once, a thread a node: all succeed, or the first failure in time ends the others
// and is the answer. Where nodes don't depend on each other, T is a Result and each has its own.
#pragma once

#include "core/error.h"

#include <atomic>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

namespace lockstep {

// work(index, stop_token) -> Result<T>
template <typename T, typename F>
[[nodiscard]] Result<std::vector<T>> onEachNode(std::size_t count, std::stop_token stop, F work)
{
    std::vector<std::optional<Result<T>>> results(count);
    std::atomic<int> firstFailure{-1};
    std::stop_source step;
    {
        const std::stop_callback outer(stop, [&step] { step.request_stop(); });
        std::vector<std::jthread> threads;
        threads.reserve(count);
        for (std::size_t i = 0; i < count; ++i)
            threads.emplace_back([&, i] {
                results[i].emplace(work(i, step.get_token()));
                int none = -1;
                if (!results[i]->has_value() && firstFailure.compare_exchange_strong(none, static_cast<int>(i)))
                    step.request_stop();
            });
    }
    if (firstFailure >= 0)
        return std::unexpected(results[static_cast<std::size_t>(firstFailure)]->error());
    std::vector<T> values;
    values.reserve(count);
    for (auto& result : results)
        values.push_back(std::move(**result));
    return values;
}

} // namespace lockstep
