// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/runmodel.h"

#include "ui/plots/figures.h"
#include "ui/runs/runwords.h"

#include <cmath>

namespace lockstep::ui {

namespace {

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
    : CellModel({{"name"},
                 {"state"},
                 {"nodes × ranks", Qt::AlignRight},
                 {"started"},
                 {"duration", Qt::AlignRight},
                 {"last loss", Qt::AlignRight},
                 {"loss"},
                 {"tags"},
                 {"note"}},
                parent),
      m_runs(runs), m_rows(static_cast<int>(runs.runs().size()))
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

int RunModel::rowsShown() const
{
    return m_rows;
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

Cell RunModel::cellAt(int row, int column) const
{
    const RunSummary* known = run(row);
    Cell cell;
    if (!known)
        return cell;
    const RunSummary& run = *known;
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

QVariant RunModel::sortKeyAt(int row, int column) const
{
    const RunSummary* known = run(row);
    if (!known)
        return {};
    const RunSummary& run = *known;
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

QString RunModel::hintAt(int row, int column) const
{
    const RunSummary* each = run(row);
    return each && column == State ? each->reason : QString();
}

} // namespace lockstep::ui
