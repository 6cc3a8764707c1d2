// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/madespool.h"

#include "core/wire/encoder.h"
#include "core/wire/kinds.h"

#include <cmath>
#include <limits>

namespace lockstep::made {

namespace {

namespace kind = wire::kind;

constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;
constexpr double kWarmUpS = 5; // before the first step
constexpr double kPauseS = 3;

std::int64_t micros(double seconds)
{
    return static_cast<std::int64_t>(std::llround(seconds * 1e6));
}

bool pausing(const Training& training, double seconds)
{
    if (training.pauseEvery <= 0 || seconds < training.pauseEvery)
        return false;
    return std::fmod(seconds, training.pauseEvery) < kPauseS;
}

} // namespace

Spool::Spool(const RunData& run, int nodeIndex)
    : m_run(run), m_nodeIndex(nodeIndex), m_random(1234u + static_cast<unsigned>(nodeIndex))
{
    wire::Encoder encoder(m_text);
    encoder.begin(kind::kHello, -1, 0)
        .field("version", 1)
        .field("node", run.plan().nodes.value(nodeIndex).name.toStdString())
        .field("attempt", 1)
        .field("wall_us", run.state().startedWallUs);
    encoder.end();
}

double Spool::noise(double size)
{
    return std::normal_distribution<double>(0, size)(m_random);
}

void Spool::train(const Training& training)
{
    for (const PlannedRank& rank : m_run.plan().ranks)
        if (rank.nodeIndex == m_nodeIndex)
            trainRank(training, rank.rank);
    sampleDevices(training);
}

void Spool::trainRank(const Training& training, int rank)
{
    wire::Encoder encoder(m_text);
    encoder.begin(kind::kPhase, rank, micros(0.1)).field("phase", "running").field("pid", 48208 + rank);
    encoder.end();
    encoder.begin(kind::kInfo, rank, micros(0.2))
        .field("total_steps", training.totalSteps)
        .field("steps_per_epoch", training.stepsPerEpoch)
        .field("batch", 256);
    encoder.end();
    const double bias = noise(training.noise * training.rankSpread);
    double wander = 0;
    for (int step = 1; step <= training.steps; ++step) {
        const double at = kWarmUpS + (training.seconds - kWarmUpS) * step / training.steps;
        if (at > training.until)
            break;
        wander = wander * 0.98 + noise(training.noise * 0.09);
        double loss = training.lossTo + (training.lossFrom - training.lossTo) * std::exp(-at / training.lossTau) +
                      bias + wander + noise(training.noise);
        if (rank == training.worstRank)
            loss += training.worstBy;
        if (rank == training.nanRank && step == training.nanStep)
            loss = std::numeric_limits<double>::quiet_NaN();
        std::array<double, 5> parts = training.parts;
        for (double& part : parts)
            part *= 1 + noise(0.02);
        if (pausing(training, at))
            parts[0] += 28;
        if (m_nodeIndex == training.starvedNode && at > training.seconds * 0.7)
            parts[0] += 0.2 * (training.parts[1] + training.parts[2]);
        const bool slowNow = training.slowRank >= 0 && at > training.slowFrom;
        if (slowNow && rank == training.slowRank) {
            parts[2] += training.slowMs;
            parts[3] = 1.6;
        }
        encoder.begin(kind::kMetric, rank, micros(at + 0.001 * rank))
            .field("step", step)
            .field("loss", loss)
            .field("lr", 0.8 * std::exp(-at / 4000))
            .field("samples_per_s", training.samplesPerS * (1 + noise(0.002)))
            .field("data_ms", parts[0])
            .field("forward_ms", parts[1])
            .field("backward_ms", parts[2])
            .field("wait_ms", parts[3])
            .field("optimizer_ms", parts[4]);
        encoder.end();
    }
    for (int second = 0; second <= static_cast<int>(std::min(training.until, training.seconds)); ++second) {
        const double grown =
            rank == training.leakRank ? 10 + 52.5 * second / training.seconds : 15 + 2 * std::sin(second / 400.0);
        encoder.begin(kind::kProc, rank, micros(second))
            .field("rss", grown * kGiB * (training.memoryGiB < 1 ? 0.03 : 1))
            .field("cpu", 100.0);
        encoder.end();
    }
}

void Spool::sampleDevices(const Training& training)
{
    wire::Encoder encoder(m_text);
    for (int second = 0; second <= static_cast<int>(std::min(training.until, training.seconds)); ++second) {
        const bool idle = second < static_cast<int>(kWarmUpS) || pausing(training, second);
        bool cpuOnly = false;
        for (const PlannedRank& rank : m_run.plan().ranks) {
            if (rank.nodeIndex != m_nodeIndex)
                continue;
            cpuOnly = cpuOnly || rank.device == QLatin1String("cpu");
            if (rank.device == QLatin1String("cpu"))
                continue;
            const bool slow = rank.rank == training.slowRank && second > training.slowFrom;
            const bool starved = m_nodeIndex == training.starvedNode && second > training.seconds * 0.7;
            const double util = idle ? 12
                                     : (slow      ? 99
                                        : starved ? 73
                                                  : 90 + rank.localRank % 4) +
                                           std::round(noise(0.8));
            encoder.begin(kind::kDevice, -1, micros(second + 0.3))
                .field("id", rank.device.toStdString())
                .field("index", rank.localRank)
                .field("name", "H100 80GB")
                .field("util", std::min(util, 100.0))
                .field("mem_used", (training.memoryGiB + 0.1 * rank.localRank) * kGiB)
                .field("mem_total", 80 * kGiB)
                .field("power_w", idle   ? 120
                                  : slow ? 688
                                         : 600 + 2 * rank.localRank)
                .field("temp_c", slow ? 84 : 58 + rank.localRank)
                .field("sm_mhz", slow ? 1755 : 1980);
            encoder.end();
        }
        if (cpuOnly) {
            encoder.begin(kind::kDevice, -1, micros(second + 0.3))
                .field("id", "cpu")
                .field("util", idle ? 8.0 : 93 + noise(2))
                .field("cores", 2)
                .field("mem_used", 2.9 * kGiB)
                .field("mem_total", 8 * kGiB);
            encoder.end();
        }
    }
}

void Spool::say(int rank, double seconds, const std::string& text)
{
    wire::Encoder encoder(m_text);
    encoder.begin(kind::kOut, rank, micros(seconds)).field("text", text);
    encoder.end();
}

void Spool::sayError(int rank, double seconds, const std::string& text)
{
    wire::Encoder encoder(m_text);
    encoder.begin(kind::kErr, rank, micros(seconds)).field("text", text);
    encoder.end();
}

void Spool::exit(int rank, double seconds, int code, int signal)
{
    wire::Encoder encoder(m_text);
    encoder.begin(kind::kPhase, rank, micros(seconds)).field("phase", "exited").field("pid", 48208 + rank);
    if (signal > 0)
        encoder.field("signal", signal);
    else
        encoder.field("code", code);
    encoder.end();
}

void Spool::stopping(double seconds)
{
    wire::Encoder encoder(m_text);
    encoder.begin(kind::kPhase, -1, micros(seconds))
        .field("phase", "stopping")
        .field("reason", "a rank on another node is gone");
    encoder.end();
}

void Spool::end(double seconds, int gone)
{
    wire::Encoder encoder(m_text);
    encoder.begin(kind::kPhase, -1, micros(seconds)).field("phase", "ended").field("gone", gone).field("left", 0);
    encoder.end();
}

LaunchPlan planOf(int nodes, int ranksEach, const QString& device)
{
    const bool cpu = device == QLatin1String("cpu");
    LaunchPlan plan;
    plan.worldSize = nodes * ranksEach;
    plan.backend = cpu ? Backend::Gloo : Backend::Nccl;
    plan.masterAddr = cpu ? QStringLiteral("127.0.0.1") : QStringLiteral("10.1.0.11");
    plan.masterPort = 29417;
    for (int n = 0; n < nodes; ++n) {
        PlannedNode node;
        node.name = cpu ? QStringLiteral("this") : QStringLiteral("gpu%1").arg(n + 1);
        node.local = cpu;
        node.firstRank = n * ranksEach;
        node.rankCount = ranksEach;
        node.devices = {cpu ? QStringLiteral("CPU") : QStringLiteral("0–%1").arg(ranksEach - 1),
                        cpu ? QStringLiteral("2 cores, 1 thread a rank")
                            : QStringLiteral("%1 × %2, all idle").arg(ranksEach).arg(device)};
        plan.nodes << node;
        for (int r = 0; r < ranksEach; ++r) {
            PlannedRank rank;
            rank.rank = n * ranksEach + r;
            rank.localRank = r;
            rank.nodeIndex = n;
            rank.device = cpu ? QStringLiteral("cpu") : QStringLiteral("gpu:GPU-%1-%2").arg(n).arg(r);
            rank.argv = {"@bundle@/lockstep-trainer", "--model", "cnn"};
            rank.env = {{"RANK", QByteArray::number(rank.rank)}};
            plan.ranks << rank;
        }
    }
    return plan;
}

} // namespace lockstep::made
