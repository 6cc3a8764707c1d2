// SPDX-License-Identifier: GPL-3.0-or-later
// One plot area: axes, grid and labels by QCustomPlot; what lies in it is drawn by its owner into a PlotFrame, in two
// layers, so that a moving cursor repaints one line and not the curves. Wheel, drag and keys move the shared PlotView.
// Thread: GUI.
#pragma once

#include "ui/plots/plotframe.h"
#include "ui/plots/ticks.h"

#include <QWidget>

#include <functional>

class QCustomPlot;

namespace lockstep::ui {

class Theme;

class PlotCanvas : public QWidget {
    Q_OBJECT

public:
    using Painter = std::function<void(QPainter&, const PlotFrame&)>;
    enum class TimeLabels { Shown, Hidden }; // only the lowest plot of a stack has them
    enum class YLabels { Shown, Hidden };

    PlotCanvas(Theme& theme, PlotView& view, QWidget* parent = nullptr);
    ~PlotCanvas() override;

    void setContent(Painter content) { m_content = std::move(content); }
    void setOverlay(Painter overlay) { m_overlay = std::move(overlay); } // cursor, flags, marks
    void setXLabels(const XLabels& labels) { m_xLabels = labels; }
    void setYRange(const YRange& range) { m_y = range; }
    void setYLabels(YLabels how) { m_yLabels = how; }
    void setTimeLabels(TimeLabels how);
    [[nodiscard]] TimeLabels timeLabels() const { return m_timeLabels; }
    [[nodiscard]] const XLabels& xLabels() const { return m_xLabels; }

    void repaintContent();
    void repaintOverlay();
    [[nodiscard]] PlotFrame frame() const; // valid after the first layout

signals:
    void clickedAt(QPointF pixel);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    class Layer;
    class Ticker;

    void colour();
    void updateAxes();

    Theme& m_theme;
    PlotView& m_view;
    QCustomPlot* m_plot;
    Painter m_content, m_overlay;
    XLabels m_xLabels;
    YRange m_y;
    YLabels m_yLabels = YLabels::Shown;
    TimeLabels m_timeLabels = TimeLabels::Hidden;
    QPointF m_pressed;
    double m_panFrom = 0; // pixel where the last piece of a drag ended
    bool m_dragging = false;
};

} // namespace lockstep::ui
