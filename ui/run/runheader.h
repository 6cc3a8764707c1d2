// SPDX-License-Identifier: GPL-3.0-or-later
// Top of a run's page: what it is, how it stands and since when, where it runs; what can be done; figures; a line of
// progress.
#pragma once

#include "core/rundata.h"

#include <QWidget>

#include <optional>

class QLabel;

namespace lockstep::ui {

class Button;
class ElidedLabel;
class HeaderFigures;
class StateLabel;
class Theme;

class RunHeader : public QWidget {
    Q_OBJECT

public:
    RunHeader(Theme& theme, const RunData& run, QWidget* parent = nullptr);
    void refresh(qint64 nowWallUs);
    [[nodiscard]] const HeaderFigures& figures() const { return *m_figures; }
    [[nodiscard]] Button& stopButton() { return *m_stop; }
    [[nodiscard]] QString stateWords() const;

signals:
    void stopRequested(std::optional<int> graceS); // none: as the spec says
    void copyRequested();
    void exportRequested(const QString& format);
    void againRequested();

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void refreshState(qint64 nowWallUs);
    void refreshStop(qint64 nowWallUs);

    Theme& m_theme;
    const RunData& m_run;
    QLabel* m_title;
    StateLabel *m_state, *m_link;
    ElidedLabel* m_where;
    Button *m_copy, *m_export, *m_stop, *m_again;
    HeaderFigures* m_figures;
    // Wall time of the click here, of the first news of it, or of the end of the launch; 0: not asked.
    qint64 m_stopAskedUs = 0;
    bool m_graceIsOver = false; // by a second click
};

// "2 nodes × 4 ranks · nccl · attempt 1"
[[nodiscard]] QString whereWords(const RunData& run);

} // namespace lockstep::ui
