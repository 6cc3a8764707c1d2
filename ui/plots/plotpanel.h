// SPDX-License-Identifier: GPL-3.0-or-later
// A titled plot of a run's page: header with the legend, and a canvas. What is in it, a subclass draws. The page calls
// refresh() at most 30 times a second, and only when something visible changed. Thread: GUI.
#pragma once

#include "core/rundata.h"
#include "ui/plots/plotcanvas.h"

#include <QWidget>

namespace lockstep::ui {

class PlotHeader;
class XMap;

class PlotPanel : public QWidget {
    Q_OBJECT

public:
    PlotPanel(Theme& theme, PlotView& view, const RunData& data, const QString& title, QWidget* parent = nullptr);

    void refresh();       // reads the data again and repaints all
    void refreshCursor(); // only the cursor and the legend's values
    [[nodiscard]] PlotCanvas& canvas() { return *m_canvas; }
    [[nodiscard]] PlotHeader& header() { return *m_header; }
    void setFlagShown(Qt::CheckState shown) { m_flag = shown == Qt::Checked; } // the top plot names the cursor

protected:
    virtual void prepare(const XMap& map) = 0; // before painting: columns, y range, labels
    virtual void paintContent(QPainter& painter, const PlotFrame& frame) = 0;
    virtual void paintOverlay(QPainter&, const PlotFrame&) {} // under the cursor line
    virtual void fillHeader() = 0;

    [[nodiscard]] Theme& theme() const { return m_theme; }
    [[nodiscard]] const PlotView& view() const { return m_view; }
    [[nodiscard]] PlotView& changeableView() { return m_view; }
    [[nodiscard]] const RunData& data() const { return m_data; }
    [[nodiscard]] double newestAgeSeconds() const; // of the run's newest record; NaN: none
    [[nodiscard]] double lastX() const;            // right end of what may be shown: newest, or the replay's limit

private:
    void paintCursor(QPainter& painter, const PlotFrame& frame);
    void paintEnd(QPainter& painter, const PlotFrame& frame);
    void paintFlag(QPainter& painter, const PlotFrame& frame, double x, const QString& text, const QColor& ground,
                   const QColor& words);

    Theme& m_theme;
    PlotView& m_view;
    const RunData& m_data;
    PlotHeader* m_header;
    PlotCanvas* m_canvas;
    bool m_flag = false;
};

} // namespace lockstep::ui
