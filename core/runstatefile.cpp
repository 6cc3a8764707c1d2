// SPDX-License-Identifier: GPL-3.0-or-later
// state.toml: what the desktop knows of a run beside its spools. What the spools say better (a rank's phase) is only
// here for the list of runs.
#include "core/runstate.h"
#include "core/tomlreader.h"
#include "core/tomlwriter.h"

#include <limits>

namespace lockstep {
namespace {

constexpr qint64 kMost = std::numeric_limits<qint64>::max();
constexpr qint64 kMostInt = std::numeric_limits<int>::max();
constexpr qint64 kLeastInt = std::numeric_limits<int>::min();

const char* linkText(LinkPhase phase)
{
    switch (phase) {
    case LinkPhase::Connecting:
        return "connecting";
    case LinkPhase::Live:
        return "live";
    case LinkPhase::Stale:
        return "stale";
    case LinkPhase::Reconnecting:
        return "reconnecting";
    case LinkPhase::Blocked:
        return "blocked";
    case LinkPhase::Ended:
        return "ended";
    }
    return "";
}

LinkPhase linkOf(const QString& text)
{
    for (const LinkPhase phase : {LinkPhase::Connecting, LinkPhase::Live, LinkPhase::Stale, LinkPhase::Reconnecting,
                                  LinkPhase::Blocked, LinkPhase::Ended}) {
        if (text == QLatin1String(linkText(phase)))
            return phase;
    }
    return LinkPhase::Connecting;
}

RankPhase rankPhaseOf(const QString& text)
{
    for (const RankPhase phase : {RankPhase::Waiting, RankPhase::Starting, RankPhase::Training, RankPhase::Finished,
                                  RankPhase::Failed, RankPhase::Victim, RankPhase::Stopped, RankPhase::Lost}) {
        if (text == words(phase))
            return phase;
    }
    return RankPhase::Waiting;
}

int small(TomlReader& reader, const QByteArray& key, int fallback)
{
    return static_cast<int>(reader.integer(key, fallback, kLeastInt, kMostInt));
}

void writeNode(TomlWriter& writer, const NodeRunState& node)
{
    writer.element("node");
    writer.text("name", node.name);
    writer.text("link", QByteArray(linkText(node.link)));
    writer.text("link_reason", node.linkReason);
    writer.integer("last_heard_us", node.lastHeardWallUs);
    writer.integer("spool_bytes", node.spoolBytes);
    writer.integer("spool_bytes_there", node.spoolBytesThere);
    writer.integer("clock_offset_us", node.clockOffsetUs);
    writer.integer("stopping_us", node.stoppingWallUs);
    writer.boolean("ended", node.ended);
    writer.integer("gone", node.gone);
    writer.integer("left", node.left);
    writer.text("progress", node.progress);
}

NodeRunState readNode(const TomlValue& table, const QString& origin, TomlReader& outer)
{
    TomlReader reader(table, origin);
    NodeRunState node;
    node.name = reader.text("name");
    node.link = linkOf(reader.text("link"));
    node.linkReason = reader.text("link_reason");
    node.lastHeardWallUs = reader.integer("last_heard_us", 0, 0, kMost);
    node.spoolBytes = reader.integer("spool_bytes", 0, 0, kMost);
    node.spoolBytesThere = reader.integer("spool_bytes_there", 0, 0, kMost);
    node.clockOffsetUs = reader.integer("clock_offset_us", 0, -kMost, kMost);
    node.stoppingWallUs = reader.integer("stopping_us", 0, 0, kMost);
    node.ended = reader.boolean("ended");
    node.gone = small(reader, "gone", 0);
    node.left = small(reader, "left", -1);
    node.progress = reader.text("progress");
    outer.take(reader.finish());
    return node;
}

void writeRank(TomlWriter& writer, const RankState& rank)
{
    writer.element("rank");
    writer.integer("rank", rank.rank);
    writer.integer("local_rank", rank.localRank);
    writer.integer("node_index", rank.nodeIndex);
    writer.text("device", rank.device);
    writer.integer("pid", rank.pid);
    writer.text("phase", words(rank.phase));
    writer.text("reason", rank.reason);
    writer.integer("exit_code", rank.exitCode);
    writer.integer("signal", rank.signal);
    writer.integer("ended_us", rank.endedWallUs);
    writer.integer("step", rank.step);
}

RankState readRank(const TomlValue& table, const QString& origin, qsizetype nodes, TomlReader& outer)
{
    TomlReader reader(table, origin);
    RankState rank;
    rank.rank = small(reader, "rank", 0);
    rank.localRank = small(reader, "local_rank", 0);
    rank.nodeIndex = static_cast<int>(reader.integer("node_index", 0, 0, std::max<qint64>(0, nodes - 1)));
    rank.device = reader.text("device");
    rank.pid = reader.integer("pid", 0, 0, kMost);
    rank.phase = rankPhaseOf(reader.text("phase"));
    rank.reason = reader.text("reason");
    rank.exitCode = small(reader, "exit_code", -1);
    rank.signal = small(reader, "signal", 0);
    rank.endedWallUs = reader.integer("ended_us", 0, 0, kMost);
    rank.step = reader.integer("step", -1, -1, kMost);
    outer.take(reader.finish());
    return rank;
}

FirstCause readCause(const TomlValue& table, const QString& origin, TomlReader& outer)
{
    TomlReader reader(table, origin);
    FirstCause cause;
    cause.rank = small(reader, "rank", -1);
    cause.node = reader.text("node");
    cause.title = reader.text("title");
    cause.detail = reader.text("detail");
    cause.lastLines = reader.texts("last_lines");
    cause.victims = reader.integers("victims", 0);
    outer.take(reader.finish());
    return cause;
}

} // namespace

std::optional<RunPhase> runPhaseOf(const QString& text)
{
    for (const RunPhase phase :
         {RunPhase::Planning, RunPhase::Deploying, RunPhase::Starting, RunPhase::Running, RunPhase::Stopping,
          RunPhase::Finished, RunPhase::Failed, RunPhase::Stopped, RunPhase::Lost}) {
        if (text == QLatin1String(toString(phase)))
            return phase;
    }
    return std::nullopt;
}

QByteArray toToml(const RunState& state)
{
    TomlWriter writer;
    writer.text("id", state.id);
    writer.integer("number", state.number);
    writer.text("name", state.name);
    writer.integer("attempt", state.attempt);
    writer.text("phase", QByteArray(toString(state.phase)));
    writer.text("reason", state.reason);
    writer.boolean("stop_requested", state.stopRequested);
    writer.integer("created_us", state.createdWallUs);
    writer.integer("started_us", state.startedWallUs);
    writer.integer("ended_us", state.endedWallUs);
    if (state.cause) {
        writer.table("cause");
        writer.integer("rank", state.cause->rank);
        writer.text("node", state.cause->node);
        writer.text("title", state.cause->title);
        writer.text("detail", state.cause->detail);
        writer.texts("last_lines", state.cause->lastLines);
        writer.integers("victims", state.cause->victims);
    }
    for (const NodeRunState& node : state.nodes)
        writeNode(writer, node);
    for (const RankState& rank : state.ranks)
        writeRank(writer, rank);
    return writer.result();
}

Result<RunState> parseRunState(const QByteArray& toml, const QString& origin)
{
    const Result<TomlValue> document = parseToml(toml, origin);
    if (!document)
        return std::unexpected(document.error());
    TomlReader reader(*document, origin);
    RunState state;
    state.id = reader.text("id");
    state.number = small(reader, "number", 0);
    state.name = reader.text("name");
    state.attempt = small(reader, "attempt", 1);
    if (const auto phase = runPhaseOf(reader.text("phase")))
        state.phase = *phase;
    else
        reader.fail(reader.line("phase"), QStringLiteral("this phase is not known."));
    state.reason = reader.text("reason");
    state.stopRequested = reader.boolean("stop_requested");
    state.createdWallUs = reader.integer("created_us", 0, 0, kMost);
    state.startedWallUs = reader.integer("started_us", 0, 0, kMost);
    state.endedWallUs = reader.integer("ended_us", 0, 0, kMost);
    if (const TomlValue* cause = reader.table("cause"))
        state.cause = readCause(*cause, origin, reader);
    const auto nodes = reader.tables("node");
    for (const TomlValue* table : nodes)
        state.nodes.append(readNode(*table, origin, reader));
    const auto ranks = reader.tables("rank");
    for (const TomlValue* table : ranks)
        state.ranks.append(readRank(*table, origin, state.nodes.size(), reader));
    if (const Result<void> read = reader.finish(); !read)
        return std::unexpected(read.error());
    return state;
}

} // namespace lockstep
