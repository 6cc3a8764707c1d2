// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/launch/reachmodel.h"

namespace lockstep::ui {

ReachModel::ReachModel(QObject* parent) : CellModel({{"address"}, {"tried"}, {"link"}}, parent) {}

void ReachModel::setTries(const QList<ReachTry>& tries)
{
    if (tries == m_tries)
        return;
    beginResetModel();
    m_tries = tries;
    endResetModel();
}

int ReachModel::rowsShown() const
{
    return static_cast<int>(m_tries.size());
}

Cell ReachModel::cellAt(int row, int column) const
{
    const ReachTry& each = m_tries.at(row);
    Cell cell;
    switch (static_cast<Column>(column)) {
    case Address:
        cell.text = each.address;
        cell.tone = Tone::Text2;
        break;
    case Result:
        cell.text = each.result;
        break;
    case Detail:
        cell.text = each.detail;
        cell.tone = Tone::Text2;
        break;
    case ColumnCount:
        break;
    }
    return cell;
}

} // namespace lockstep::ui
