// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/jsonvalues.h"

#include "app/factsjson.h"
#include "core/runfacts.h"

#include <cmath>

namespace lockstep {
namespace {

QJsonValue orNull(const QString& text)
{
    return text.isEmpty() ? QJsonValue() : QJsonValue(text);
}

QJsonValue orNull(double number)
{
    return std::isfinite(number) ? QJsonValue(number) : QJsonValue();
}

// Counts and sizes that are negative while unknown, times that are 0.
QJsonValue known(qint64 number, qint64 least = 0)
{
    return number < least ? QJsonValue() : QJsonValue(number);
}

QJsonObject toJson(const Sourced& value)
{
    return {{"value", value.value}, {"source", value.source}};
}

QJsonObject toJson(const PlannedNode& node)
{
    QJsonArray reach;
    for (const auto& item : node.reach)
        reach << QJsonObject{{"address", item.address}, {"result", item.result}, {"detail", item.detail}};
    return {{"name", node.name},
            {"address", node.address},
            {"node_rank", toJson(node.nodeRank)},
            {"first_rank", node.firstRank},
            {"rank_count", node.rankCount},
            {"ranks", toJson(node.ranks)},
            {"devices", toJson(node.devices)},
            {"cpus", toJson(node.cpus)},
            {"master", toJson(node.master)},
            {"master_round_trip_ms", node.masterRoundTripMs < 0 ? QJsonValue() : QJsonValue(node.masterRoundTripMs)},
            {"interface", toJson(node.interface)},
            {"backend", toJson(node.backend)},
            {"runtime", toJson(node.runtime)},
            {"runtime_folder", orNull(node.runtimeFolder)},
            {"clock", toJson(node.clock)},
            {"reach", reach}};
}

} // namespace

QJsonArray toJson(const QList<Problem>& problems)
{
    QJsonArray array;
    for (const auto& problem : problems) {
        const char* severity = "note";
        switch (problem.severity) {
        case Severity::Note:
            break;
        case Severity::Warning:
            severity = "warning";
            break;
        case Severity::Error:
            severity = "error";
            break;
        }
        array << QJsonObject{{"severity", severity},
                             {"node", orNull(problem.node)},
                             {"title", problem.title},
                             {"detail", problem.detail}};
    }
    return array;
}

const char* toString(NodePhase phase)
{
    switch (phase) {
    case NodePhase::Unknown:
        return "unknown";
    case NodePhase::Connecting:
        return "connecting";
    case NodePhase::Ready:
        return "ready";
    case NodePhase::UnknownHostKey:
        return "unknown_host_key";
    case NodePhase::HostKeyChanged:
        return "host_key_changed";
    case NodePhase::NeedsPassphrase:
        return "needs_passphrase";
    case NodePhase::AuthFailed:
        return "auth_failed";
    case NodePhase::Unreachable:
        return "unreachable";
    case NodePhase::Failed:
        return "failed";
    }
    return "unknown";
}

QJsonObject toJson(const Error& error)
{
    return {{"error", QJsonObject{{"code", toString(error.code)}, {"text", error.text}, {"node", orNull(error.node)}}}};
}

QJsonObject failedNode(const QString& node, const Error& error)
{
    QJsonObject json = toJson(error);
    json["node"] = node;
    return json;
}

QJsonObject toJson(const NodeState& state)
{
    QJsonArray devices;
    for (const int index : state.node.devices)
        devices << index;
    QJsonObject env;
    for (const auto& [name, value] : state.node.env)
        env[QString::fromUtf8(name)] = QString::fromUtf8(value);
    QJsonObject json{{"name", state.node.name},
                     {"address", state.node.local ? QStringLiteral("local") : state.node.address.text()},
                     {"tags", QJsonArray::fromStringList(state.node.tags)},
                     {"slots", known(state.node.slots_, 1)},
                     {"key", orNull(state.node.key)},
                     {"devices", devices},
                     {"interface", orNull(state.node.interface)},
                     {"jump", QJsonArray::fromStringList(state.node.jump)},
                     {"env", env},
                     {"phase", toString(state.phase)},
                     {"sentence", orNull(state.sentence)},
                     {"clock_offset_ms", state.clockOffsetMs ? QJsonValue(*state.clockOffsetMs) : QJsonValue()},
                     {"clock_error_ms", state.clockOffsetMs ? QJsonValue(state.clockErrorMs) : QJsonValue()},
                     {"round_trip_ms", state.roundTripMs < 0 ? QJsonValue() : QJsonValue(state.roundTripMs)},
                     {"facts", state.facts ? QJsonValue(toJson(*state.facts)) : QJsonValue()}};
    if (state.hostKey)
        json["host_key"] = QJsonObject{{"type", state.hostKey->type},
                                       {"fingerprint", state.hostKey->fingerprint},
                                       {"known_fingerprint", orNull(state.hostKey->knownFingerprint)},
                                       {"known_hosts", orNull(state.hostKey->knownHostsLine)}};
    return json;
}

QJsonObject toJson(const LaunchPlan& plan)
{
    QJsonArray nodes, ranks;
    for (const auto& node : plan.nodes)
        nodes << toJson(node);
    for (const auto& rank : plan.ranks) {
        QJsonArray argv;
        for (const auto& word : rank.argv)
            argv << QString::fromUtf8(word);
        QJsonObject env;
        for (const auto& [name, value] : rank.env)
            env[QString::fromUtf8(name)] =
                plan.passedEnv.contains(QString::fromUtf8(name)) ? QJsonValue() : QString::fromUtf8(value);
        ranks << QJsonObject{{"rank", rank.rank},
                             {"local_rank", rank.localRank},
                             {"node", plan.nodes[rank.nodeIndex].name},
                             {"device", rank.device},
                             {"cpus", orNull(rank.cpus)},
                             {"command", orNull(QString::fromUtf8(plan.command(rank.rank)))},
                             {"argv", argv},
                             {"env", env}};
    }
    return {{"master_addr", plan.masterAddr},
            {"master_port", plan.masterPort},
            {"world_size", plan.worldSize},
            {"backend", toString(plan.backend)},
            {"launchable", plan.launchable()},
            {"nodes", nodes},
            {"ranks", ranks},
            {"overridden_env", QJsonArray::fromStringList(plan.overriddenEnv)},
            {"passed_env", QJsonArray::fromStringList(plan.passedEnv)},
            {"dropped_env", QJsonArray::fromStringList(plan.droppedEnv)},
            {"problems", toJson(plan.problems)}};
}

QJsonObject toJson(const RunSummary& run)
{
    return {{"id", run.id},
            {"number", run.number},
            {"name", run.name},
            {"phase", toString(run.phase)},
            {"reason", orNull(run.reason)},
            {"nodes", run.nodes},
            {"ranks", run.ranks},
            {"created_us", known(run.createdWallUs, 1)},
            {"ended_us", known(run.endedWallUs, 1)},
            {"last_loss", orNull(run.lastLoss)}};
}

QJsonObject toJson(const RunState& run)
{
    QJsonArray nodes, ranks;
    for (const auto& node : run.nodes)
        nodes << QJsonObject{{"name", node.name},
                             {"spool_bytes", node.spoolBytes},
                             {"ended", node.ended},
                             {"gone", node.gone},
                             {"left", known(node.left)}};
    for (const auto& rank : run.ranks)
        ranks << QJsonObject{{"rank", rank.rank},
                             {"local_rank", rank.localRank},
                             {"node", run.nodes.value(rank.nodeIndex).name},
                             {"device", rank.device},
                             {"phase", words(rank.phase)},
                             {"reason", orNull(rank.reason)},
                             {"step", known(rank.step)},
                             {"exit_code", known(rank.exitCode)},
                             {"signal", known(rank.signal, 1)}};
    QJsonObject json{{"id", run.id},
                     {"number", run.number},
                     {"name", run.name},
                     {"attempt", run.attempt},
                     {"phase", toString(run.phase)},
                     {"reason", orNull(run.reason)},
                     {"exit_code", isOver(run.phase) ? QJsonValue(run.exitCode()) : QJsonValue()},
                     {"proof", orNull(run.proof())},
                     {"created_us", known(run.createdWallUs, 1)},
                     {"started_us", known(run.startedWallUs, 1)},
                     {"ended_us", known(run.endedWallUs, 1)},
                     {"nodes", nodes},
                     {"ranks", ranks}};
    if (run.cause)
        json["cause"] = QJsonObject{{"rank", run.cause->rank},
                                    {"node", run.cause->node},
                                    {"title", run.cause->title},
                                    {"detail", run.cause->detail},
                                    {"last_lines", QJsonArray::fromStringList(run.cause->lastLines)}};
    return json;
}

QJsonObject toJson(const RunData& run)
{
    QJsonObject json = toJson(run.state());
    QJsonArray facts;
    for (const RunFact& fact : factsOf(run)) {
        QJsonArray ranks;
        for (const int rank : fact.ranks)
            ranks << rank;
        facts << QJsonObject{{"name", fact.name}, {"value", fact.value}, {"ranks", ranks}};
    }
    json["facts"] = facts;
    return json;
}

} // namespace lockstep
