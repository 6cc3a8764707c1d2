// SPDX-License-Identifier: GPL-3.0-or-later
// The 36 px above the plots: x axis, shown part, smoothing, log y; at the right following, or the replay of an ended
// run, and more plots. Writes into the shared PlotView. Thread: GUI.
#pragma once

#include "core/rundata.h"
#include "ui/plots/plotview.h"

#include <QWidget>

class QMenu;
class QSlider;
class QTimer;

namespace lockstep::ui {

class Button;
class Combo;
class Segments;
class Theme;

class RunToolbar : public QWidget {
    Q_OBJECT

public:
    RunToolbar(Theme& theme, PlotView& view, const RunData& run, QWidget* parent = nullptr);
    void refresh();        // live or ended
    void cycleSmoothing(); // S
    [[nodiscard]] QSlider& replaySlider() { return *m_slider; }

signals:
    void plotToggled(const QString& metric);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void fillParts();
    void fillMenu();
    void showView();
    void seek(int position);
    void toggleReplay();
    void styleSlider();
    [[nodiscard]] double replayEnd() const;

    Theme& m_theme;
    PlotView& m_view;
    const RunData& m_run;
    Segments* m_axis;
    Combo *m_part, *m_smoothing;
    Button *m_log, *m_follow, *m_replay, *m_plot;
    QSlider* m_slider;
    QMenu* m_menu;
    QTimer* m_player;
};

} // namespace lockstep::ui
