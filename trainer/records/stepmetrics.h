// SPDX-License-Identifier: GPL-3.0-or-later
// Steps in, metric records out: one a step, or one for several when steps are faster than kMostPerSecond. The keys
// stand in core/wire/kinds.h; a record's losses and times are means over its steps.
#pragma once

#include "trainer/records/facts.h"
#include "trainer/records/memoryuse.h"
#include "trainer/records/metricwriter.h"

#include <cstdint>
#include <functional>
#include <optional>

namespace lockstep::trainer {

struct StepParts {       // milliseconds
    double data = 0;     // waiting for the loader
    double toDevice = 0; // host to device
    double forward = 0;
    double backward = 0; // own compute, until the last local gradient is ready
    double wait = 0;     // from there until all buckets are reduced: waiting for the others
    double optimizer = 0;
};

struct StepResult {
    std::int64_t step = 0; // steps done, from 1
    double epoch = 0;      // passes done, with the fraction
    double loss = 0;
    double lr = 0;
    std::int64_t samples = 0; // of this rank
    std::int64_t tokens = 0;
    std::optional<double> gradNorm{};  // where it was measured
    std::optional<double> lossScale{}; // with fp16
    std::int64_t skipped = 0;          // steps left out
    StepParts parts{};
    Facts more{}; // the strategy's
};

class StepMetrics {
public:
    static constexpr std::int64_t kMostPerSecond = 20;
    using Memory = std::function<MemoryUse()>;
    using Clock = std::function<std::int64_t()>; // microseconds; tests bring their own

    explicit StepMetrics(MetricWriter& writer, Memory memory = processMemory, Clock clock = monotonicUs);

    void begin(); // the time from here on belongs to the steps: at the start of an epoch, after an evaluation
    void add(const StepResult& step);
    void finish(); // what is left, at the end of an epoch and of the run

private:
    void emit(std::int64_t now);

    MetricWriter& m_writer;
    Memory m_memory;
    Clock m_clock;
    std::int64_t m_lastUs; // when the last record was written
    std::int64_t m_steps = 0;
    StepResult m_sum; // loss, samples, tokens, skipped and parts are sums, the rest is the newest that is known
    std::string m_record;
};

} // namespace lockstep::trainer
