// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/factsmodel.h"

namespace lockstep::ui {

void FactsModel::setFacts(const QList<RunFact>& facts)
{
    if (facts == m_facts)
        return;
    beginResetModel();
    m_facts = facts;
    endResetModel();
}

int FactsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_facts.size());
}

int FactsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant FactsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    static const QStringList kHeads{QStringLiteral("fact"), QStringLiteral("value"), QStringLiteral("ranks")};
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    return kHeads.value(section);
}

QVariant FactsModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= m_facts.size())
        return {};
    const RunFact& fact = m_facts.at(index.row());
    if (role == Qt::ToolTipRole)
        return fact.value;
    if (role != Qt::DisplayRole && role != kCellRole)
        return {};
    Cell cell;
    switch (static_cast<Column>(index.column())) {
    case Name:
        cell.text = fact.name;
        cell.tone = Tone::Text2;
        break;
    case Value:
        cell.text = fact.value;
        break;
    case Ranks:
        cell.text = fact.all ? QStringLiteral("all") : rankRanges(fact.ranks);
        cell.tone = Tone::Text2;
        break;
    case ColumnCount:
        break;
    }
    return role == Qt::DisplayRole ? QVariant(cell.text) : QVariant::fromValue(cell);
}

} // namespace lockstep::ui
