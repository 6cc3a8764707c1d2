// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/factsmodel.h"

namespace lockstep::ui {

FactsModel::FactsModel(QObject* parent) : CellModel({{"fact"}, {"value"}, {"ranks"}}, parent) {}

void FactsModel::setFacts(const QList<RunFact>& facts)
{
    if (facts == m_facts)
        return;
    beginResetModel();
    m_facts = facts;
    endResetModel();
}

int FactsModel::rowsShown() const
{
    return static_cast<int>(m_facts.size());
}

QString FactsModel::hintAt(int row, int) const
{
    return m_facts.at(row).value;
}

Cell FactsModel::cellAt(int row, int column) const
{
    const RunFact& fact = m_facts.at(row);
    Cell cell;
    switch (static_cast<Column>(column)) {
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
    return cell;
}

} // namespace lockstep::ui
