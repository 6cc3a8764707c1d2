// SPDX-License-Identifier: GPL-3.0-or-later
// rankRows() as an item model, in their order. A refresh tells the rows that changed, and moves rows without forgetting
// which one was selected. Thread: GUI.
#pragma once

#include "ui/run/rankrows.h"

#include <QAbstractTableModel>
#include <QSet>

namespace lockstep::ui {

enum class RankColumn { Rank, Device, Phase, Ended, Step, Loss, SamplesPerS, Wait, Util, Memory };
enum class RankColumns { Live, Ended };

class RankModel : public QAbstractTableModel {
    Q_OBJECT

public:
    RankModel(const RunData& run, RankColumns columns, QObject* parent = nullptr);

    void refresh(qint64 nowWallUs);
    [[nodiscard]] const QList<RankRow>& rows() const { return m_rows; }
    [[nodiscard]] int rowOf(int rank) const; // -1: none
    [[nodiscard]] const QList<RankColumn>& columns() const { return m_columns; }
    void setPinned(const QSet<int>& ranks);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    [[nodiscard]] QString text(const RankRow& row, RankColumn column) const;
    [[nodiscard]] QVariant sortValue(const RankRow& row, RankColumn column) const;
    void reorder(const QList<RankRow>& rows);

    const RunData& m_run;
    QList<RankColumn> m_columns;
    QList<RankRow> m_rows;
    QSet<int> m_pinned;
};

} // namespace lockstep::ui
