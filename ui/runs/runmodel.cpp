// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/runmodel.h"

#include "ui/plots/figures.h"
#include "ui/runs/runwords.h"

#include <array>
#include <cmath>

namespace lockstep::ui {

namespace {

constexpr std::array<const char*, RunModel::ColumnCount> kTitles{
    "name", "state", "nodes × ranks", "started", "duration", "last loss", "loss", "tags", "note"};

bool isNumber(int column)
{
    return column == RunModel::Shape || column == RunModel::Duration || column == RunModel::LastLoss;
}

qint64 nowUs()
{
    return QDateTime::currentMSecsSinceEpoch() * 1000;
}

double fractionDone(const RunList& runs, const QString& id)
{
    const RunData* data = runs.data(id);
    if (!data || data->totalSteps() <= 0 || data->step() < 0)
        return -1;
    return static_cast<double>(data->step()) / static_cast<double>(data->totalSteps());
}

// "2 × 4": ranks a node where all have the same, else all of them.
QString shapeText(const RunSummary& run)
{
    if (run.nodes <= 0)
        return QStringLiteral("–");
    if (run.ranks % run.nodes == 0)
        return QStringLiteral("%1 × %2").arg(run.nodes).arg(run.ranks / run.nodes);
    return QStringLiteral("%1, %2 ranks").arg(run.nodes).arg(run.ranks);
}

} // namespace

RunModel::RunModel(const RunList& runs, QObject* parent)
    : QAbstractTableModel(parent), m_runs(runs), m_rows(static_cast<int>(runs.runs().size()))
{
    const auto reload = [this] {
        beginResetModel();
        m_rows = static_cast<int>(m_runs.runs().size());
        endResetModel();
    };
    connect(&runs, &RunList::reset, this, reload);
    connect(&runs, &RunList::runChanged, this, [this, reload](int row) {
        if (m_rows != m_runs.runs().size()) { // a new one on top
            reload();
            return;
        }
        emit dataChanged(index(row, 0), index(row, ColumnCount - 1));
    });
}

int RunModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : m_rows;
}

int RunModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

const RunSummary* RunModel::run(int row) const
{
    return row >= 0 && row < m_runs.runs().size() ? &m_runs.runs().at(row) : nullptr;
}

void RunModel::setSeries(const QHash<QString, int>& numbers)
{
    if (numbers == m_series)
        return;
    const QHash<QString, int> before = std::exchange(m_series, numbers);
    for (int row = 0; row < m_rows; ++row)
        if (const RunSummary* each = run(row); each && before.value(each->id, -1) != numbers.value(each->id, -1))
            emit dataChanged(index(row, 0), index(row, ColumnCount - 1));
}

void RunModel::tick()
{
    for (int row = 0; row < m_rows; ++row)
        if (const RunSummary* each = run(row); each && !isOver(each->phase))
            emit dataChanged(index(row, State), index(row, Duration));
}

Cell RunModel::cell(const RunSummary& run, int column) const
{
    Cell cell;
    switch (static_cast<Column>(column)) {
    case Name:
        cell.text = run.name;
        cell.font = FontRole::CellStrong;
        cell.suffix = QStringLiteral(" #%1").arg(run.number);
        cell.series = m_series.value(run.id, -1);
        break;
    case State: {
        const StateWords words = runWords(run.phase, run.reason, fractionDone(m_runs, run.id));
        cell.icon = words.icon;
        cell.tone = words.tone;
        cell.text = words.words;
        break;
    }
    case Shape:
        cell.text = shapeText(run);
        break;
    case Started:
        cell.text = startedText(run.createdWallUs, QDateTime::currentDateTime());
        break;
    case Duration:
        cell.text = durationText(run, nowUs());
        break;
    case LastLoss:
        cell.text = std::isnan(run.lastLoss) ? QStringLiteral("–") : figures::decimal(run.lastLoss, 2);
        break;
    case Loss:
        cell.sparkline = run.sparkline;
        cell.sparklineSeries = m_series.value(run.id, -1);
        break;
    case Tags:
        cell.tags = run.tags;
        break;
    case Note:
        cell.text = run.note;
        break;
    case ColumnCount:
        break;
    }
    return cell;
}

QVariant RunModel::sortKey(const RunSummary& run, int column) const
{
    switch (static_cast<Column>(column)) {
    case Shape:
        return static_cast<double>(run.ranks);
    case Started:
        return static_cast<double>(run.createdWallUs);
    case Duration:
        return durationSeconds(run, nowUs());
    case LastLoss:
    case Loss:
        return std::isnan(run.lastLoss) ? INFINITY : run.lastLoss;
    case Name:
    case State:
    case Tags:
    case Note:
    case ColumnCount:
        break;
    }
    return {};
}

QVariant RunModel::data(const QModelIndex& index, int role) const
{
    const RunSummary* each = index.isValid() ? run(index.row()) : nullptr;
    if (!each)
        return {};
    switch (role) {
    case Qt::DisplayRole: {
        if (index.column() == Tags)
            return each->tags.join(QLatin1Char(' '));
        const Cell shown = cell(*each, index.column());
        return QString(shown.text + shown.suffix);
    }
    case kCellRole:
        return QVariant::fromValue(cell(*each, index.column()));
    case kSortRole:
        return sortKey(*each, index.column());
    case Qt::TextAlignmentRole:
        return isNumber(index.column()) ? QVariant(Qt::AlignRight | Qt::AlignVCenter) : QVariant();
    case Qt::ToolTipRole:
        return index.column() == State && !each->reason.isEmpty() ? QVariant(each->reason) : QVariant();
    default:
        return {};
    }
}

QVariant RunModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    if (role == Qt::DisplayRole)
        return QString::fromUtf8(kTitles[static_cast<std::size_t>(section)]);
    if (role == Qt::TextAlignmentRole)
        return QVariant((isNumber(section) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    return {};
}

} // namespace lockstep::ui
