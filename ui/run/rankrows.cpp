// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/rankrows.h"

#include "ui/plots/devicelist.h"
#include "ui/plots/figures.h"
#include "ui/plots/stepparts.h"

#include <algorithm>
#include <cmath>

namespace lockstep::ui {

namespace {

constexpr std::size_t kRecent = 20;    // records a row's means are taken over
constexpr double kMuchDataWait = 0.15; // of the step
constexpr double kWorstLossSigmas = 4; // 64 even ranks stay below 3
constexpr int kFewestForWorst = 4;     // ranks
constexpr double kUsPerSecond = 1e6;

bool same(double a, double b)
{
    return a == b || (std::isnan(a) && std::isnan(b));
}

struct Shares {
    double wait = NAN, data = NAN; // of the step
};

Shares sharesOf(const RunData& run, int rank)
{
    double total = 0;
    Shares shares;
    for (const StepPartInfo& part : kStepParts) {
        const double mean = recentMean(run, rank, QLatin1String(part.metric), kRecent);
        if (!std::isfinite(mean))
            continue;
        total += mean;
        if (part.part == StepPart::Waiting)
            shares.wait = mean;
        if (part.part == StepPart::Data)
            shares.data = mean;
    }
    shares.wait = total > 0 ? shares.wait / total : NAN;
    shares.data = total > 0 ? shares.data / total : NAN;
    return shares;
}

double newest(const RunData& run, int rank, const char* metric)
{
    const Series* series = rankSeries(run, rank, QLatin1String(metric), XAxis::Step);
    return series && series->size() > 0 ? series->lastY() : NAN;
}

void describe(RankRow& row, RankTrouble trouble, Icon icon, Tone tone, const QString& words)
{
    row.trouble = trouble;
    row.icon = icon;
    row.tone = tone;
    row.words = words;
}

void describePhase(RankRow& row, const RankState& state, const RunData& run)
{
    const auto& cause = run.state().cause;
    const qint64 stopping = run.state().nodes.value(state.nodeIndex).stoppingWallUs;
    const bool stopped = stopping > 0 && state.endedWallUs >= stopping;
    switch (state.phase) {
    case RankPhase::Waiting:
        return describe(row, RankTrouble::None, Icon::Wait, Tone::Idle, words(state.phase));
    case RankPhase::Starting:
        return describe(row, RankTrouble::None, Icon::Connect, Tone::Running, words(state.phase));
    case RankPhase::Training:
        return describe(row, RankTrouble::None, Icon::Run, Tone::Running, words(state.phase));
    case RankPhase::Finished:
        return describe(row, RankTrouble::Ended, Icon::Ok, Tone::Ok, words(state.phase));
    case RankPhase::Failed:
        return describe(row, cause && cause->rank == row.rank ? RankTrouble::Cause : RankTrouble::Failed, Icon::Bad,
                        Tone::Bad, state.reason.isEmpty() ? words(state.phase) : state.reason);
    case RankPhase::Victim:
        return describe(row, RankTrouble::Victim, Icon::Stopped, Tone::Idle,
                        QStringLiteral("victim") + (stopped                  ? QStringLiteral(": stopped by Lockstep")
                                                    : state.reason.isEmpty() ? QString()
                                                                             : QStringLiteral(": ") + state.reason));
    case RankPhase::Stopped:
        return describe(row, RankTrouble::Ended, Icon::Stopped, Tone::Idle, words(state.phase));
    case RankPhase::Lost:
        return describe(row, RankTrouble::NoNews, Icon::Lost, Tone::Warn, words(state.phase));
    }
}

// The step of the newest value that is no number; -1: none.
qint64 nonFiniteStep(const Series& series)
{
    for (std::size_t i = series.size(); series.nonFinite() > 0 && i > 0; --i)
        if (!std::isfinite(series.ys()[i - 1]))
            return std::llround(series.xs()[i - 1]);
    return -1;
}

void findTrouble(RankRow& row, const RunData& run, const Shares& shares, double excessMs, qint64 nowWallUs)
{
    const Series* loss = rankSeries(run, row.rank, QStringLiteral("loss"), XAxis::Step);
    if (loss && loss->nonFinite() > 0)
        return describe(row, RankTrouble::NonFinite, Icon::Bad, Tone::Bad,
                        figures::grouped(static_cast<qint64>(loss->nonFinite())) + QStringLiteral(" NaN, step ") +
                            figures::grouped(nonFiniteStep(*loss)));
    if (row.stale) {
        const qint64 heard = run.state().nodes[row.nodeIndex].lastHeardWallUs;
        const double silent = static_cast<double>(nowWallUs - heard) / kUsPerSecond;
        return describe(row, RankTrouble::NoNews, Icon::Lost, Tone::Warn,
                        QStringLiteral("no news") +
                            (heard > 0 ? QStringLiteral(" ") + figures::shortClock(silent) : QString()));
    }
    // Its data is late: that is why it is slow, and where to look.
    if (shares.data > kMuchDataWait)
        return describe(row, RankTrouble::WaitsForData, Icon::Warn, Tone::Warn,
                        QStringLiteral("waits for data ") + figures::percent(shares.data));
    row.excessMs = excessMs;
    if (row.excessMs > 0)
        describe(row, RankTrouble::Slow, Icon::Warn, Tone::Warn,
                 QStringLiteral("slow, +") + figures::decimal(row.excessMs, row.excessMs < 10 ? 1 : 0) +
                     QStringLiteral(" ms"));
}

// Only a rank far outside what chance makes of even ones.
void findWorstLoss(QList<RankRow>& rows, const RunData& run)
{
    std::vector<std::pair<double, RankRow*>> means;
    for (RankRow& row : rows)
        if (const double mean = recentMean(run, row.rank, QStringLiteral("loss"), kRecent); std::isfinite(mean))
            means.emplace_back(mean, &row);
    if (means.size() < kFewestForWorst)
        return;
    const auto worst =
        std::max_element(means.begin(), means.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    double sum = 0, squares = 0;
    for (const auto& [mean, row] : means) {
        if (row == worst->second)
            continue;
        sum += mean;
        squares += mean * mean;
    }
    const double count = static_cast<double>(means.size()) - 1;
    const double average = sum / count;
    const double spread = std::sqrt(std::max(0.0, squares / count - average * average));
    RankRow& row = *worst->second;
    if (worst->first - average > kWorstLossSigmas * spread &&
        (row.trouble == RankTrouble::None || row.trouble == RankTrouble::WaitsForData))
        describe(row, RankTrouble::WorstLoss, Icon::Warn, Tone::Warn,
                 QStringLiteral("worst loss, +") + figures::value(worst->first - average));
}

} // namespace

bool RankRow::operator==(const RankRow& other) const
{
    return rank == other.rank && nodeIndex == other.nodeIndex && device == other.device && trouble == other.trouble &&
           icon == other.icon && tone == other.tone && words == other.words && endedWallUs == other.endedWallUs &&
           step == other.step && same(loss, other.loss) && same(samplesPerS, other.samplesPerS) &&
           same(wait, other.wait) && same(util, other.util) && same(memory, other.memory) && stale == other.stale;
}

QList<RankRow> rankRows(const RunData& run, qint64 nowWallUs)
{
    const std::vector<ListedDevice> devices = devicesOf(run);
    const std::vector<double> slow = slowness(run);
    QList<RankRow> rows;
    for (const RankState& state : run.state().ranks) {
        RankRow row{.rank = state.rank, .nodeIndex = state.nodeIndex, .device = {}, .words = {}};
        row.endedWallUs = state.endedWallUs;
        row.step = state.step;
        row.loss = newest(run, row.rank, "loss");
        row.samplesPerS = newest(run, row.rank, "samples_per_s");
        row.memory = newest(run, row.rank, "proc/rss");
        row.util = NAN;
        const auto device = std::find_if(devices.begin(), devices.end(), [&](const ListedDevice& listed) {
            return listed.nodeIndex == state.nodeIndex && listed.id == state.device;
        });
        if (device != devices.end()) {
            row.device = device->label;
            row.util = device->util && device->util->size() > 0 ? device->util->lastY() : NAN;
            if (!device->isCpu())
                row.memory = deviceValue(run, *device, QStringLiteral("mem_used"));
        }
        const Shares shares = sharesOf(run, row.rank);
        row.wait = shares.wait;
        row.stale = isAway(run, row.nodeIndex) && !isOver(state.phase);
        if (row.stale)
            row.util = NAN;
        describePhase(row, state, run);
        if (state.phase == RankPhase::Training && static_cast<std::size_t>(state.rank) < slow.size())
            findTrouble(row, run, shares, slow.at(static_cast<std::size_t>(state.rank)), nowWallUs);
        rows << row;
    }
    findWorstLoss(rows, run);
    std::stable_sort(rows.begin(), rows.end(), [](const RankRow& a, const RankRow& b) {
        if (a.trouble != b.trouble)
            return a.trouble < b.trouble;
        return a.trouble == RankTrouble::Victim ? a.endedWallUs < b.endedWallUs : a.rank < b.rank;
    });
    return rows;
}

} // namespace lockstep::ui
