// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/doctor.h"

#include "app/answer.h"
#include "app/jsonvalues.h"
#include "app/livecommands.h"
#include "app/plantext.h"
#include "app/texttable.h"
#include "core/nodehealth.h"
#include "remote/eachnode.h"
#include "remote/launcher.h"
#include "remote/nodecheck.h"

#include <QMap>

#include <algorithm>

namespace lockstep {
namespace {

void add(QList<Problem>& problems, const QList<Problem>& more)
{
    for (const Problem& problem : more)
        if (!problems.contains(problem))
            problems.append(problem);
}

QString shownNames(const QStringList& names)
{
    constexpr qsizetype kShown = 6;
    const QString first = names.mid(0, kShown).join(QStringLiteral(", "));
    return names.size() <= kShown ? first : QStringLiteral("%1 and %2 more").arg(first).arg(names.size() - kShown);
}

// What ssh_config asks for and is not done; of nodes with the same options, once.
QList<Problem> unusedOptions(const Desk& desk, const QList<Node>& nodes)
{
    const auto unused = onEachNode<QStringList>(
        static_cast<std::size_t>(nodes.size()), {}, [&](std::size_t i, std::stop_token stop) -> Result<QStringList> {
            return desk.unusedSshOptions(nodes[static_cast<qsizetype>(i)], stop);
        });
    QMap<QString, QStringList> byText; // nodes
    for (qsizetype i = 0; unused && i < nodes.size(); ++i)
        if (const QStringList& of = (*unused)[static_cast<std::size_t>(i)]; !of.isEmpty())
            byText[of.join(QStringLiteral("; "))] += nodes[i].name;
    QList<Problem> problems;
    for (auto it = byText.constBegin(); it != byText.constEnd(); ++it)
        problems.append({Severity::Note, it->first(),
                         QStringLiteral("ssh_config asks for what is not done here, on %1").arg(shownNames(*it)),
                         it.key() + u'.'});
    return problems;
}

// Of the nodes alone: how each was reached, and what its facts say.
QList<Problem> problemsOf(const std::vector<NodeState>& states)
{
    QList<Problem> problems;
    QList<PlanNode> known;
    for (const NodeState& state : states) {
        if (state.phase != NodePhase::Ready) {
            problems.append({Severity::Error, state.node.name, QStringLiteral("%1 can't be used").arg(state.node.name),
                             state.sentence});
            continue;
        }
        known.append({state.node,
                      state.facts,
                      state.clockOffsetMs ? ClockOffset::of(*state.clockOffsetMs, state.clockErrorMs) : ClockOffset(),
                      {}});
        add(problems, healthOf(known.last()));
    }
    add(problems, healthOf(known));
    return problems;
}

QString text(const std::vector<NodeState>& states, const std::optional<LaunchPlan>& plan,
             const QList<Problem>& problems)
{
    QList<QStringList> rows;
    for (const NodeState& state : states) {
        PlanNode node{state.node, state.facts, {}, {}, state.hostKey};
        if (state.clockOffsetMs)
            node.clock = ClockOffset::of(*state.clockOffsetMs, state.clockErrorMs);
        rows << QStringList{state.node.name, state.phase == NodePhase::Ready ? QStringLiteral("ready") : state.sentence,
                            clockText(node).value.isEmpty() ? QStringLiteral("–") : clockText(node).value,
                            state.facts ? state.facts->os : QStringLiteral("–"),
                            state.facts ? deviceText(*state.facts) : QStringLiteral("–")};
    }
    QString out = textTable({"name", "state", "clock", "system", "devices"}, rows);
    if (plan)
        out += '\n' + planTable(*plan);
    out += problemText(problems);
    const bool bad = std::ranges::any_of(problems, [](const Problem& p) { return p.severity == Severity::Error; });
    return out + (bad                  ? QStringLiteral("\nNot ready: see the errors above.\n")
                  : problems.isEmpty() ? QStringLiteral("\nReady, nothing found.\n")
                                       : QStringLiteral("\nReady.\n"));
}

} // namespace

int doctorCommand(const Options& options, const Desk& desk)
{
    const auto target = targetOf(options, desk);
    if (!target)
        return leave(target.error(), options.output);
    const auto states =
        onEachNode<NodeState>(static_cast<std::size_t>(target->nodes.size()), {},
                              [&](std::size_t i, std::stop_token stop) -> Result<NodeState> {
                                  return checkNode(desk.parts, target->nodes[static_cast<qsizetype>(i)], stop);
                              });
    if (!states)
        return leave(states.error(), options.output);
    QList<Problem> problems = problemsOf(*states) + unusedOptions(desk, target->nodes);
    std::optional<LaunchPlan> plan;
    const bool all = std::ranges::all_of(*states, [](const NodeState& s) { return s.phase == NodePhase::Ready; });
    if (target->spec && all) {
        const auto measured = measurePlan(desk.parts, *target->spec, target->nodes, {});
        if (!measured)
            return leave(measured.error(), options.output);
        plan = measured->plan;
        add(problems, plan->problems);
    }
    std::ranges::stable_sort(problems, std::ranges::greater{}, &Problem::severity);
    const bool ready = all && std::ranges::none_of(
                                  problems, [](const Problem& problem) { return problem.severity == Severity::Error; });
    if (options.output == Output::Json) {
        QJsonArray nodes;
        for (const NodeState& state : *states)
            nodes << toJson(state);
        printJson(QJsonObject{{"ready", ready},
                              {"nodes", nodes},
                              {"problems", toJson(problems)},
                              {"plan", plan ? QJsonValue(toJson(*plan)) : QJsonValue()}});
    } else {
        print(text(*states, plan, problems));
    }
    return ready ? kExitDone : kExitFailed;
}

} // namespace lockstep
