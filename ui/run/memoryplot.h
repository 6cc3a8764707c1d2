// SPDX-License-Identifier: GPL-3.0-or-later
// Evidence of a failure: host memory of the ranks of one node over time, the rank that failed in its colour.
#pragma once

#include "core/rundata.h"

#include <QWidget>

namespace lockstep::ui {

class Theme;

class MemoryPlot : public QWidget {
    Q_OBJECT

public:
    MemoryPlot(Theme& theme, const RunData& run, QWidget* parent = nullptr);
    void setRank(int rank, int nodeIndex);
    [[nodiscard]] bool hasData() const;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    Theme& m_theme;
    const RunData& m_run;
    int m_rank = -1;
    int m_nodeIndex = -1;
};

} // namespace lockstep::ui
