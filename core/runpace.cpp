// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runpace.h"

#include <cmath>
#include <limits>

namespace lockstep {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kEtaWindowS = 60; // a pace that a single slow step does not shake

SeriesKey keyOf(const RunData& run, const RankState& rank, const QString& metric)
{
    return {metric, rank.rank, rank.nodeIndex, {}, run.state().attempt};
}

// Mean of the finite values of the last seconds before the series' own end.
double recentMean(const Series* series, double windowS)
{
    if (!series || series->size() == 0)
        return kNaN;
    const auto xs = series->xs();
    const auto ys = series->ys();
    double sum = 0;
    int count = 0;
    for (std::size_t i = series->size(); i-- > 0 && xs[i] >= xs.back() - windowS;) {
        if (std::isfinite(ys[i])) {
            sum += ys[i];
            ++count;
        }
    }
    return count > 0 ? sum / count : kNaN;
}

double recent(const RunData& run, const RankState& rank, const QString& metric)
{
    return recentMean(run.series(keyOf(run, rank, metric), XAxis::Time), kPaceWindowS);
}

} // namespace

double samplesPerSecondOf(const RunData& run)
{
    double sum = 0;
    bool any = false;
    for (const RankState& rank : run.state().ranks) {
        const double value = recent(run, rank, QStringLiteral("samples_per_s"));
        if (std::isnan(value))
            continue;
        sum += value;
        any = true;
    }
    return any ? sum : kNaN;
}

double waitFractionOf(const RunData& run)
{
    static const QString kParts[] = {QStringLiteral("data_ms"), QStringLiteral("forward_ms"),
                                     QStringLiteral("backward_ms"), QStringLiteral("wait_ms"),
                                     QStringLiteral("optimizer_ms")};
    double wait = 0, all = 0;
    for (const RankState& rank : run.state().ranks) {
        for (const QString& part : kParts) {
            const double value = recent(run, rank, part);
            if (std::isnan(value))
                continue;
            all += value;
            if (part == QLatin1String("wait_ms"))
                wait += value;
        }
    }
    return all > 0 ? wait / all : kNaN;
}

double meanLossOf(const RunData& run)
{
    double sum = 0;
    int count = 0;
    for (const RankState& rank : run.state().ranks) {
        const Series* series = run.series(keyOf(run, rank, QStringLiteral("loss")));
        if (!series || series->size() == 0)
            continue;
        sum += series->lastY();
        ++count;
    }
    return count > 0 ? sum / count : kNaN;
}

double etaSecondsOf(const RunData& run)
{
    const qint64 total = run.totalSteps(), step = run.step();
    if (total <= 0 || step < 0 || isOver(run.state().phase))
        return kNaN;
    for (const RankState& rank : run.state().ranks) {
        const Series* steps = run.series(keyOf(run, rank, QStringLiteral("loss")));
        const Series* times = run.series(keyOf(run, rank, QStringLiteral("loss")), XAxis::Time);
        if (rank.step != step || !steps || !times || steps->size() != times->size() || steps->size() < 2)
            continue;
        const std::size_t last = steps->size() - 1;
        std::size_t first = std::min(times->lowerBound(times->xs()[last] - kEtaWindowS), last - 1);
        const double gone = times->xs()[last] - times->xs()[first];
        const double done = steps->xs()[last] - steps->xs()[first];
        if (gone > 0 && done > 0)
            return static_cast<double>(std::max<qint64>(0, total - step)) * gone / done;
    }
    return kNaN;
}

} // namespace lockstep
