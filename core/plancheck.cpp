// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plancheck.h"

#include "core/planenvironment.h"
#include "core/samemachine.h"

#include <QSet>

#include <algorithm>

namespace lockstep {
namespace {

void addError(QList<Problem>& problems, const QString& node, const QString& title, const QString& detail)
{
    problems.append({Severity::Error, node, title, detail});
}

// Two names of one machine would use its devices twice.
void checkMachines(QList<Problem>& problems, const QList<PlanNode>& nodes)
{
    QList<MachineIdentity> machines;
    for (const PlanNode& node : nodes) {
        machines.append(identityOf(node.node, node.facts, node.hostKey));
        for (qsizetype i = 0; i + 1 < machines.size(); ++i)
            if (nodes[i].node.name != node.node.name && isSameMachine(machines[i], machines.last()))
                addError(
                    problems, node.node.name,
                    QStringLiteral("%1 and %2 are one machine").arg(nodes[i].node.name, node.node.name),
                    QStringLiteral("Both lead to the same place and show the same host key. Choose one of them; for "
                                   "more ranks raise ranks_per_node."));
    }
}

} // namespace

QList<Problem> tellEnvironment(const LaunchPlan& plan)
{
    QList<Problem> problems;
    const auto tell = [&problems](const QString& title, const QStringList& names) {
        if (!names.isEmpty())
            problems.append({Severity::Note, {}, title, names.join(u' ') + u'.'});
    };
    tell(QStringLiteral("Of this machine's environment no rank gets what would steer its launch"), plan.droppedEnv);
    tell(QStringLiteral("Of this machine's environment the ranks get what the spec names"), plan.passedEnv);
    tell(QStringLiteral("The spec overrides what Lockstep sets"), plan.overriddenEnv);
    return problems;
}

QList<Problem> checkNodes(const QList<PlanNode>& nodes)
{
    QList<Problem> problems;
    if (nodes.isEmpty())
        addError(problems, {}, QStringLiteral("No node is chosen"),
                 QStringLiteral("Choose at least one under Nodes, or leave the selection empty for this machine."));
    QSet<QString> seen;
    for (const PlanNode& node : nodes) {
        if (const Result<void> named = checkNodeName(node.node.name); !named)
            addError(problems, node.node.name, QStringLiteral("\"%1\" can't be a node's name").arg(node.node.name),
                     named.error().text);
        if (seen.contains(node.node.name))
            addError(problems, node.node.name, QStringLiteral("%1 is chosen twice").arg(node.node.name),
                     QStringLiteral("A node takes part once; for more ranks raise ranks_per_node."));
        seen.insert(node.node.name);
        for (const auto& [name, value] : node.node.env)
            if (isOwnVariable(name))
                addError(
                    problems, node.node.name, QStringLiteral("%1 is set by Lockstep").arg(QString::fromUtf8(name)),
                    QStringLiteral("The inventory gives it a value for %1; take it out there. If it is meant, write "
                                   "it in [env_override] of the spec.")
                        .arg(node.node.name));
    }
    checkMachines(problems, nodes);
    return problems;
}

QList<Problem> checkSpec(const RunSpec& spec, const QList<PlanNode>& nodes)
{
    QList<Problem> problems;
    if (const Result<int> port = parsePort(QString::number(spec.masterPort), spec.allowLowPort); !port)
        addError(problems, {}, QStringLiteral("The master port can't be used"), port.error().text);
    for (const TrainerOption& option : spec.trainer) {
        if (const Result<void> named = checkOptionName(option.name); !named)
            addError(problems, {}, QStringLiteral("\"%1\" is no option of the trainer").arg(option.name),
                     named.error().text);
    }
    for (const NodeSettings& settings : spec.nodeSettings) {
        const bool there = std::any_of(nodes.begin(), nodes.end(),
                                       [&](const PlanNode& node) { return node.node.name == settings.node; });
        if (!there)
            problems.append({Severity::Warning, settings.node, QStringLiteral("%1 takes no part").arg(settings.node),
                             QStringLiteral("The spec's [node.%1] has no effect.").arg(settings.node)});
    }
    return problems;
}

QList<Problem> checkPort(const LaunchPlan& plan, const QList<PlanNode>& nodes)
{
    QList<Problem> problems;
    const auto& facts = nodes[0].facts;
    const int port = plan.masterPort;
    if (facts && port > 0 && facts->portLow > 0 && port >= facts->portLow && port <= facts->portHigh)
        problems.append(
            {Severity::Warning, nodes[0].node.name,
             QStringLiteral("Port %1 is among the ports that %2 gives to outgoing connections")
                 .arg(port)
                 .arg(nodes[0].node.name),
             QStringLiteral("%1 to %2 are; somebody may have it when the ranks start. master_port = 0 takes one "
                            "outside.")
                 .arg(facts->portLow)
                 .arg(facts->portHigh)});
    for (const PlanNode& node : nodes)
        for (const Reached& tried : node.reached)
            if (plan.overriddenEnv.contains(QLatin1String("MASTER_ADDR")) && tried.address == plan.masterAddr &&
                tried.roundTripMs < 0)
                addError(problems, node.node.name,
                         QStringLiteral("%1 cannot reach MASTER_ADDR %2").arg(node.node.name, tried.address),
                         QStringLiteral("It says: %1. The address stands in [env_override].").arg(tried.why));
    return problems;
}

QList<Problem> checkMtu(const LaunchPlan& plan, const QList<PlanNode>& nodes)
{
    QList<Problem> problems;
    QStringList told;
    int first = -1;
    bool differ = false;
    for (int i = 0; i < nodes.size(); ++i) {
        if (!nodes[i].facts)
            continue;
        for (const NetInterface& interface : nodes[i].facts->interfaces) {
            if (interface.name != plan.nodes[i].interface.value || interface.mtu <= 0)
                continue;
            told.append(QStringLiteral("%1 %2 has %3").arg(nodes[i].node.name, interface.name).arg(interface.mtu));
            differ = differ || (first > 0 && interface.mtu != first);
            first = interface.mtu;
        }
    }
    if (differ)
        problems.append({Severity::Warning,
                         {},
                         QStringLiteral("The MTU of the links differs"),
                         QStringLiteral("%1. Where a switch between them drops large packets, the ranks "
                                        "connect and then hang.")
                             .arg(told.join(QLatin1String(", ")))});
    return problems;
}

} // namespace lockstep
