// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/noderuns.h"

#include "remote/agentcall.h"
#include "remote/jobtext.h"

#include <QHash>
#include <QtEndian>

#include <algorithm>

namespace lockstep {

namespace {

using namespace std::chrono_literals;

constexpr auto kListTime = 20s;  // a login shell of 5 s, a slow disk
constexpr auto kCleanTime = 60s; // grace, KILL, sweep, proof
constexpr int kCleanGraceS = 3;
constexpr qsizetype kMostPaperBytes = 64 << 20; // unpacked

constexpr qint64 kMostAttempt = 1'000'000; // as the agent takes it: bytes from outside
constexpr qint64 kMostProcesses = 4 << 20; // Linux counts no further
constexpr int kSmallest = 9;               // zlib's level: they are sent to every node
constexpr char kSpecName[] = "spec.toml", kPlanName[] = "plan.toml";

// The length in front is from outside: looked at before anything is allocated for it.
Result<QByteArray> unpacked(const QByteArray& packed, const QString& node)
{
    if (packed.size() > 4 && qFromBigEndian<quint32>(packed.constData()) <= kMostPaperBytes)
        if (QByteArray text = qUncompress(packed); !text.isEmpty())
            return text;
    return failure(ErrorCode::Protocol, QStringLiteral("What %1 says of the run can't be unpacked").arg(node), node);
}

NodeRun runOf(const AgentRecord& record)
{
    NodeRun run;
    run.run = record.text("run");
    run.node = record.text("node");
    run.attempt = static_cast<int>(std::clamp<qint64>(record.integer("attempt").value_or(1), 1, kMostAttempt));
    run.standing = record.text("phase") == QLatin1String("running") ? NodeRun::Standing::Running
                   : record.text("phase") == QLatin1String("ended") ? NodeRun::Standing::Ended
                                                                    : NodeRun::Standing::Lost;
    run.supervisor = record.integer("pid").value_or(0);
    run.spoolBytes = record.integer("spool_bytes").value_or(0);
    run.processes = static_cast<int>(std::clamp<qint64>(record.integer("left").value_or(0), 0, kMostProcesses));
    return run;
}

} // namespace

Result<QList<NodeRun>> runsOn(const NodeLink& link, std::stop_token stop)
{
    const Deadline deadline = Deadline::in(kListTime);
    auto call = AgentCall::start(*link.transport, link.agent.path, {"list"}, deadline, stop);
    if (!call)
        return std::unexpected(call.error());
    const auto records = call->all(deadline, stop);
    if (!records)
        return std::unexpected(records.error());
    QList<NodeRun> runs;
    for (const AgentRecord& record : *records)
        if (record.kind == "run")
            runs.append(runOf(record));
    return runs;
}

Result<QList<CleanedRun>> cleanNode(const RunParts& parts, const Node& node, std::stop_token stop)
{
    const auto agent = AgentFile::load(parts.agentFile);
    if (!agent)
        return std::unexpected(agent.error());
    const auto link = openNode(parts.transports, node, *agent, stop);
    if (!link)
        return std::unexpected(link.error());
    const auto runs = runsOn(*link, stop);
    if (!runs)
        return std::unexpected(runs.error());
    QList<CleanedRun> cleaned;
    for (const NodeRun& run : *runs) {
        if (!run.isLeftover())
            continue;
        const auto proof = stopOnNode(parts.transports, node, *agent, run.run, {.graceS = kCleanGraceS},
                                      Deadline::in(kCleanTime), stop);
        if (!proof)
            return std::unexpected(proof.error());
        cleaned.append({run.run, *proof});
    }
    return cleaned;
}

Result<RunPapers> papersOf(const NodeLink& link, const QString& run, std::stop_token stop)
{
    const QString& node = link.transport->node().name;
    const Deadline deadline = Deadline::in(kListTime);
    auto call = AgentCall::start(*link.transport, link.agent.path, {"about", run.toUtf8()}, deadline, stop);
    if (!call)
        return std::unexpected(call.error());
    const auto records = call->all(deadline, stop);
    if (!records)
        return std::unexpected(records.error());
    QHash<QString, QByteArray> packed;
    RunPapers papers;
    for (const AgentRecord& record : *records) {
        if (record.kind == "job")
            papers.attempt =
                static_cast<int>(std::clamp<qint64>(record.integer("attempt").value_or(1), 1, kMostAttempt));
        if (record.kind != "paper")
            continue;
        for (const char* key : {"v", "more"})
            if (const auto part = record.fields.find(std::string_view(key)); part != record.fields.end())
                packed[record.text("name")] += QByteArray::fromStdString(part->second);
    }
    if (!packed.contains(QLatin1String(kSpecName)) || !packed.contains(QLatin1String(kPlanName)))
        return failure(
            ErrorCode::NotFound,
            QStringLiteral("%1 has the run %2, but not its plan: it can be stopped, not watched").arg(node, run), node);
    const auto specText = unpacked(packed.value(QLatin1String(kSpecName)), node);
    const auto planText = unpacked(packed.value(QLatin1String(kPlanName)), node);
    if (!specText)
        return std::unexpected(specText.error());
    if (!planText)
        return std::unexpected(planText.error());
    auto spec = RunSpec::parse(*specText, QStringLiteral("the spec on %1").arg(node), RunSpec::Options::Any);
    if (!spec)
        return std::unexpected(spec.error());
    auto plan = LaunchPlan::parse(*planText);
    if (!plan)
        return std::unexpected(plan.error());
    papers.spec = std::move(*spec);
    papers.plan = std::move(*plan);
    return papers;
}

void appendPapers(std::string& job, const RunSpec& spec, const LaunchPlan& plan)
{
    for (const auto& [name, text] : {std::pair(kSpecName, spec.toToml()), std::pair(kPlanName, plan.toToml())})
        appendPieces(job, "paper", wire::kNode, name, qCompress(text, kSmallest));
}

} // namespace lockstep
