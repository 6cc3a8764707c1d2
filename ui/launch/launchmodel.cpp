// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/launch/launchmodel.h"

#include <algorithm>

namespace lockstep::ui {

namespace {

QStringList names(const LaunchPlan& plan)
{
    QStringList all;
    for (const PlannedNode& node : plan.nodes)
        all.append(node.name);
    return all;
}

QList<Problem> problemsOf(const LaunchPlan& plan, const QString& node)
{
    QList<Problem> mine;
    std::ranges::copy_if(plan.problems, std::back_inserter(mine), [&](const Problem& p) { return p.node == node; });
    return mine;
}

} // namespace

LaunchModel::LaunchModel(QObject* parent)
    : CellModel({{"node"},
                 {"NODE_RANK"},
                 {"ranks"},
                 {"devices"},
                 {"CPUs"},
                 {"MASTER_ADDR:PORT"},
                 {"interface"},
                 {"backend"},
                 {"clock"},
                 {"runtime"},
                 {"problems"}},
                parent)
{
}

void LaunchModel::setPlan(const LaunchPlan& plan)
{
    if (names(plan) != names(m_plan)) {
        beginResetModel();
        m_plan = plan;
        endResetModel();
        return;
    }
    const LaunchPlan before = std::exchange(m_plan, plan);
    for (int row = 0; row < m_plan.nodes.size(); ++row) {
        const QString& name = m_plan.nodes[row].name;
        if (m_plan.nodes[row] != before.nodes[row] || problemsOf(m_plan, name) != problemsOf(before, name))
            emit dataChanged(index(row, 0), index(row, ColumnCount - 1));
    }
}

const Sourced* LaunchModel::sourced(int row, int column) const
{
    if (row < 0 || row >= m_plan.nodes.size())
        return nullptr;
    const PlannedNode& node = m_plan.nodes[row];
    switch (static_cast<Column>(column)) {
    case NodeRank:
        return &node.nodeRank;
    case Ranks:
        return &node.ranks;
    case Devices:
        return &node.devices;
    case Cpus:
        return &node.cpus;
    case Master:
        return &node.master;
    case Interface:
        return &node.interface;
    case BackendColumn:
        return &node.backend;
    case Clock:
        return &node.clock;
    case Runtime:
        return &node.runtime;
    case Node:
    case Problems:
    case ColumnCount:
        break;
    }
    return nullptr;
}

int LaunchModel::rowsShown() const
{
    return static_cast<int>(m_plan.nodes.size());
}

Cell LaunchModel::problemsCell(const QString& node) const
{
    const QList<Problem> mine = problemsOf(m_plan, node);
    const auto count = [&](Severity severity) { return std::ranges::count(mine, severity, &Problem::severity); };
    const auto errors = count(Severity::Error), warnings = count(Severity::Warning);
    Cell cell;
    if (errors + warnings == 0) {
        cell.icon = Icon::Ok;
        cell.tone = Tone::Ok;
        cell.text = QStringLiteral("none");
        cell.source = mine.isEmpty() ? QStringLiteral("nothing found") : mine.first().title;
        return cell;
    }
    cell.icon = errors > 0 ? Icon::Bad : Icon::Warn;
    cell.tone = errors > 0 ? Tone::Bad : Tone::Warn;
    const auto shown = errors > 0 ? errors : warnings;
    const QString word = errors > 0 ? QStringLiteral("error") : QStringLiteral("warning");
    cell.text = QStringLiteral("%1 %2%3").arg(shown).arg(word, shown == 1 ? QString() : QStringLiteral("s"));
    cell.source = std::ranges::find_if(mine, [&](const Problem& p) {
                      return p.severity == (errors > 0 ? Severity::Error : Severity::Warning);
                  })->title;
    return cell;
}

Cell LaunchModel::cellAt(int row, int column) const
{
    const PlannedNode& node = m_plan.nodes[row];
    Cell cell;
    if (column == Node) {
        cell.text = node.name;
        cell.source = node.local ? QStringLiteral("this machine") : node.address;
        cell.font = FontRole::PanelTitle;
        return cell;
    }
    if (column == Problems)
        return problemsCell(node.name);
    const Sourced& value = *sourced(row, column);
    cell.font = FontRole::Control;
    cell.text = value.value.isEmpty() ? QStringLiteral("–") : value.value;
    cell.source = value.source.isEmpty() ? QStringLiteral("not measured yet") : value.source;
    if (value.value.isEmpty())
        cell.tone = Tone::Text3;
    if (column == Master &&
        std::ranges::any_of(node.reach,
                            [](const ReachTry& each) { return each.result.startsWith(QLatin1String("reached")); }) &&
        value.source.startsWith(QLatin1String("reached"))) {
        cell.icon = Icon::Check;
        cell.iconTone = Tone::Ok;
    }
    return cell;
}

QVariant LaunchModel::sortKeyAt(int row, int column) const
{
    return column <= Ranks ? QVariant(static_cast<double>(row)) : QVariant();
}

QString LaunchModel::hintAt(int row, int column) const
{
    const Cell shown = cellAt(row, column);
    return QStringLiteral("%1: %2").arg(shown.text, shown.source);
}

} // namespace lockstep::ui
