// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/nodeworker.h"

#include "core/needsperson.h"
#include "remote/nodecheck.h"
#include "remote/wallclock.h"

namespace lockstep {

namespace {

using namespace std::chrono_literals;

constexpr auto kSampleStart = 20s;    // a login shell that takes 5 s
constexpr auto kSampleSilence = 6s;   // six samples missing: the link is taken for lost
constexpr auto kAgain = 30s;          // clocks drift, and devices find users
constexpr qsizetype kCpuHistory = 60; // a minute at 1 Hz

double number(const AgentRecord& record, std::string_view key, double unknown)
{
    bool ok = false;
    const double value = record.text(key).toDouble(&ok);
    return ok ? value : unknown;
}

} // namespace

NodeWorker::NodeWorker(RunParts parts, NodeState known, Accept accept)
    : m_parts(std::move(parts)), m_state(std::move(known)), m_last(m_state), m_accept(std::move(accept))
{
    connect(this, &NodeWorker::stateChanged, this, [this](const NodeState& state) { m_last = state; });
}

NodeWorker::~NodeWorker() = default;

void NodeWorker::start()
{
    m_thread = std::jthread([this](std::stop_token stop) {
        run(stop);
        m_transport.reset();
        emit ended();
    });
}

void NodeWorker::run(std::stop_token stop)
{
    BackOff backOff;
    while (!stop.stop_requested()) {
        // A node that is tried again and again keeps its sentence: “unreachable since 13:02”, not a flicker.
        if (m_state.phase != NodePhase::Unreachable)
            setPhase(NodePhase::Connecting, QStringLiteral("connecting"));
        auto link = open(stop);
        Error error = link ? watch(*link, stop) : link.error();
        if (stop.stop_requested())
            return;
        if (link && m_state.phase == NodePhase::Ready)
            backOff.reset();
        showFailure(error);
        if (needsPerson(m_state.phase))
            m_pause.wait(std::chrono::hours(24 * 365), stop);
        else
            m_pause.wait(backOff.next(), stop);
    }
}

Result<NodeLink> NodeWorker::open(std::stop_token stop)
{
    const auto agent = AgentFile::load(m_parts.agentFile);
    if (!agent)
        return std::unexpected(agent.error());
    m_transport = m_parts.transports(m_state.node);
    auto link = openNode(m_transport, *agent, stop);
    if (link || link.error().code != ErrorCode::HostKeyUnknown || !m_accept)
        return link;
    const Accept accept = std::exchange(m_accept, nullptr);
    if (auto accepted = accept(); !accepted)
        return std::unexpected(accepted.error());
    return openNode(m_transport, *agent, stop);
}

Error NodeWorker::watch(const NodeLink& link, std::stop_token stop)
{
    auto probed = probeNode(link, stop);
    if (!probed)
        return probed.error();
    showProbed(m_state, link, *probed);
    tell();
    auto samples = AgentCall::start(*link.transport, link.agent.path, {"sample"}, Deadline::in(kSampleStart), stop);
    if (!samples)
        return samples.error();
    for (auto again = std::chrono::steady_clock::now() + kAgain;;) {
        if (std::chrono::steady_clock::now() >= again) {
            probed = probeNode(link, stop);
            if (!probed)
                return probed.error();
            showProbed(m_state, link, *probed);
            again = std::chrono::steady_clock::now() + kAgain;
        }
        auto record = samples->next(Deadline::in(kSampleSilence), stop);
        if (!record)
            return record.error();
        if (!*record)
            return {ErrorCode::ConnectionLost,
                    QStringLiteral("the agent on %1 stopped sampling").arg(m_state.node.name), m_state.node.name};
        if ((*record)->kind == "device")
            showSample(**record);
    }
}

void NodeWorker::showSample(const AgentRecord& record)
{
    const QString id = record.text("id");
    const bool cpu = id == QLatin1String("cpu");
    if (!cpu && !id.startsWith(QLatin1String("gpu:")))
        return;
    CoreSample sample{id, static_cast<int>(record.integer("index").value_or(-1))};
    sample.util = number(record, "util", -1);
    sample.memUsed = number(record, "mem_used", -1);
    sample.memTotal = number(record, "mem_total", -1);
    sample.powerW = number(record, "power_w", -1);
    sample.tempC = number(record, "temp_c", -1);
    const auto found = std::find_if(m_state.samples.begin(), m_state.samples.end(),
                                    [&id](const CoreSample& known) { return known.id == id; });
    if (found != m_state.samples.end())
        *found = sample;
    else
        m_state.samples.append(sample);
    m_state.sampleWallUs = wallClockUs();
    if (!cpu)
        return; // the CPU's record comes each second, and carries the others to the screen
    m_state.cpuHistory.append(sample.util);
    if (m_state.cpuHistory.size() > kCpuHistory)
        m_state.cpuHistory.removeFirst();
    tell();
}

void NodeWorker::showFailure(const Error& error)
{
    m_state.hostKey = m_transport ? m_transport->hostKey() : std::nullopt;
    const NodePhase phase = phaseOf(error.code);
    const qint64 since = m_state.phase == phase ? m_state.sinceWallUs : wallClockUs();
    setPhase(phase, sentenceOf(error, since));
}

void NodeWorker::setPhase(NodePhase phase, const QString& sentence)
{
    if (m_state.phase != phase)
        m_state.sinceWallUs = wallClockUs();
    m_state.phase = phase;
    m_state.sentence = sentence;
    tell();
}

void NodeWorker::tell()
{
    emit stateChanged(m_state);
}

} // namespace lockstep
