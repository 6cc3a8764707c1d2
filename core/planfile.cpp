// SPDX-License-Identifier: GPL-3.0-or-later
// plan.toml: what was started, complete, so that a run can be read without its spec or inventory.
#include "core/launchplan.h"
#include "core/tomlreader.h"
#include "core/tomlwriter.h"

#include <limits>

namespace lockstep {
namespace {

constexpr qint64 kMostInt = std::numeric_limits<int>::max();
const QString kOrigin = QStringLiteral("plan.toml");

void writeSourced(TomlWriter& writer, const QByteArray& key, const Sourced& sourced)
{
    writer.texts(key, QStringList{sourced.value, sourced.source});
}

Sourced readSourced(TomlReader& reader, const QByteArray& key)
{
    const QStringList both = reader.texts(key);
    return both.size() == 2 ? Sourced{both[0], both[1]} : Sourced();
}

const char* severityText(Severity severity)
{
    switch (severity) {
    case Severity::Note:
        return "note";
    case Severity::Warning:
        return "warning";
    case Severity::Error:
        return "error";
    }
    return "";
}

void writeNode(TomlWriter& writer, const PlannedNode& node)
{
    writer.element("node");
    writer.text("name", node.name);
    writer.text("address", node.address);
    writer.boolean("local", node.local);
    writer.integer("first_rank", node.firstRank);
    writer.integer("rank_count", node.rankCount);
    writeSourced(writer, "node_rank", node.nodeRank);
    writeSourced(writer, "ranks", node.ranks);
    writeSourced(writer, "devices", node.devices);
    writeSourced(writer, "cpus", node.cpus);
    writeSourced(writer, "master", node.master);
    writeSourced(writer, "interface", node.interface);
    writeSourced(writer, "backend", node.backend);
    writeSourced(writer, "runtime", node.runtime);
    writeSourced(writer, "clock", node.clock);
    writer.text("runtime_folder", node.runtimeFolder);
    if (node.masterRoundTripMs >= 0)
        writer.real("master_round_trip_ms", node.masterRoundTripMs);
    for (const ReachTry& reach : node.reach) {
        writer.element("node.reach");
        writer.text("address", reach.address);
        writer.text("result", reach.result);
        writer.text("detail", reach.detail);
    }
}

PlannedNode readNode(const TomlValue& table, TomlReader& outer)
{
    TomlReader reader(table, kOrigin);
    PlannedNode node;
    node.name = reader.text("name");
    node.address = reader.text("address");
    node.local = reader.boolean("local");
    node.firstRank = static_cast<int>(reader.integer("first_rank", 0, 0, kMostInt));
    node.rankCount = static_cast<int>(reader.integer("rank_count", 0, 0, kMostInt));
    node.nodeRank = readSourced(reader, "node_rank");
    node.ranks = readSourced(reader, "ranks");
    node.devices = readSourced(reader, "devices");
    node.cpus = readSourced(reader, "cpus");
    node.master = readSourced(reader, "master");
    node.interface = readSourced(reader, "interface");
    node.backend = readSourced(reader, "backend");
    node.runtime = readSourced(reader, "runtime");
    node.clock = readSourced(reader, "clock");
    node.runtimeFolder = reader.text("runtime_folder");
    node.masterRoundTripMs = reader.real("master_round_trip_ms", -1);
    const auto tries = reader.tables("reach");
    for (const TomlValue* one : tries) {
        TomlReader inner(*one, kOrigin);
        node.reach.append({inner.text("address"), inner.text("result"), inner.text("detail")});
        reader.take(inner.finish());
    }
    outer.take(reader.finish());
    return node;
}

// Values that the desktop only passed on may be secrets: they are kept out of the file.
void writeRank(TomlWriter& writer, const PlannedRank& rank, const QStringList& passedEnv)
{
    writer.element("rank");
    writer.integer("rank", rank.rank);
    writer.integer("local_rank", rank.localRank);
    writer.integer("node_index", rank.nodeIndex);
    writer.text("device", rank.device);
    if (!rank.cpus.isEmpty())
        writer.text("cpus", rank.cpus);
    writer.texts("argv", rank.argv);
    QList<QByteArray> env; // a list keeps the order and any name
    for (const auto& [name, value] : rank.env)
        if (!passedEnv.contains(QString::fromUtf8(name)))
            env.append(name + '=' + value);
    writer.texts("env", env);
}

PlannedRank readRank(const TomlValue& table, qsizetype nodes, TomlReader& outer)
{
    TomlReader reader(table, kOrigin);
    PlannedRank rank;
    rank.rank = static_cast<int>(reader.integer("rank", 0, 0, kMostInt));
    rank.localRank = static_cast<int>(reader.integer("local_rank", 0, 0, kMostInt));
    rank.nodeIndex = static_cast<int>(reader.integer("node_index", 0, 0, std::max<qint64>(0, nodes - 1)));
    if (nodes == 0)
        reader.fail(table.line, QStringLiteral("a rank is on no node."));
    rank.device = reader.text("device");
    rank.cpus = reader.text("cpus");
    rank.argv = reader.byteTexts("argv");
    const QList<QByteArray> env = reader.byteTexts("env");
    for (const QByteArray& entry : env) {
        const qsizetype equals = entry.indexOf('=');
        if (equals <= 0)
            reader.fail(table.line, QStringLiteral("an entry of env is no NAME=value."));
        else
            rank.env.append({entry.left(equals), entry.mid(equals + 1)});
    }
    outer.take(reader.finish());
    return rank;
}

Problem readProblem(const TomlValue& table, TomlReader& outer)
{
    TomlReader reader(table, kOrigin);
    Problem problem;
    const QString severity = reader.text("severity");
    for (const Severity one : {Severity::Note, Severity::Warning, Severity::Error}) {
        if (severity == QLatin1String(severityText(one)))
            problem.severity = one;
    }
    problem.node = reader.text("node");
    problem.title = reader.text("title");
    problem.detail = reader.text("detail");
    outer.take(reader.finish());
    return problem;
}

} // namespace

QByteArray LaunchPlan::toToml() const
{
    TomlWriter writer;
    writer.text("master_addr", masterAddr);
    writer.text("master_addr_source", masterAddrSource);
    writer.integer("master_port", masterPort);
    writer.integer("world_size", worldSize);
    writer.text("backend", toString(backend));
    writer.texts("overridden_env", overriddenEnv);
    writer.texts("passed_env", passedEnv);
    writer.texts("dropped_env", droppedEnv);
    if (shareDevices)
        writer.boolean("share_devices", true);
    for (const Problem& problem : problems) {
        writer.element("problem");
        writer.text("severity", QByteArray(severityText(problem.severity)));
        writer.text("node", problem.node);
        writer.text("title", problem.title);
        writer.text("detail", problem.detail);
    }
    for (const PlannedNode& node : nodes)
        writeNode(writer, node);
    for (const PlannedRank& rank : ranks)
        writeRank(writer, rank, passedEnv);
    return writer.result();
}

Result<LaunchPlan> LaunchPlan::parse(const QByteArray& toml)
{
    const Result<TomlValue> document = parseToml(toml, kOrigin);
    if (!document)
        return std::unexpected(document.error());
    TomlReader reader(*document, kOrigin);
    LaunchPlan plan;
    plan.masterAddr = reader.text("master_addr");
    plan.masterAddrSource = reader.text("master_addr_source");
    plan.masterPort = static_cast<int>(reader.integer("master_port", 0, 0, 65535));
    plan.worldSize = static_cast<int>(reader.integer("world_size", 0, 0, kMostInt));
    plan.backend = backendOf(reader.text("backend")).value_or(Backend::Gloo);
    plan.overriddenEnv = reader.texts("overridden_env");
    plan.passedEnv = reader.texts("passed_env");
    plan.droppedEnv = reader.texts("dropped_env");
    plan.shareDevices = reader.boolean("share_devices");
    const auto problems = reader.tables("problem");
    for (const TomlValue* table : problems)
        plan.problems.append(readProblem(*table, reader));
    const auto nodes = reader.tables("node");
    for (const TomlValue* table : nodes)
        plan.nodes.append(readNode(*table, reader));
    const auto ranks = reader.tables("rank");
    for (const TomlValue* table : ranks)
        plan.ranks.append(readRank(*table, plan.nodes.size(), reader));
    if (const Result<void> read = reader.finish(); !read)
        return std::unexpected(read.error());
    return plan;
}

} // namespace lockstep
