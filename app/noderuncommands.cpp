// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/noderuncommands.h"

#include "app/answer.h"
#include "app/jsonvalues.h"
#include "app/livecommands.h"
#include "app/texttable.h"
#include "remote/eachnode.h"
#include "remote/noderuns.h"

#include <QSet>

namespace lockstep {
namespace {

std::vector<Result<QList<NodeRun>>> askRuns(const Desk& desk, const AgentFile& agent, const QList<Node>& nodes)
{
    const auto askOne = [&](std::size_t i, std::stop_token stop) -> Result<Result<QList<NodeRun>>> {
        const auto link = openNode(desk.parts.transports, nodes[static_cast<qsizetype>(i)], agent, stop);
        return link ? runsOn(*link, stop) : std::unexpected(link.error());
    };
    return *onEachNode<Result<QList<NodeRun>>>(static_cast<std::size_t>(nodes.size()), {}, askOne);
}

struct Asked {
    AgentFile agent;
    QList<Node> nodes;
    std::vector<Result<QList<NodeRun>>> runs; // of each node
};

Result<Asked> ask(const Desk& desk, const QString& selection)
{
    auto agent = AgentFile::load(desk.parts.agentFile);
    if (!agent)
        return std::unexpected(agent.error());
    auto nodes = selectNodes(selection, desk);
    if (!nodes)
        return std::unexpected(nodes.error());
    auto runs = askRuns(desk, *agent, *nodes);
    return Asked{std::move(*agent), std::move(*nodes), std::move(runs)};
}

QString standingWords(const NodeRun& run)
{
    if (run.isLeftover())
        return QStringLiteral("left behind: nobody looks after its processes");
    return words(run.standing);
}

} // namespace

int listNodeRuns(const Options& options, const Desk& desk)
{
    const auto asked = ask(desk, options.selection());
    if (!asked)
        return leave(asked.error(), options.output);
    QSet<QString> known;
    if (const auto own = RunStore(desk.folder).list())
        for (const RunSummary& run : *own)
            known.insert(run.id);
    QJsonArray array;
    QList<QStringList> rows;
    bool all = true;
    for (std::size_t i = 0; i < asked->runs.size(); ++i) {
        const QString& node = asked->nodes[static_cast<qsizetype>(i)].name;
        if (!asked->runs[i]) {
            note(asked->runs[i].error().text);
            array << failedNode(node, asked->runs[i].error());
            all = false;
            continue;
        }
        for (const NodeRun& run : *asked->runs[i]) {
            array << QJsonObject{{"node", node},
                                 {"run", run.run},
                                 {"attempt", run.attempt},
                                 {"phase", words(run.standing)},
                                 {"processes", run.processes},
                                 {"spool_bytes", run.spoolBytes},
                                 {"leftover", run.isLeftover()},
                                 {"known_here", known.contains(run.run)}};
            rows << QStringList{node,
                                run.run,
                                QString::number(run.attempt),
                                standingWords(run),
                                QString::number(run.processes),
                                known.contains(run.run) ? QStringLiteral("this one") : QStringLiteral("another")};
        }
    }
    if (options.output == Output::Json)
        printJson(array);
    else
        print(textTable({"node", "run", "attempt", "state", "processes", "desktop"}, rows));
    return all ? kExitDone : kExitFailed;
}

int cleanNodes(const Options& options, const Desk& desk)
{
    const auto nodes = selectNodes(options.selection(), desk);
    if (!nodes)
        return leave(nodes.error(), options.output);
    const auto cleanOne = [&](std::size_t i, std::stop_token stop) -> Result<Result<QList<CleanedRun>>> {
        return cleanNode(desk.parts, (*nodes)[static_cast<qsizetype>(i)], stop);
    };
    const auto cleaned = *onEachNode<Result<QList<CleanedRun>>>(static_cast<std::size_t>(nodes->size()), {}, cleanOne);
    QJsonArray array;
    bool allGone = true;
    for (std::size_t i = 0; i < cleaned.size(); ++i) {
        const QString& node = (*nodes)[static_cast<qsizetype>(i)].name;
        if (!cleaned[i]) {
            note(cleaned[i].error().text);
            array << failedNode(node, cleaned[i].error());
            allGone = false;
            continue;
        }
        for (const auto& [run, proof] : *cleaned[i]) {
            array << QJsonObject{{"node", node}, {"run", run}, {"gone", proof.gone}, {"left", proof.left}};
            allGone = allGone && proof.left == 0;
            if (options.output == Output::Text)
                print(QStringLiteral("%1: %2 processes of %3 gone, %4 left behind\n")
                          .arg(node)
                          .arg(proof.gone)
                          .arg(run)
                          .arg(proof.left));
        }
    }
    if (options.output == Output::Json)
        printJson(array);
    else if (allGone && array.isEmpty())
        note(QStringLiteral("Nothing was left behind."));
    return allGone ? kExitDone : kExitFailed;
}

Result<QString> adoptRun(const Options& options, const Desk& desk, StoreThread& store)
{
    const auto asked = ask(desk, options.nodes);
    if (!asked)
        return std::unexpected(asked.error());
    QString id;
    std::optional<std::size_t> where;
    QStringList silent;
    for (std::size_t i = 0; i < asked->runs.size(); ++i) {
        if (!asked->runs[i]) {
            silent << asked->runs[i].error().text;
            continue;
        }
        for (const NodeRun& run : *asked->runs[i]) {
            if (!run.run.startsWith(options.target))
                continue;
            if (!id.isEmpty() && id != run.run)
                return failure(
                    ErrorCode::BadInput,
                    QStringLiteral("\"%1\" is the beginning of %2 and of %3").arg(options.target, id, run.run));
            id = run.run;
            where = i;
        }
    }
    if (!where)
        return failure(ErrorCode::NotFound,
                       QStringLiteral("No node of %1 has a run \"%2\"; \"lockstep nodes runs\" lists them. %3")
                           .arg(options.nodes, options.target, silent.join(u' '))
                           .trimmed());
    const auto link = openNode(desk.parts.transports, asked->nodes[static_cast<qsizetype>(*where)], asked->agent, {});
    if (!link)
        return std::unexpected(link.error());
    auto papers = papersOf(*link, id, {});
    if (!papers)
        return std::unexpected(papers.error());
    for (PlannedNode& node : papers->plan.nodes)
        node.local = false; // of the desktop that launched it
    const auto state =
        store
            .ask([&id, &papers](RunStore& runs) { return runs.adopt(id, papers->spec, papers->plan, papers->attempt); })
            .get();
    if (!state)
        return std::unexpected(state.error());
    return id;
}

} // namespace lockstep
