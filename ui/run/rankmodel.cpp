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

} // namespace

RankModel::RankModel(const RunData& run, RankColumns columns, QObject* parent) : QAbstractTableModel(parent), m_run(run)
{
    using enum RankColumn;
    if (columns == RankColumns::Live)
        m_columns = {Rank, Device, Phase, Step, Loss, SamplesPerS, Wait, Util, Memory};
    else
        m_columns = {Rank, Device, Phase, Ended, Step, Memory};
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

int RankModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int RankModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_columns.size());
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

QVariant RankModel::sortValue(const RankRow& row, RankColumn column) const
{
    switch (column) {
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

QVariant RankModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= m_rows.size())
        return {};
    const RankRow& row = m_rows[index.row()];
    const RankColumn column = m_columns[index.column()];
    switch (role) {
    case Qt::DisplayRole:
        return text(row, column);
    case Qt::TextAlignmentRole:
        return static_cast<int>((column < RankColumn::Ended ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    case kSortRole:
        return sortValue(row, column);
    case kCellRole:
        break;
    default:
        return {};
    }
    Cell cell{.text = text(row, column),
              .suffix = {},
              .source = {},
              .icon = {},
              .action = {},
              .series = {},
              .bar = {},
              .bars = {},
              .sparkline = {},
              .tags = {}};
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
    return QVariant::fromValue(cell);
}

QVariant RankModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section >= m_columns.size())
        return {};
    const RankColumn column = m_columns[section];
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>((column < RankColumn::Ended ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    switch (column) {
    case RankColumn::Rank:
        return QStringLiteral("rank");
    case RankColumn::Device:
        return QStringLiteral("device");
    case RankColumn::Phase:
        return QStringLiteral("phase");
    case RankColumn::Ended:
        return QStringLiteral("ended");
    case RankColumn::Step:
        return QStringLiteral("step");
    case RankColumn::Loss:
        return QStringLiteral("loss");
    case RankColumn::SamplesPerS:
        return QStringLiteral("samples/s");
    case RankColumn::Wait:
        return QStringLiteral("wait");
    case RankColumn::Util:
        return QStringLiteral("util");
    case RankColumn::Memory:
        return QStringLiteral("mem");
    }
    return {};
}

} // namespace lockstep::ui
