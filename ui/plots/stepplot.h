// SPDX-License-Identifier: GPL-3.0-or-later
// Where a step's time goes: data, forward, backward, waiting for gradients, optimiser, stacked, mean of all ranks.
#pragma once

#include "ui/plots/plotpanel.h"
#include "ui/plots/stepparts.h"

#include <array>
#include <vector>

namespace lockstep::ui {

class StepPlot : public PlotPanel {
    Q_OBJECT

public:
    StepPlot(Theme& theme, PlotView& view, const RunData& data, QWidget* parent = nullptr);

    // Mean over ranks of one part at the cursor or newest, ms; NaN: none.
    [[nodiscard]] double value(StepPart part) const;

protected:
    void prepare(const XMap& map) override;
    void paintContent(QPainter& painter, const PlotFrame& frame) override;
    void fillHeader() override;

private:
    [[nodiscard]] std::vector<const Series*> seriesOf(const char* metric) const;

    // Upper edge of each part in each column, ms; NaN: no record there.
    std::array<std::vector<double>, kStepParts.size()> m_edges;
    int m_ranks = 0;
};

} // namespace lockstep::ui
