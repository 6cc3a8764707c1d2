// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/stepparts.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lockstep::ui {

const Series* rankSeries(const RunData& data, int rank, const QString& metric, XAxis x)
{
    const auto& all = data.allSeries();
    const SeriesKey first{metric, rank, std::numeric_limits<int>::min(), {}, 0};
    const std::pair<Series, Series>* newest = nullptr;
    int attempt = -1;
    for (auto i = all.lower_bound(first); i != all.end() && i->first.metric == metric && i->first.rank == rank; ++i) {
        if (i->first.attempt < attempt)
            continue;
        attempt = i->first.attempt;
        newest = &i->second;
    }
    if (!newest)
        return nullptr;
    return x == XAxis::Time || x == XAxis::Wall ? &newest->second : &newest->first;
}

double recentMean(const RunData& data, int rank, const QString& metric, std::size_t points)
{
    const Series* series = rankSeries(data, rank, metric, XAxis::Step);
    if (!series)
        return NAN;
    double sum = 0;
    std::size_t count = 0;
    for (std::size_t i = series->size(); i > 0 && i + points > series->size(); --i) {
        if (!std::isfinite(series->ys()[i - 1]))
            continue;
        sum += series->ys()[i - 1];
        ++count;
    }
    return count > 0 ? sum / static_cast<double>(count) : NAN;
}

} // namespace lockstep::ui
