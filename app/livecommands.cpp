// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/livecommands.h"

#include "app/answer.h"
#include "app/jsonvalues.h"
#include "app/noderuncommands.h"
#include "app/plantext.h"
#include "app/terminalrun.h"
#include "app/texttable.h"
#include "core/samemachine.h"
#include "core/specnodes.h"
#include "remote/launcher.h"

#include <QEventLoop>
#include <QFileInfo>

#include <algorithm>
#include <cstdio>

namespace lockstep {
namespace {

// Longer than any single step's own deadline: a check ends with what is known by then.
constexpr std::chrono::seconds kCheckTime{30};

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
    if (options.sending == Sending::Relay)
        spec->relay = true;
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

Result<QList<Node>> selectNodes(const QString& selection, const Desk& desk)
{
    const auto inventory = Inventory::load(desk.folder.inventoryFile());
    if (!inventory)
        return std::unexpected(inventory.error());
    if (inventory->nodes.isEmpty())
        return failure(ErrorCode::BadInput,
                       QStringLiteral("The inventory has no node; `lockstep nodes add` one first."));
    return inventory->select(selection);
}

Result<Target> targetOf(const Options& options, const Desk& desk)
{
    if (options.target.endsWith(QLatin1String(".toml")) || QFileInfo(options.target).isFile()) {
        auto chosen = chooseNodes(options, desk);
        if (!chosen)
            return std::unexpected(chosen.error());
        return Target{std::move(chosen->spec), std::move(chosen->nodes)};
    }
    if (!options.set.isEmpty())
        return failure(ErrorCode::BadInput, QStringLiteral("--set changes a value of a spec, and no spec is named."));
    if (!options.target.isEmpty() && !options.nodes.isEmpty())
        return failure(ErrorCode::BadInput, QStringLiteral("\"%1\" and --nodes %2 both select nodes; leave out one.")
                                                .arg(options.target, options.nodes));
    auto nodes = selectNodes(options.target.isEmpty() ? options.nodes : options.target, desk);
    if (!nodes)
        return std::unexpected(nodes.error());
    return Target{std::nullopt, std::move(*nodes)};
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
    const LaunchPlan& plan = measured->plan;
    if (options.output == Output::Json) {
        printJson(toJson(plan));
    } else if (options.show == Show::Commands) { // bytes: a word need not be text
        const QByteArray lines = plan.commands();
        std::fwrite(lines.constData(), 1, static_cast<std::size_t>(lines.size()), stdout);
        note(problemText(plan.problems));
    } else {
        print(planTable(plan) + problemText(plan.problems));
    }
    return measured->plan.launchable() ? kExitDone : kExitFailed;
}

int attachCommand(const Options& options, const Desk& desk)
{
    const auto inventory = Inventory::load(desk.folder.inventoryFile());
    if (!inventory)
        return leave(inventory.error(), options.output);
    StoreThread store(desk.folder);
    auto id = store.ask([&options](RunStore& runs) { return runs.resolve(options.target); }).get();
    if (!id && !options.nodes.isEmpty())
        id = adoptRun(options, desk, store);
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
    const auto nodes = selectNodes(options.selection(), desk);
    if (!nodes)
        return leave(nodes.error(), options.output);
    Inventory selected;
    selected.nodes = *nodes;

    NodeList list;
    list.setInventory(selected);
    NodeWatch watch(desk.parts, desk.acceptHostKey);
    QEventLoop loop;
    QObject::connect(&watch, &NodeWatch::stateChanged, &loop, [&](const NodeState& state) {
        list.update(state);
        if (std::ranges::all_of(list.nodes(), [](const NodeState& node) { return settled(node.phase); }))
            loop.quit();
    });
    QTimer limit;
    QObject::connect(&limit, &QTimer::timeout, &loop, [&loop, &desk] {
        if (!desk.questions || desk.questions->openQuestions() == 0) // a person takes the time that they take
            loop.quit();
    });
    limit.start(kCheckTime);
    watch.setInventory(selected);
    loop.exec();

    bool ready = true;
    QJsonArray array;
    QList<QStringList> rows;
    for (NodeState state : list.nodes()) {
        if (!settled(state.phase))
            state.sentence = QStringLiteral("%1 has not answered in %2 s: its login shell prints without end, or its "
                                            "line is very slow. Log in there by ssh and look.")
                                 .arg(state.node.name)
                                 .arg(kCheckTime.count());
        ready = ready && state.phase == NodePhase::Ready;
        const QString twin = twinOf(state, list.nodes());
        QJsonObject json = toJson(state);
        json[QStringLiteral("same_machine_as")] = twin.isEmpty() ? QJsonValue() : QJsonValue(twin);
        array << json;
        const QString devices = state.facts ? deviceText(*state.facts) : QStringLiteral("–");
        rows << QStringList{state.node.name, state.node.local ? QStringLiteral("local") : state.node.address.text(),
                            twin.isEmpty() ? sentenceOf(state)
                                           : QStringLiteral("%1, the same machine as %2").arg(sentenceOf(state), twin),
                            devices};
    }
    if (options.output == Output::Json)
        printJson(array);
    else
        print(textTable({"name", "address", "state", "devices"}, rows));
    return ready ? kExitDone : kExitFailed;
}

} // namespace lockstep
