// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/comparison.h"

#include "ui/launch/specfields.h"
#include "ui/plots/figures.h"
#include "ui/runs/runwords.h"
#include "ui/widgets/plaintooltip.h"

#include <algorithm>
#include <cmath>

namespace lockstep::ui {

namespace {

QString valueOf(const QList<QPair<QString, QString>>& settings, const QString& name)
{
    const auto found = std::ranges::find_if(settings, [&](const auto& each) { return each.first == name; });
    return found == settings.end()   ? QStringLiteral("not set")
           : found->second.isEmpty() ? QStringLiteral("–")
                                     : found->second;
}

QString lowest(const RunSummary& run)
{
    float low = INFINITY;
    for (const float value : run.sparkline)
        if (std::isfinite(value))
            low = std::min(low, value);
    return std::isfinite(low) ? figures::decimal(static_cast<double>(low), 2) : QStringLiteral("–");
}

} // namespace

void Comparison::setRuns(const QList<RunSummary>& runs, const QHash<QString, RunSpec>& specs, Show show)
{
    beginResetModel();
    m_runs = runs.first(std::min<qsizetype>(runs.size(), kMostRuns));
    m_rows.clear();
    m_differing = m_settings = 0;
    addSettings(specs, show);
    addResults();
    endResetModel();
}

void Comparison::addSettings(const QHash<QString, RunSpec>& specs, Show show)
{
    if (m_runs.isEmpty() || !std::ranges::all_of(m_runs, [&](const RunSummary& run) { return specs.contains(run.id); }))
        return;
    QList<QList<QPair<QString, QString>>> settings;
    QStringList names;
    for (const RunSummary& run : m_runs) {
        settings.append(settingsOf(specs.value(run.id)));
        for (const auto& [name, value] : settings.last())
            if (!names.contains(name))
                names.append(name);
    }
    m_settings = static_cast<int>(names.size());
    for (const QString& name : names) {
        Row row{name, {}, Row::Kind::Same};
        for (const auto& each : settings)
            row.values.append(valueOf(each, name));
        const bool same = row.values.count(row.values.first()) == row.values.size();
        row.kind = same ? Row::Kind::Same : Row::Kind::Differs;
        m_differing += same ? 0 : 1;
        if (!same || show == Show::All)
            m_rows.append(row);
    }
}

void Comparison::addResults()
{
    if (m_runs.isEmpty())
        return;
    m_rows.append({QStringLiteral("Results"), {}, Row::Kind::Title});
    const auto add = [this](const QString& name, auto value) {
        Row row{name, {}, Row::Kind::Result};
        for (const RunSummary& run : m_runs)
            row.values.append(value(run));
        m_rows.append(row);
    };
    const qint64 now = QDateTime::currentMSecsSinceEpoch() * 1000;
    add(QStringLiteral("state"), [](const RunSummary& run) { return runWords(run.phase, run.reason, -1).words; });
    add(QStringLiteral("last loss, mean"), [](const RunSummary& run) {
        return std::isnan(run.lastLoss) ? QStringLiteral("–") : figures::decimal(run.lastLoss, 2);
    });
    add(QStringLiteral("lowest loss"), lowest);
    add(QStringLiteral("duration"), [now](const RunSummary& run) { return durationText(run, now); });
    add(QStringLiteral("ranks"), [](const RunSummary& run) { return QString::number(run.ranks); });
}

int Comparison::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int Comparison::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : 1 + static_cast<int>(m_runs.size());
}

QVariant Comparison::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= m_rows.size() ||
        (role != Qt::DisplayRole && role != kCellRole && role != Qt::ToolTipRole))
        return {};
    const Row& row = m_rows.at(index.row());
    Cell cell;
    if (index.column() == 0) {
        cell.text = row.name;
        cell.tone = row.kind == Row::Kind::Title ? Tone::Text : Tone::Text2;
        cell.font = row.kind == Row::Kind::Title ? FontRole::PanelTitle : FontRole::Cell;
    } else {
        cell.text = row.values.value(index.column() - 1);
        cell.font = row.kind == Row::Kind::Differs ? FontRole::CellStrong : FontRole::Cell;
    }
    if (role == Qt::ToolTipRole)
        return plainToolTip(cell.text);
    return role == kCellRole ? QVariant::fromValue(cell) : QVariant(cell.text);
}

QVariant Comparison::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section < 0 || section > m_runs.size())
        return {};
    return section == 0 ? QString() : QStringLiteral("#%1").arg(m_runs.at(section - 1).number);
}

} // namespace lockstep::ui
