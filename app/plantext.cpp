// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/plantext.h"

#include "app/texttable.h"
#include "core/sentence.h"

namespace lockstep {
namespace {

struct Column {
    const char* title;
    Sourced PlannedNode::*value;
};
constexpr Column kColumns[] = {
    {"NODE_RANK", &PlannedNode::nodeRank},
    {"ranks", &PlannedNode::ranks},
    {"devices", &PlannedNode::devices},
    {"CPUs", &PlannedNode::cpus},
    {"interface", &PlannedNode::interface},
    {"backend", &PlannedNode::backend},
    {"clock", &PlannedNode::clock},
    {"runtime", &PlannedNode::runtime},
    {"MASTER_ADDR:PORT", &PlannedNode::master},
};

QString triesText(const LaunchPlan& plan)
{
    QList<QStringList> rows;
    for (const PlannedNode& node : plan.nodes)
        for (const ReachTry& one : node.reach)
            rows << QStringList{node.name, one.address, one.result, one.detail};
    return rows.isEmpty() ? QString() : '\n' + textTable({"node", "address", "tried", "link"}, rows);
}

} // namespace

QString planTable(const LaunchPlan& plan)
{
    QStringList titles{QStringLiteral("node")};
    for (const Column& column : kColumns)
        titles << QLatin1String(column.title);
    QList<QStringList> rows;
    for (const PlannedNode& node : plan.nodes) {
        QStringList values{node.name}, sources{node.address};
        for (const Column& column : kColumns) {
            const Sourced& cell = node.*column.value;
            values << (cell.value.isEmpty() ? QStringLiteral("–") : cell.value);
            sources << cell.source;
        }
        rows << values << sources;
    }
    return textTable(titles, rows) + triesText(plan);
}

QString problemText(const QList<Problem>& problems)
{
    QString text;
    for (const auto& problem : problems)
        text += u'\n' + problemLine(problem) + u'\n';
    return text;
}

QString problemLine(const Problem& problem)
{
    const QString word = problem.severity == Severity::Error     ? QStringLiteral("error")
                         : problem.severity == Severity::Warning ? QStringLiteral("warning")
                                                                 : QStringLiteral("note");
    return QStringLiteral("%1: %2 %3").arg(word, withFullStop(problem.title), problem.detail).trimmed();
}

QString deviceText(const NodeFacts& facts)
{
    return facts.devices.isEmpty() ? QStringLiteral("CPU, %1 cores").arg(facts.cores)
                                   : QStringLiteral("%1 × %2").arg(facts.devices.size()).arg(facts.devices[0].name);
}

} // namespace lockstep
