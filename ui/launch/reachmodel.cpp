// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/launch/reachmodel.h"

namespace lockstep::ui {

void ReachModel::setTries(const QList<ReachTry>& tries)
{
    if (tries == m_tries)
        return;
    beginResetModel();
    m_tries = tries;
    endResetModel();
}

int ReachModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_tries.size());
}

int ReachModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant ReachModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= m_tries.size() || (role != Qt::DisplayRole && role != kCellRole))
        return {};
    const ReachTry& each = m_tries.at(index.row());
    Cell cell;
    switch (static_cast<Column>(index.column())) {
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
    return role == Qt::DisplayRole ? QVariant(cell.text) : QVariant::fromValue(cell);
}

} // namespace lockstep::ui
