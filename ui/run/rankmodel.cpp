// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/rankmodel.h"

#include "ui/plots/figures.h"

#include <algorithm>
#include <cmath>

namespace lockstep::ui {

namespace {

constexpr double kTenGiB = 10.0 * 1024 * 1024 * 1024;
constexpr int kMostSquares = 8; // ranks with a square of their colour; beyond, only pinned ones

const QString kUnknown = QStringLiteral("–");

QString known(double value, const QString& words)
{
    return std::isnan(value) ? kUnknown : words;
}

QList<RankColumn> columnsOf(RankColumns columns)
{
    using enum RankColumn;
    return columns == RankColumns::Live
               ? QList<RankColumn>{Rank, Device, Phase, Step, Loss, SamplesPerS, Wait, Util, Memory}
               : QList<RankColumn>{Rank, Device, Phase, Ended, Step, Memory};
}

const char* titleOf(RankColumn column)
{
    switch (column) {
    case RankColumn::Rank:
        return "rank";
    case RankColumn::Device:
        return "device";
    case RankColumn::Phase:
        return "phase";
    case RankColumn::Ended:
        return "ended";
    case RankColumn::Step:
        return "step";
    case RankColumn::Loss:
        return "loss";
    case RankColumn::SamplesPerS:
        return "samples/s";
    case RankColumn::Wait:
        return "wait";
    case RankColumn::Util:
        return "util";
    case RankColumn::Memory:
        return "mem";
    }
    return "";
}

std::vector<CellModel::Title> titlesOf(const QList<RankColumn>& columns)
{
    std::vector<CellModel::Title> titles;
    for (const RankColumn column : columns)
        titles.push_back({titleOf(column), column < RankColumn::Ended ? Qt::AlignLeft : Qt::AlignRight});
    return titles;
}

} // namespace

RankModel::RankModel(const RunData& run, RankColumns columns, QObject* parent)
    : CellModel(titlesOf(columnsOf(columns)), parent), m_run(run), m_columns(columnsOf(columns))
{
}

void RankModel::refresh(qint64 nowWallUs)
{
    const QList<RankRow> rows = rankRows(m_run, nowWallUs);
    const auto sameRank = [](const RankRow& a, const RankRow& b) { return a.rank == b.rank; };
    if (rows.size() != m_rows.size()) {
        beginResetModel(); // another attempt or the first ranks: not a row is the same
        m_rows = rows;
        endResetModel();
        return;
    }
    if (!std::equal(rows.begin(), rows.end(), m_rows.begin(), sameRank))
        reorder(rows);
    int first = -1, last = -1;
    for (qsizetype i = 0; i < rows.size(); ++i) {
        if (rows[i] == m_rows[i])
            continue;
        first = first < 0 ? static_cast<int>(i) : first;
        last = static_cast<int>(i);
    }
    m_rows = rows;
    if (first >= 0)
        emit dataChanged(index(first, 0), index(last, columnCount() - 1));
}

void RankModel::reorder(const QList<RankRow>& rows)
{
    emit layoutAboutToBeChanged({}, VerticalSortHint);
    const QList<RankRow> before = m_rows;
    QList<RankRow> ordered;
    for (const RankRow& row : rows)
        for (const RankRow& old : before)
            if (old.rank == row.rank)
                ordered << old;
    m_rows = ordered;
    const QModelIndexList persistent = persistentIndexList();
    QModelIndexList moved;
    for (const QModelIndex& old : persistent)
        moved << index(rowOf(before[old.row()].rank), old.column());
    changePersistentIndexList(persistent, moved);
    emit layoutChanged({}, VerticalSortHint);
}

int RankModel::rowOf(int rank) const
{
    for (qsizetype i = 0; i < m_rows.size(); ++i)
        if (m_rows[i].rank == rank)
            return static_cast<int>(i);
    return -1;
}

void RankModel::setPinned(const QSet<int>& ranks)
{
    m_pinned = ranks;
    if (!m_rows.isEmpty())
        emit dataChanged(index(0, 0), index(rowCount() - 1, 0));
}

QString RankModel::text(const RankRow& row, RankColumn column) const
{
    switch (column) {
    case RankColumn::Rank:
        return QString::number(row.rank);
    case RankColumn::Device:
        return row.device;
    case RankColumn::Phase:
        return row.words;
    case RankColumn::Ended:
        return row.endedWallUs > 0 ? figures::wallTime(row.endedWallUs) : kUnknown;
    case RankColumn::Step:
        return row.step >= 0 ? figures::grouped(row.step) : kUnknown;
    case RankColumn::Loss:
        return known(row.loss, figures::value(row.loss));
    case RankColumn::SamplesPerS:
        return known(row.samplesPerS, figures::decimal(row.samplesPerS, row.samplesPerS < 100 ? 1 : 0));
    case RankColumn::Wait:
        return figures::percent(row.wait);
    case RankColumn::Util:
        return figures::percent(row.util / 100);
    case RankColumn::Memory:
        return figures::gibibytes(row.memory, row.memory < kTenGiB ? 1 : 0);
    }
    return {};
}

QVariant RankModel::sortKeyAt(int shown, int at) const
{
    const RankRow& row = m_rows[shown];
    switch (m_columns[at]) {
    case RankColumn::Rank:
        return static_cast<double>(row.rank);
    case RankColumn::Device:
        return row.nodeIndex * 1000.0 + row.rank;
    case RankColumn::Phase:
        return static_cast<double>(row.trouble) * 1e6 + row.rank;
    case RankColumn::Ended:
        return static_cast<double>(row.endedWallUs);
    case RankColumn::Step:
        return static_cast<double>(row.step);
    case RankColumn::Loss:
        return row.loss;
    case RankColumn::SamplesPerS:
        return row.samplesPerS;
    case RankColumn::Wait:
        return row.wait;
    case RankColumn::Util:
        return row.util;
    case RankColumn::Memory:
        return row.memory;
    }
    return {};
}

Cell RankModel::cellAt(int shown, int at) const
{
    const RankRow& row = m_rows[shown];
    const RankColumn column = m_columns[at];
    Cell cell;
    cell.text = text(row, column);
    cell.tone = row.stale ? Tone::Text3 : Tone::Text; // what is shown of it is old
    if (column == RankColumn::Rank) {
        if (m_rows.size() <= kMostSquares || m_pinned.contains(row.rank))
            cell.series = row.rank;
    } else if (column == RankColumn::Phase) {
        cell.icon = row.icon;
        cell.tone = row.tone;
        if (row.trouble == RankTrouble::Cause)
            cell.font = FontRole::CellStrong;
    }
    return cell;
}

} // namespace lockstep::ui
