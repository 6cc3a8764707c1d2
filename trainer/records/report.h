// SPDX-License-Identifier: GPL-3.0-or-later
// What a rank says: facts and epoch values as records, and from rank 0 the same as lines for people on stdout.
#pragma once

#include "trainer/records/facts.h"
#include "trainer/records/metricwriter.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace lockstep::trainer {

struct TestResult { // means over all test samples, or over all tokens
    double loss = 0;
    double accuracy = 0;              // 0 to 1
    double top5 = 0;                  // 0 to 1: the right one is among the five best
    std::optional<double> perplexity; // of tokens: e^loss
};

struct EpochResult {
    double epoch = 0; // passes done
    std::int64_t step = 0;
    double trainLoss = 0;
    double samplesPerS = 0; // of all ranks, evaluation left out
    std::optional<TestResult> test;

    [[nodiscard]] std::optional<double> testLoss() const { return test ? std::optional(test->loss) : std::nullopt; }
};

struct WrittenCheckpoint {
    std::string path;
    std::int64_t step = 0;
    double seconds = 0; // that training stood still
    std::int64_t bytes = 0;
};

class Report {
public:
    Report(MetricWriter& writer, std::int64_t epochs) : m_writer(writer), m_epochs(epochs) {}

    void info(const Facts& facts);                 // an info record; none for no facts
    void line(const std::string& text);            // rank 0 only, on stdout
    void epoch(const EpochResult& result);         // rank 0 only
    void noGradient(const std::string& parameter); // rank 0 only, on stderr too
    void checkpoint(const WrittenCheckpoint& written);
    // Rank 0 only. On stderr too, but not again before one was written: a disk stays full for many steps.
    void noCheckpoint(std::int64_t step, const std::string& why);
    void warning(const std::string& text); // of this rank, on stderr too

private:
    MetricWriter& m_writer;
    std::int64_t m_epochs;
    bool m_noCheckpoint = false; // the last one failed, and that was said
};

} // namespace lockstep::trainer
