// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/logmodel.h"

#include "ui/plots/figures.h"
#include "ui/run/logtext.h"

#include <algorithm>

namespace lockstep::ui {

LogModel::LogModel(const RunData& run, QObject* parent)
    : QAbstractListModel(parent), m_run(run), m_dropped(run.logDropped())
{
    refresh();
}

bool LogModel::shows(const LogLine& line) const
{
    if (m_filter.rank && line.rank != *m_filter.rank)
        return false;
    if (m_filter.nodeIndex && line.nodeIndex != *m_filter.nodeIndex)
        return false;
    return m_filter.words.isEmpty() || plainText(line.text).contains(m_filter.words, Qt::CaseInsensitive);
}

void LogModel::refresh()
{
    const std::vector<LogLine>& log = m_run.log();
    letGo(m_run.logDropped());
    std::vector<std::uint32_t> added;
    for (std::size_t i = m_read; i < log.size(); ++i)
        if (shows(log[i]))
            added.push_back(static_cast<std::uint32_t>(i));
    m_read = log.size();
    if (added.empty())
        return;
    beginInsertRows({}, rowCount(), rowCount() + static_cast<int>(added.size()) - 1);
    m_rows.insert(m_rows.end(), added.begin(), added.end());
    endInsertRows();
}

// The run lets its oldest lines go in blocks; every position moves down by as many.
void LogModel::letGo(std::uint64_t dropped)
{
    const std::uint64_t block = dropped - m_dropped;
    if (block == 0)
        return;
    const auto kept = std::lower_bound(m_rows.begin(), m_rows.end(), block);
    const auto gone = static_cast<int>(kept - m_rows.begin());
    if (gone > 0)
        beginRemoveRows({}, 0, gone - 1);
    m_rows.erase(m_rows.begin(), kept);
    for (std::uint32_t& row : m_rows)
        row -= static_cast<std::uint32_t>(block);
    m_dropped = dropped;
    m_read -= std::min<std::size_t>(m_read, block);
    if (gone > 0)
        endRemoveRows();
}

void LogModel::setFilter(const LogFilter& filter)
{
    if (filter == m_filter)
        return;
    beginResetModel();
    m_filter = filter;
    m_rows.clear();
    m_read = 0;
    endResetModel();
    refresh();
}

const LogLine& LogModel::line(int row) const
{
    return m_run.log()[m_rows[static_cast<std::size_t>(row)]];
}

int LogModel::rowAt(qint64 wallUs) const
{
    // Nodes' lines arrive interleaved, so the log is only nearly sorted by time: the last one that is not later.
    const auto& log = m_run.log();
    const auto later =
        std::partition_point(m_rows.begin(), m_rows.end(), [&](std::uint32_t i) { return log[i].wallUs <= wallUs; });
    return static_cast<int>(later - m_rows.begin()) - 1;
}

int LogModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

QVariant LogModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const LogLine& shown = line(index.row());
    if (m_rows[static_cast<std::size_t>(index.row())] >= m_run.log().size())
        return {};
    switch (role) {
    case LineRole:
        return plainText(shown.text);
    case SeverityRole:
        return static_cast<int>(severityOf(plainText(shown.text)));
    case Qt::DisplayRole: {
        const QString node = m_run.plan().nodes.value(shown.nodeIndex).name;
        const QString who = shown.rank >= 0 ? QStringLiteral("rank %1").arg(shown.rank) : QStringLiteral("node");
        return QStringLiteral("%1 %2 %3 %4").arg(figures::wallTime(shown.wallUs), node, who, plainText(shown.text));
    }
    default:
        return {};
    }
}

} // namespace lockstep::ui
