// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/resultsmodel.h"

#include "ui/plots/figures.h"

#include <algorithm>

namespace lockstep::ui {

ResultsModel::ResultsModel(QObject* parent)
    : CellModel({{"node"}, {"path"}, {"size", Qt::AlignRight}, {"here"}}, parent)
{
}

// Rows stay where they are while only bytes come: a selection outlives them.
void ResultsModel::setResults(const RunResults& results)
{
    const auto sameFile = [](const ResultEntry& left, const ResultEntry& right) {
        return left.node == right.node && left.path == right.path;
    };
    if (!std::ranges::equal(m_results.files, results.files, sameFile)) {
        beginResetModel();
        m_results = results;
        endResetModel();
        return;
    }
    const RunResults before = std::exchange(m_results, results);
    for (int row = 0; row < rowsShown(); ++row)
        if (before.fetching != results.fetching || before.files[row] != results.files[row])
            emit dataChanged(index(row, 0), index(row, ColumnCount - 1));
}

Cell ResultsModel::hereCell(const ResultEntry& entry) const
{
    Cell cell;
    if (entry.isWhole()) {
        cell.icon = Icon::Ok;
        cell.tone = Tone::Ok;
        cell.text = QStringLiteral("here");
        return cell;
    }
    const QString part = figures::percent(static_cast<double>(entry.bytes) / static_cast<double>(entry.size));
    cell.icon = m_results.fetching ? Icon::Connect : Icon::Warn;
    cell.tone = m_results.fetching ? Tone::Running : Tone::Warn;
    cell.text = m_results.fetching ? QStringLiteral("fetching, %1").arg(part) : QStringLiteral("only %1").arg(part);
    return cell;
}

Cell ResultsModel::cellAt(int row, int column) const
{
    const ResultEntry& entry = m_results.files.at(row);
    Cell cell;
    switch (static_cast<Column>(column)) {
    case Node:
        cell.text = entry.node;
        break;
    case Path:
        cell.text = QString::fromUtf8(entry.path);
        break;
    case Size:
        cell.text = figures::bytes(entry.size);
        break;
    case Here:
        return hereCell(entry);
    case ColumnCount:
        break;
    }
    return cell;
}

QVariant ResultsModel::sortKeyAt(int row, int column) const
{
    return column == Size ? QVariant(static_cast<double>(m_results.files.at(row).size)) : QVariant();
}

QString ResultsModel::hintAt(int row, int) const
{
    const ResultEntry& entry = m_results.files.at(row);
    return entry.isWhole() ? entry.file : QString::fromUtf8(entry.path);
}

} // namespace lockstep::ui
