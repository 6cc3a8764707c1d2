// SPDX-License-Identifier: GPL-3.0-or-later
// The plan's problems, errors first: title in 500, then what is known and what to do.
#pragma once

#include "core/launchplan.h"
#include "ui/widgets/panel.h"

namespace lockstep::ui {

class ProblemsPanel : public QFrame {
    Q_OBJECT

public:
    explicit ProblemsPanel(Theme& theme, QWidget* parent = nullptr);
    void setProblems(const QList<Problem>& problems);

private:
    QWidget* makeRowOf(const Problem& problem);

    Theme& m_theme;
    PanelHeader* m_header;
    QVBoxLayout* m_rows;
    QList<Problem> m_problems;
    QList<QWidget*> m_shown;
};

// "2 warnings, 1 note"; empty: none at all.
[[nodiscard]] QString problemCount(const QList<Problem>& problems);

} // namespace lockstep::ui
