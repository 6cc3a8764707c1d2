// SPDX-License-Identifier: GPL-3.0-or-later
// All curves of one metric, thinned to the columns of the view: what a plot of it draws. No painting here.
#pragma once

#include "ui/plots/bands.h"
#include "ui/plots/plotframe.h"
#include "ui/plots/smoothedseries.h"

#include <map>

namespace lockstep::ui {

struct RankCurve {
    SeriesKey key = {};
    int number = 0; // of its colour: the rank, else its place
    const Series* raw = nullptr;
    const Series* shown = nullptr;         // smoothed, or raw when nothing is smoothed
    std::vector<Column> rawColumns = {};   // a column a pixel; empty with CurveDetail::Bands
    std::vector<Column> shownColumns = {}; // the same of `shown`
    double value = 0;                      // of `shown` at the cursor or newest; NaN: none
};

enum class CurveDetail { Lines, Bands };

class RankCurves {
public:
    // Reads what the view shows. `pixels`: width of the plot's area.
    void update(const RunData& data, const PlotView& view, const QString& metric, int pixels, CurveDetail detail);
    void updateValues(std::optional<double> cursor); // of the curves and of the mean

    [[nodiscard]] const std::vector<RankCurve>& curves() const { return m_curves; } // of the newest attempt, by rank
    [[nodiscard]] const std::vector<RankCurve>& ghosts() const { return m_ghosts; } // of earlier attempts, raw only
    [[nodiscard]] const std::vector<BandColumn>& bands() const { return m_bands; }
    [[nodiscard]] double mean() const { return m_mean; }
    [[nodiscard]] const RankCurve* worst() const; // the greatest value; null: none, or one curve alone
    [[nodiscard]] std::uint64_t nonFinite() const;
    [[nodiscard]] std::size_t mostPoints() const;
    [[nodiscard]] bool valueRange(XRange range, YRange& y) const; // of what is drawn; false: nothing

private:
    std::vector<RankCurve> m_curves, m_ghosts;
    std::vector<BandColumn> m_bands;
    std::map<SeriesKey, SmoothedSeries> m_smoothed;
    XFamily m_family = XFamily::Seconds;
    CurveDetail m_detail = CurveDetail::Lines;
    std::optional<double> m_limit;
    double m_mean = 0;
};

// Replay hides what came after its limit.
void hideAfter(std::vector<Column>& columns, const XRange& range, std::optional<double> limit);

// The value at x: the last finite one at or before it; NaN: none.
[[nodiscard]] double valueAt(const Series& series, double x);

} // namespace lockstep::ui
