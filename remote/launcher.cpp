// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/launcher.h"

#include "core/desktopenvironment.h"
#include "remote/agentcall.h"
#include "remote/eachnode.h"
#include "remote/jobtext.h"
#include "remote/noderuns.h"
#include "remote/preparednode.h"
#include "remote/relay.h"
#include "remote/runstop.h"
#include "remote/runtimeplan.h"
#include "remote/wallclock.h"

#include <variant>

namespace lockstep {

namespace {

using namespace std::chrono_literals;

// From `go` to the last node's answer: the ranks that have started wait that long for the others.
constexpr auto kGoTime = 30s;
constexpr auto kUndoTime = 30s; // after the 30 s of go: a minute in which a cable can be put back
constexpr int kUndoGraceS = 2;
constexpr qint64 kCopiedBytesPerS = 10'000'000; // of the user's folder on a node: a slow disk

struct OpenedNode {
    NodeLink link;
    Probed probed;
};

void say(const LaunchEvents& events, RunPhase phase)
{
    if (events.phase)
        events.phase(phase);
}

void say(const LaunchEvents& events, int nodeIndex, const QString& progress)
{
    if (events.progress)
        events.progress(nodeIndex, progress);
}

// Holds the master's port and lets every other node try its addresses; what they found goes into `nodes`.
Result<std::shared_ptr<HeldPort>> tryMaster(QList<PlanNode>& nodes, const std::vector<OpenedNode>& opened,
                                            const QStringList& addresses, int port, std::stop_token stop)
{
    auto held = HeldPort::hold(opened[0].link, addresses, port, stop);
    if (!held)
        return std::unexpected(held.error());
    auto tried = onEachNode<QList<Reached>>(opened.size() - 1, stop, [&](std::size_t i, std::stop_token step) {
        return tryAddresses(opened[i + 1].link, addresses, held->port(), step);
    });
    if (!tried)
        return std::unexpected(tried.error());
    if (auto closed = held->closeDoors(stop); !closed)
        return std::unexpected(closed.error());
    for (std::size_t i = 0; i < tried->size(); ++i)
        nodes[static_cast<qsizetype>(i) + 1].reached = (*tried)[i];
    return std::make_shared<HeldPort>(std::move(*held));
}

// In the order of the plan, which may leave nodes out.
Result<Measured> sorted(LaunchPlan plan, std::vector<OpenedNode> opened)
{
    Measured measured{std::move(plan), {}, {}, {}, {}, {}, {}};
    for (const PlannedNode& planned : measured.plan.nodes) {
        const auto found = std::find_if(opened.begin(), opened.end(), [&](const OpenedNode& node) {
            return node.link.transport && node.link.transport->node().name == planned.name;
        });
        if (found == opened.end())
            return failure(ErrorCode::NotFound,
                           QStringLiteral("The plan names %1, which is no node of it").arg(planned.name));
        measured.links.push_back(std::move(found->link));
        measured.probes.push_back(std::move(found->probed));
    }
    return measured;
}

struct Placed {
    Deployed program;
    QByteArray filesPath;
};

// What it could not do is done below. Only whole bundles of ours: they hold nothing secret, and the user's folder may.
void passOn(Measured& measured, const LaunchEvents& events, std::stop_token stop)
{
    std::vector<RelayNode> nodes;
    std::vector<int> indexes;
    for (std::size_t i = 0; i < measured.links.size(); ++i)
        if (measured.runtimes[i].kind == RuntimeKind::Bundle) {
            nodes.push_back({&measured.links[i], measured.probes[i].facts, {}, false});
            indexes.push_back(static_cast<int>(i));
        }
    relayBundle(
        nodes, *measured.program, [&](std::size_t i, const QString& words) { say(events, indexes[i], words); },
        std::move(stop));
}

Result<std::vector<Placed>> deployEverywhere(Measured& measured, const LaunchEvents& events, std::stop_token stop)
{
    return onEachNode<Placed>(measured.links.size(), stop, [&](std::size_t i, std::stop_token step) -> Result<Placed> {
        const auto say = [&events, index = static_cast<int>(i)](const QString& words) {
            lockstep::say(events, index, words);
        };
        NodeLink& link = measured.links[i];
        say(QStringLiteral("comparing the bundle"));
        auto program = deployRuntime(link, *measured.program, measured.runtimes[i], say, step);
        if (!program)
            return std::unexpected(program.error());
        Placed placed{*program, {}};
        if (!measured.folder->isEmpty()) {
            auto files = deployFolder(link, *measured.folder, *measured.program, say, step);
            if (!files)
                return std::unexpected(files.error());
            placed.filesPath = files->path;
        }
        say(QStringLiteral("bundle in place"));
        return placed;
    });
}

Result<std::vector<PreparedNode>> prepareEverywhere(const Measured& measured, const std::vector<Placed>& placed,
                                                    const LaunchId& id, const RunSpec& spec, std::stop_token stop)
{
    std::string papers;
    appendPapers(papers, spec, measured.plan);
    const std::chrono::seconds copying(measured.folder->sent.bytes / kCopiedBytesPerS);
    return onEachNode<PreparedNode>(measured.links.size(), stop, [&](std::size_t i, std::stop_token step) {
        const QByteArray job = jobText(measured.plan, static_cast<int>(i),
                                       {.run = id.run,
                                        .attempt = id.attempt,
                                        .graceS = spec.graceS,
                                        .holdS = JobOptions().holdS + static_cast<int>(copying.count()),
                                        .bundlePath = placed[i].program.path,
                                        .papers = papers,
                                        .filesPath = placed[i].filesPath,
                                        .directory = spec.directory.toUtf8()});
        return PreparedNode::prepare(measured.links[i], job, copying, step);
    });
}

// Some may run already: gone on every node before the failure is told.
QString undo(const RunParts& parts, const Measured& measured, const AgentFile& agent, const QString& run)
{
    const auto gone =
        onEachNode<QString>(measured.links.size(), {}, [&](std::size_t i, std::stop_token) -> Result<QString> {
            const Node& node = measured.links[i].transport->node();
            auto proof = stopOnNode(parts.transports, node, agent, run, {kUndoGraceS, StopWish::By::Driver},
                                    Deadline::in(kUndoTime), {});
            if (proof && proof->left == 0)
                return QString();
            if (!proof && proof.error().code == ErrorCode::NotFound)
                return QString();
            return QStringLiteral(" %1 could not be asked to end its ranks; check it.").arg(node.name);
        });
    QString words;
    for (const QString& one : gone.value_or(std::vector<QString>{}))
        words += one;
    return words;
}

} // namespace

Error notLaunchable(const LaunchPlan& plan)
{
    for (const Problem& problem : plan.problems)
        if (problem.severity == Severity::Error)
            return {ErrorCode::BadInput,
                    problem.detail.isEmpty() ? problem.title : problem.title + QStringLiteral(". ") + problem.detail,
                    problem.node};
    return {ErrorCode::BadInput, QStringLiteral("The plan starts no rank"), {}};
}

Result<Measured> measurePlan(const RunParts& parts, const RunSpec& spec, const QList<Node>& nodes, std::stop_token stop)
{
    const auto agent = AgentFile::load(parts.agentFile);
    if (!agent)
        return std::unexpected(agent.error());
    auto opened = onEachNode<OpenedNode>(
        static_cast<std::size_t>(nodes.size()), stop, [&](std::size_t i, std::stop_token step) -> Result<OpenedNode> {
            auto link = openNode(parts.transports, nodes[static_cast<qsizetype>(i)], *agent, step);
            if (!link)
                return std::unexpected(link.error());
            auto probed = probeNode(*link, step);
            if (!probed)
                return std::unexpected(probed.error());
            return OpenedNode{*link, *probed};
        });
    if (!opened)
        return std::unexpected(opened.error());
    QList<PlanNode> planNodes;
    for (std::size_t i = 0; i < opened->size(); ++i)
        planNodes.append({nodes[static_cast<qsizetype>(i)],
                          (*opened)[i].probed.facts,
                          (*opened)[i].probed.clock,
                          {},
                          (*opened)[i].link.transport->hostKey()});
    LaunchPlan plan = makePlan(spec, planNodes, desktopEnvironment());
    const QStringList candidates = masterCandidates(spec, planNodes);
    std::shared_ptr<HeldPort> port;
    if (plan.launchable() && !candidates.isEmpty()) {
        auto tried = tryMaster(planNodes, *opened, candidates, plan.masterPort, stop);
        if (!tried && tried.error().code == ErrorCode::Stopped)
            return std::unexpected(tried.error());
        plan = makePlan(spec, planNodes, desktopEnvironment());
        if (tried) {
            port = *tried;
            plan.setMasterPort(port->port(),
                               spec.masterPort != 0
                                   ? QStringLiteral("asked for, and free")
                                   : QStringLiteral("free on %1, outside the ephemeral range").arg(plan.nodes[0].name));
        } else {
            plan.problems.append({Severity::Error, tried.error().node, tried.error().text, {}});
        }
    }
    auto measured = sorted(std::move(plan), std::move(*opened));
    if (!measured || measured->links.empty())
        return measured;
    measured->port = std::move(port);
    if (auto planned = planRuntimes(*measured, parts, spec, stop); !planned)
        return std::unexpected(planned.error());
    return measured;
}

Result<Launched> launchRun(const RunParts& parts, const RunSpec& spec, const QList<Node>& nodes, const LaunchId& id,
                           const LaunchEvents& events, std::stop_token stop)
{
    say(events, RunPhase::Planning);
    const auto agent = AgentFile::load(parts.agentFile);
    if (!agent)
        return std::unexpected(agent.error());
    auto measured = measurePlan(parts, spec, nodes, stop);
    if (!measured)
        return std::unexpected(measured.error());
    if (events.planned)
        events.planned(measured->plan);
    if (!measured->plan.launchable())
        return std::unexpected(notLaunchable(measured->plan));

    say(events, RunPhase::Deploying);
    if (spec.relay)
        passOn(*measured, events, stop);
    auto placed = deployEverywhere(*measured, events, stop);
    if (!placed)
        return std::unexpected(placed.error());

    say(events, RunPhase::Starting);
    auto prepared = prepareEverywhere(*measured, *placed, id, spec, stop);
    if (!prepared) // the prepared ones read the end of their input, and forget the job
        return std::unexpected(prepared.error());

    if (measured->port)
        measured->port->release({});
    // No stop from here: a go that was given is followed by its answer, or by the proof that nothing runs.
    Launched launched{measured->plan, *agent, {}, wallClockUs()};
    const Deadline deadline = Deadline::in(kGoTime);
    auto gone = onEachNode<std::monostate>(prepared->size(), {}, [&](std::size_t i, std::stop_token) {
        return (*prepared)[i].go(parts.transports, *agent, deadline);
    });
    if (!gone) {
        Error error = gone.error();
        error.text += undo(parts, *measured, *agent, id.run);
        return std::unexpected(error);
    }
    for (std::size_t i = 0; i < measured->links.size(); ++i)
        launched.nodes.push_back(
            {measured->links[i], measured->probes[i], (*placed)[i].program, (*placed)[i].filesPath});
    return launched;
}

} // namespace lockstep
