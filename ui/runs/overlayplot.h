// SPDX-License-Identifier: GPL-3.0-or-later
// The losses of the selected runs over each other. x is the step where every one of them is open, else the share of the
// run, since a closed run keeps a sparkline only. Thread: GUI.
#pragma once

#include "core/rundata.h"
#include "core/runstore.h"
#include "ui/theme.h"

#include <QWidget>

namespace lockstep::ui {

struct OverlayCurve {
    int number = 0; // "#12"
    int series = 0;
    std::vector<double> x, y; // same length; a NaN in y lifts the pen

    bool operator==(const OverlayCurve&) const = default;
};
enum class OverlayAxis { Share, Step };
enum class OverlayScale { Linear, Log };

[[nodiscard]] OverlayCurve curveOfSparkline(const RunSummary& run, int series);
[[nodiscard]] OverlayCurve curveOfData(const RunSummary& run, const RunData& data, int series); // mean over ranks

class OverlayPlot : public QWidget {
    Q_OBJECT

public:
    explicit OverlayPlot(Theme& theme, QWidget* parent = nullptr);
    void setCurves(const std::vector<OverlayCurve>& curves, OverlayAxis axis);
    void setScale(OverlayScale scale);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    struct Frame; // the plot's rectangle and ranges
    void paintAxes(QPainter& painter, const Frame& frame) const;
    void paintCurves(QPainter& painter, const Frame& frame) const;
    void paintNames(QPainter& painter, const Frame& frame) const;

    Theme& m_theme;
    std::vector<OverlayCurve> m_curves;
    OverlayAxis m_axis = OverlayAxis::Share;
    OverlayScale m_scale = OverlayScale::Linear;
};

} // namespace lockstep::ui
