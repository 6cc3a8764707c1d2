// SPDX-License-Identifier: GPL-3.0-or-later
// The spool of one node of a made-up run, written record by record as the agent writes it.
#pragma once

#include "core/rundata.h"

#include <array>
#include <random>
#include <string>

namespace lockstep::made {

struct Training {
    int steps = 100, totalSteps = 1000, stepsPerEpoch = 100;
    double seconds = 60;      // all steps together
    double samplesPerS = 100; // of a rank
    double lossFrom = 2.3, lossTo = 0.3, lossTau = 10, noise = 0.1;
    std::array<double, 5> parts = {1, 10, 20, 3, 2}; // ms: data, forward, backward, waiting, optimiser
    double memoryGiB = 1;
    double rankSpread = 0.35; // of the ranks' offsets, in noises
    double until = 1e9;       // seconds: records after it never came
    double pauseEvery = 0;    // seconds: an evaluation, the devices wait
    int worstRank = -1;
    double worstBy = 0;
    int slowRank = -1;
    double slowMs = 0, slowFrom = 0;
    int nanRank = -1, nanStep = -1;
    int starvedNode = -1; // waits for data in its later half
    int leakRank = -1;    // its host memory grows
};

class Spool {
public:
    Spool(const RunData& run, int nodeIndex);

    void train(const Training& training);
    void say(int rank, double seconds, const std::string& text);
    void sayError(int rank, double seconds, const std::string& text);
    void exit(int rank, double seconds, int code, int signal);
    void stopping(double seconds);
    void end(double seconds, int gone);
    [[nodiscard]] const std::string& text() const { return m_text; }

private:
    void trainRank(const Training& training, int rank);
    void sampleDevices(const Training& training);
    double noise(double size);

    const RunData& m_run;
    int m_nodeIndex;
    std::string m_text;
    std::mt19937 m_random;
};

// Nodes gpu1, gpu2, … with a device for each rank; device "cpu": one node "this".
[[nodiscard]] LaunchPlan planOf(int nodes, int ranksEach, const QString& device);

} // namespace lockstep::made
