// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/livecommands.h"

#include "app/answer.h"
#include "app/jsonvalues.h"
#include "app/terminalrun.h"
#include "app/texttable.h"
#include "core/specnodes.h"
#include "remote/launcher.h"

#include <QEventLoop>

#include <algorithm>

namespace lockstep {
namespace {

// Longer than any single step's own deadline: a check ends with what is known by then.
constexpr std::chrono::seconds kCheckTime{30};

QString planText(const LaunchPlan& plan)
{
    QList<QStringList> rows;
    for (const auto& node : plan.nodes) {
        rows << QStringList{node.name,         node.nodeRank.value,  node.ranks.value,   node.devices.value,
                            node.master.value, node.interface.value, node.backend.value, node.runtime.value};
        rows << QStringList{node.address,       node.nodeRank.source,  node.ranks.source,   node.devices.source,
                            node.master.source, node.interface.source, node.backend.source, node.runtime.source};
    }
    QString text = textTable(
        {"node", "NODE_RANK", "ranks", "devices", "MASTER_ADDR:PORT", "interface", "backend", "runtime"}, rows);
    if (!plan.droppedEnv.isEmpty())
        text += QStringLiteral("\nOf this shell's environment no rank gets: %1\n").arg(plan.droppedEnv.join(' '));
    for (const auto& problem : plan.problems) {
        const QString word = problem.severity == Severity::Error     ? QStringLiteral("error")
                             : problem.severity == Severity::Warning ? QStringLiteral("warning")
                                                                     : QStringLiteral("note");
        text += QStringLiteral("\n%1: %2 %3\n").arg(word, problem.title, problem.detail);
    }
    return text;
}

QString sentenceOf(const NodeState& state)
{
    QString text = state.sentence;
    if (state.phase == NodePhase::UnknownHostKey && state.hostKey)
        text += QStringLiteral(" (%1 %2)").arg(state.hostKey->type, state.hostKey->fingerprint);
    return text;
}

bool settled(NodePhase phase)
{
    return phase != NodePhase::Unknown && phase != NodePhase::Connecting;
}

} // namespace

Result<RunSpec> specOf(const Options& options)
{
    Result<RunSpec> spec =
        options.verb == Verb::Demo ? Result<RunSpec>(RunSpec::demo()) : RunSpec::load(options.target);
    if (!spec)
        return spec;
    if (!options.nodes.isEmpty())
        spec->nodes = options.nodes;
    for (const auto& assignment : options.set)
        if (auto set = spec->set(assignment); !set)
            return std::unexpected(set.error());
    return spec;
}

Result<Chosen> chooseNodes(const Options& options, const Desk& desk)
{
    auto spec = specOf(options);
    if (!spec)
        return std::unexpected(spec.error());
    const auto inventory = Inventory::load(desk.folder.inventoryFile());
    if (!inventory)
        return std::unexpected(inventory.error());
    auto nodes = nodesFor(*spec, *inventory);
    if (!nodes)
        return std::unexpected(nodes.error());
    return Chosen{std::move(*spec), std::move(*nodes)};
}

int runCommand(const Options& options, const Desk& desk, const std::function<void(const RunData&)>& draw)
{
    const auto chosen = chooseNodes(options, desk);
    if (!chosen)
        return leave(chosen.error(), options.output);
    StoreThread store(desk.folder);
    TerminalRun::Manner manner;
    manner.output = options.output;
    manner.wish = options.follow == Follow::Detach ? TerminalRun::Wish::Detach : TerminalRun::Wish::Follow;
    manner.draw = draw;
    TerminalRun run(desk.parts, store, manner);
    run.launch(chosen->spec, chosen->nodes);
    return run.exec();
}

int planCommand(const Options& options, const Desk& desk)
{
    const auto chosen = chooseNodes(options, desk);
    if (!chosen)
        return leave(chosen.error(), options.output);
    const auto measured = measurePlan(desk.parts, chosen->spec, chosen->nodes, {});
    if (!measured)
        return leave(measured.error(), options.output);
    if (options.output == Output::Json)
        printJson(toJson(measured->plan));
    else
        print(planText(measured->plan));
    return measured->plan.launchable() ? kExitDone : kExitFailed;
}

int attachCommand(const Options& options, const Desk& desk)
{
    const auto inventory = Inventory::load(desk.folder.inventoryFile());
    if (!inventory)
        return leave(inventory.error(), options.output);
    StoreThread store(desk.folder);
    const auto id = store.ask([&options](RunStore& runs) { return runs.resolve(options.target); }).get();
    if (!id)
        return leave(id.error(), options.output);
    TerminalRun::Manner manner;
    manner.output = options.output;
    manner.graceS = options.graceS;
    if (options.verb == Verb::Stop)
        manner.wish = TerminalRun::Wish::Stop;
    else if (options.follow == Follow::Detach)
        manner.wish = TerminalRun::Wish::Detach;
    TerminalRun run(desk.parts, store, manner);
    run.attach(*id, *inventory);
    return run.exec();
}

int checkNodes(const Options& options, const Desk& desk)
{
    auto inventory = Inventory::load(desk.folder.inventoryFile());
    if (!inventory)
        return leave(inventory.error(), options.output);
    const auto nodes = inventory->select(options.nodeArguments.join(QLatin1Char(',')));
    if (!nodes)
        return leave(nodes.error(), options.output);
    inventory->nodes = *nodes;

    NodeList list;
    list.setInventory(*inventory);
    NodeWatch watch(desk.parts, desk.acceptHostKey);
    QEventLoop loop;
    QObject::connect(&watch, &NodeWatch::stateChanged, &loop, [&](const NodeState& state) {
        list.update(state);
        if (std::ranges::all_of(list.nodes(), [](const NodeState& node) { return settled(node.phase); }))
            loop.quit();
    });
    QTimer::singleShot(kCheckTime, &loop, &QEventLoop::quit);
    watch.setInventory(*inventory);
    loop.exec();

    bool ready = true;
    QJsonArray array;
    QList<QStringList> rows;
    for (const auto& state : list.nodes()) {
        ready = ready && state.phase == NodePhase::Ready;
        array << toJson(state);
        const QString devices =
            !state.facts ? QStringLiteral("–")
            : state.facts->devices.isEmpty()
                ? QStringLiteral("CPU, %1 cores").arg(state.facts->cores)
                : QStringLiteral("%1 × %2").arg(state.facts->devices.size()).arg(state.facts->devices[0].name);
        rows << QStringList{state.node.name, state.node.local ? QStringLiteral("local") : state.node.address.text(),
                            sentenceOf(state), devices};
    }
    if (options.output == Output::Json)
        printJson(array);
    else
        print(textTable({"name", "address", "state", "devices"}, rows));
    return ready ? kExitDone : kExitFailed;
}

int acceptNode(const Options& options, const Desk& desk)
{
    const auto inventory = Inventory::load(desk.folder.inventoryFile());
    if (!inventory)
        return leave(inventory.error(), options.output);
    const auto nodes = inventory->select(options.nodeArguments.join(QLatin1Char(',')));
    if (!nodes)
        return leave(nodes.error(), options.output);
    for (const auto& node : *nodes) {
        if (auto accepted = desk.acceptHostKey(node, options.fingerprint); !accepted)
            return leave(accepted.error(), options.output);
        note(QStringLiteral("%1: its host key %2 is known now.").arg(node.name, options.fingerprint));
    }
    return kExitDone;
}

} // namespace lockstep
