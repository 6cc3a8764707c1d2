// SPDX-License-Identifier: GPL-3.0-or-later
// rankRows() as an item model, in their order. A refresh tells the rows that changed, and moves rows without forgetting
// which one was selected. Thread: GUI.
#pragma once

#include "ui/run/rankrows.h"
#include "ui/widgets/cellmodel.h"

#include <QSet>

namespace lockstep::ui {

enum class RankColumn { Rank, Device, Phase, Ended, Step, Loss, SamplesPerS, Wait, Util, Memory };
enum class RankColumns { Live, Ended };

class RankModel : public CellModel {
    Q_OBJECT

public:
    RankModel(const RunData& run, RankColumns columns, QObject* parent = nullptr);

    void refresh(qint64 nowWallUs);
    [[nodiscard]] const QList<RankRow>& rows() const { return m_rows; }
    [[nodiscard]] int rowOf(int rank) const; // -1: none
    [[nodiscard]] const QList<RankColumn>& columns() const { return m_columns; }
    void setPinned(const QSet<int>& ranks);

private:
    [[nodiscard]] int rowsShown() const override { return static_cast<int>(m_rows.size()); }
    [[nodiscard]] Cell cellAt(int row, int column) const override;
    [[nodiscard]] QVariant sortKeyAt(int row, int column) const override;
    [[nodiscard]] QString text(const RankRow& row, RankColumn column) const;
    void reorder(const QList<RankRow>& rows);

    const RunData& m_run;
    QList<RankColumn> m_columns;
    QList<RankRow> m_rows;
    QSet<int> m_pinned;
};

} // namespace lockstep::ui
