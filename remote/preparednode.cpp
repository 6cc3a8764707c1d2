// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/preparednode.h"

#include "remote/pause.h"

namespace lockstep {

namespace {

using namespace std::chrono_literals;

constexpr auto kPrepareTime = 40s; // a login shell of 5 s, a disk that is asked for room

} // namespace

PreparedNode::PreparedNode(NodeLink link, QByteArray job, AgentCall call)
    : m_link(std::move(link)), m_job(std::move(job)), m_call(std::move(call))
{
}

Result<PreparedNode> PreparedNode::prepare(const NodeLink& link, const QByteArray& job, std::chrono::seconds copying,
                                           std::stop_token stop)
{
    const Deadline deadline = Deadline::in(kPrepareTime + copying);
    const QByteArray run = [&job] { // the verb is told the run's name apart from the job
        QByteArray name;
        wire::Decoder().feed(
            {job.constData(), static_cast<std::size_t>(job.indexOf('\n') + 1)},
            [&name](const wire::RecordView& record) { name = QByteArray::fromStdString(record.text("run")); });
        return name;
    }();
    auto call = AgentCall::start(*link.transport, link.agent.path, {"launch", run}, deadline, stop);
    if (!call)
        return std::unexpected(call.error());
    if (auto sent = call->send(job, deadline, stop); !sent)
        return std::unexpected(sent.error());
    for (;;) {
        auto answer = call->next(deadline, stop);
        if (!answer)
            return std::unexpected(answer.error());
        const QString& node = link.transport->node().name;
        if (!*answer)
            return failure(ErrorCode::Protocol, QStringLiteral("%1 took the job and did not say `prepared`").arg(node),
                           node);
        if ((*answer)->kind != "prepared" && (*answer)->kind != "launched")
            continue;
        PreparedNode prepared(link, job, std::move(*call));
        prepared.m_alreadyLaunched = (*answer)->kind == "launched";
        return prepared;
    }
}

Result<std::monostate> PreparedNode::go(const TransportFactory& transports, const AgentFile& agent, Deadline deadline)
{
    BackOff backOff;
    Pause pause;
    while (!m_alreadyLaunched) {
        auto sent = m_call.send("go - 0\n", deadline, {});
        auto answer =
            sent ? m_call.expect("launched", deadline, {}) : Result<AgentRecord>(std::unexpected(sent.error()));
        if (answer)
            break;
        Result<std::monostate> again = std::unexpected(answer.error());
        while (!again && worthAnotherTry(again.error().code)) {
            const auto wait = backOff.next();
            if (std::chrono::steady_clock::now() + wait >= deadline.at)
                return again;
            pause.wait(wait, {});
            again = prepareAgain(transports, agent);
        }
        if (!again)
            return again;
    }
    return std::monostate();
}

Result<std::monostate> PreparedNode::prepareAgain(const TransportFactory& transports, const AgentFile& agent)
{
    auto link = openNode(transports, m_link.transport->node(), agent, {});
    if (!link)
        return std::unexpected(link.error());
    auto again = prepare(*link, m_job, 0s, {}); // its files are copied
    if (!again)
        return std::unexpected(again.error());
    *this = std::move(*again);
    return std::monostate();
}

} // namespace lockstep
