// SPDX-License-Identifier: GPL-3.0-or-later
// One metric of all ranks against the shared x: every rank a line, or mean, bands, the worst rank and the pinned ones.
#pragma once

#include "ui/plots/plotheader.h"
#include "ui/plots/plotpanel.h"
#include "ui/plots/rankcurves.h"

#include <QSet>

namespace lockstep::ui {

inline constexpr int kMostRankLines = 16; // above: bands, until the legend is clicked

class MetricPlot : public PlotPanel {
    Q_OBJECT

public:
    MetricPlot(Theme& theme, PlotView& view, const RunData& data, const QString& metric, QWidget* parent = nullptr);

    [[nodiscard]] QString metricName() const { return m_metric; } // QPaintDevice has a metric()
    [[nodiscard]] CurveDetail detail() const { return m_detail; }
    void setPinned(const QSet<int>& ranks);
    void toggleDetail(); // every rank <-> bands; stays from then on

protected:
    void prepare(const XMap& map) override;
    void paintContent(QPainter& painter, const PlotFrame& frame) override;
    void paintOverlay(QPainter& painter, const PlotFrame& frame) override;
    void fillHeader() override;

private:
    void paintLines(QPainter& painter, const PlotFrame& frame) const;
    void paintBands(QPainter& painter, const PlotFrame& frame) const;
    void paintLabels(QPainter& painter, const PlotFrame& frame) const;
    [[nodiscard]] QList<int> missingRanks() const; // of nodes without a link: their curves end early
    [[nodiscard]] QString nameOf(const RankCurve& curve) const;
    [[nodiscard]] QList<LegendEntry> legend() const;

    QString m_metric;
    RankCurves m_curves;
    QSet<int> m_pinned;
    CurveDetail m_detail = CurveDetail::Lines;
    bool m_chosen = false; // by the user
};

} // namespace lockstep::ui
