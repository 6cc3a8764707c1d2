// SPDX-License-Identifier: GPL-3.0-or-later
// All plots of a run under one another on one x axis: loss, device utilisation, step time, plots the user added, device
// cells. Follows RunData and PlotView by itself: repaints at most 30 times a second and only after a change. Thread:
// GUI.
#pragma once

#include "core/rundata.h"
#include "ui/plots/framepacer.h"
#include "ui/plots/plotview.h"

#include <QSet>
#include <QWidget>

#include <vector>

namespace lockstep::ui {

class DeviceCells;
class LanePlot;
class LineSplitter;
class MetricPlot;
class PlotPanel;
class StepPlot;
class Theme;

class PlotColumn : public QWidget {
    Q_OBJECT

public:
    PlotColumn(Theme& theme, PlotView& view, const RunData& run, QWidget* parent = nullptr);

    void addPlot(const QString& metric); // a second time: removes it
    [[nodiscard]] bool hasPlot(const QString& metric) const;
    void setPinned(const QSet<int>& ranks);
    // Beside the card of a cause the column is taller than its room: loss and lanes are seen, the rest is scrolled to.
    enum class Beside { Nothing, Cause };
    void setRoomFor(Beside beside);
    void paintNow(); // at once, whatever changed; for pictures
    [[nodiscard]] int framesPainted() const { return m_frames; }
    [[nodiscard]] MetricPlot& loss() { return *m_loss; }
    [[nodiscard]] StepPlot& steps() { return *m_steps; }
    [[nodiscard]] DeviceCells& cells() { return *m_cells; }

signals:
    void deviceClicked(int rank);

protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void requestFrame();
    void paintFrame();
    void placeTimeLabels();
    void placePanels();
    [[nodiscard]] XRange extent() const;
    [[nodiscard]] QList<PlotPanel*> panels() const;

    Theme& m_theme;
    PlotView& m_view;
    const RunData& m_run;
    LineSplitter* m_splitter;
    MetricPlot* m_loss;
    LanePlot* m_lanes;
    StepPlot* m_steps;
    QList<MetricPlot*> m_added;
    DeviceCells* m_cells;
    FramePacer m_pacer;
    std::uint64_t m_seenData = 0, m_seenView = 0;
    bool m_cursorMoved = false;
    Beside m_beside = Beside::Nothing;
    std::size_t m_devices = 0; // with a cell when the panels were placed
    bool m_dragged = false;
    int m_frames = 0;
};

} // namespace lockstep::ui
