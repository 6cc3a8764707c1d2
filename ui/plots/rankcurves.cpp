// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/rankcurves.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lockstep::ui {

namespace {

constexpr std::size_t kManyRanks = 64;
constexpr std::size_t kFurthestBack = 1000; // points looked through for a finite value

std::vector<Column> thinned(const Series& series, const XRange& range, std::optional<double> limit, int count)
{
    std::vector<Column> columns(static_cast<std::size_t>(std::max(count, 1)));
    series.decimate(range.from, range.to, columns);
    hideAfter(columns, range, limit);
    return columns;
}

} // namespace

void hideAfter(std::vector<Column>& columns, const XRange& range, std::optional<double> limit)
{
    if (!limit)
        return;
    const double share = (*limit - range.from) / range.size() * static_cast<double>(columns.size());
    const auto first = static_cast<std::size_t>(std::clamp(std::ceil(share), 0.0, static_cast<double>(columns.size())));
    std::fill(columns.begin() + static_cast<std::ptrdiff_t>(first), columns.end(), Column{});
}

double valueAt(const Series& series, double x)
{
    std::size_t end = series.lowerBound(x);
    if (end < series.size() && series.xs()[end] == x)
        ++end;
    const std::size_t stop = end > kFurthestBack ? end - kFurthestBack : 0;
    for (std::size_t i = end; i > stop; --i)
        if (std::isfinite(series.ys()[i - 1]))
            return series.ys()[i - 1];
    return NAN;
}

void RankCurves::update(const RunData& data, const PlotView& view, const QString& metric, int pixels,
                        CurveDetail detail)
{
    m_curves.clear();
    m_ghosts.clear();
    m_detail = detail;
    m_limit = view.limit();
    if (view.family() != m_family) {
        m_smoothed.clear();
        m_family = view.family();
    }
    const auto& all = data.allSeries();
    const SeriesKey first{metric, std::numeric_limits<int>::min(), std::numeric_limits<int>::min(), {}, 0};
    int attempt = 0;
    for (auto i = all.lower_bound(first); i != all.end() && i->first.metric == metric; ++i)
        attempt = std::max(attempt, i->first.attempt);
    std::vector<std::vector<Column>> bandColumns;
    for (auto i = all.lower_bound(first); i != all.end() && i->first.metric == metric; ++i) {
        RankCurve curve{.key = i->first};
        curve.raw = m_family == XFamily::Steps ? &i->second.first : &i->second.second;
        if (curve.raw->size() == 0)
            continue;
        curve.shown = curve.raw;
        if (curve.key.attempt != attempt) {
            curve.rawColumns = thinned(*curve.raw, view.range(), m_limit, pixels);
            m_ghosts.push_back(std::move(curve));
            continue;
        }
        if (view.smoothing() > 0) {
            SmoothedSeries& smoothed = m_smoothed[curve.key];
            smoothed.update(*curve.raw, view.smoothing());
            curve.shown = &smoothed.series();
        }
        if (detail == CurveDetail::Lines) {
            curve.rawColumns = thinned(*curve.raw, view.range(), m_limit, pixels);
            curve.shownColumns = thinned(*curve.shown, view.range(), m_limit, pixels);
        }
        curve.number = curve.key.rank >= 0 ? curve.key.rank : static_cast<int>(m_curves.size());
        m_curves.push_back(std::move(curve));
    }
    std::size_t inRange = 0;
    for (const RankCurve& curve : m_curves)
        inRange = std::max(inRange, curve.raw->lowerBound(view.range().to) - curve.raw->lowerBound(view.range().from));
    // Percentiles of hundreds of ranks change slowly along x: half the columns look the same and cost half.
    const bool many = m_curves.size() > kManyRanks;
    const int count = bandColumnCount(many ? pixels / 2 : pixels, inRange);
    bandColumns.reserve(m_curves.size());
    for (const RankCurve& curve : m_curves)
        bandColumns.push_back(thinned(*curve.shown, view.range(), m_limit, count));
    m_bands = bandsOf(bandColumns);
    updateValues(view.cursor());
}

void RankCurves::updateValues(std::optional<double> cursor)
{
    double x = cursor.value_or(std::numeric_limits<double>::infinity());
    if (m_limit)
        x = std::min(x, *m_limit);
    double sum = 0;
    int count = 0;
    for (RankCurve& curve : m_curves) {
        curve.value = valueAt(*curve.shown, x);
        if (std::isnan(curve.value))
            continue;
        sum += curve.value;
        ++count;
    }
    m_mean = count > 0 ? sum / count : NAN;
}

const RankCurve* RankCurves::worst() const
{
    const RankCurve* worst = nullptr;
    for (const RankCurve& curve : m_curves)
        if (!std::isnan(curve.value) && (!worst || curve.value > worst->value))
            worst = &curve;
    return m_curves.size() > 1 ? worst : nullptr;
}

std::uint64_t RankCurves::nonFinite() const
{
    std::uint64_t count = 0;
    for (const RankCurve& curve : m_curves)
        count += curve.raw->nonFinite();
    return count;
}

std::size_t RankCurves::mostPoints() const
{
    std::size_t most = 0;
    for (const RankCurve& curve : m_curves)
        most = std::max(most, curve.raw->size());
    return most;
}

bool RankCurves::valueRange(XRange range, YRange& y) const
{
    double low = std::numeric_limits<double>::infinity(), high = -low;
    const auto include = [&](double from, double to) {
        low = std::min(low, from);
        high = std::max(high, to);
    };
    if (m_detail == CurveDetail::Bands) {
        for (const BandColumn& band : m_bands)
            if (band.ranks > 0)
                include(static_cast<double>(band.min), static_cast<double>(band.max));
    }
    for (const std::vector<RankCurve>* curves : {&m_curves, &m_ghosts}) {
        if (m_detail == CurveDetail::Bands)
            break;
        for (const RankCurve& curve : *curves) {
            double from = 0, to = 0;
            if (curve.raw->range(range.from, range.to, from, to))
                include(from, to);
        }
    }
    if (!(high >= low))
        return false;
    y.from = low;
    y.to = high;
    return true;
}

} // namespace lockstep::ui
