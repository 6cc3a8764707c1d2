// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/logmodel.h"

#include "ui/plots/figures.h"
#include "ui/run/logtext.h"

#include <algorithm>

namespace lockstep::ui {

namespace {

constexpr std::ptrdiff_t kFewLines = 64; // each is a notification of its own

} // namespace

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
    insert(std::move(added));
}

// By time: the nodes' lines arrive interleaved, a reopened run's node after node. What belongs between lines that are
// shown already goes there; a whole stretch of it is a new list.
void LogModel::insert(std::vector<std::uint32_t> added)
{
    const auto& log = m_run.log();
    const auto earlier = [&log](std::uint32_t a, std::uint32_t b) { return log[a].wallUs < log[b].wallUs; };
    std::stable_sort(added.begin(), added.end(), earlier);
    if (added.empty())
        return;
    const auto late = m_rows.empty() ? added.begin()
                                     : std::partition_point(added.begin(), added.end(),
                                                            [&](std::uint32_t i) { return earlier(i, m_rows.back()); });
    if (late - added.begin() > kFewLines) {
        beginResetModel();
        const auto middle = static_cast<std::ptrdiff_t>(m_rows.size());
        m_rows.insert(m_rows.end(), added.begin(), added.end());
        std::inplace_merge(m_rows.begin(), m_rows.begin() + middle, m_rows.end(), earlier);
        endResetModel();
        return;
    }
    for (auto i = added.begin(); i != late; ++i) {
        const auto place = std::upper_bound(m_rows.begin(), m_rows.end(), *i, earlier);
        const auto row = static_cast<int>(place - m_rows.begin());
        beginInsertRows({}, row, row);
        m_rows.insert(place, *i);
        endInsertRows();
    }
    if (late == added.end())
        return;
    beginInsertRows({}, rowCount(), rowCount() + static_cast<int>(added.end() - late) - 1);
    m_rows.insert(m_rows.end(), late, added.end());
    endInsertRows();
}

// The run lets its oldest lines go in blocks; every position moves down by as many.
void LogModel::letGo(std::uint64_t dropped)
{
    const std::uint64_t block = dropped - m_dropped;
    if (block == 0)
        return;
    beginResetModel(); // once in 25,000 lines
    std::erase_if(m_rows, [block](std::uint32_t row) { return row < block; });
    for (std::uint32_t& row : m_rows)
        row -= static_cast<std::uint32_t>(block);
    m_dropped = dropped;
    m_read -= std::min<std::size_t>(m_read, block);
    endResetModel();
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
