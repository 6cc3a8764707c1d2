// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/masterport.h"

namespace lockstep {

namespace {

using namespace std::chrono_literals;

constexpr auto kListenTime = 20s;
constexpr auto kReachTime = 20s; // the agent gives up by itself after 5 s; a login shell may take as long to start
constexpr auto kLetGoTime = 5s;

} // namespace

Result<HeldPort> HeldPort::hold(const NodeLink& master, const QStringList& addresses, int port, std::stop_token stop)
{
    const QString& name = master.transport->node().name;
    const Deadline deadline = Deadline::in(kListenTime);
    auto call = AgentCall::start(*master.transport, master.agent.path,
                                 {"listen", addresses.join(u',').toLatin1(), QByteArray::number(port)}, deadline, stop);
    if (!call)
        return std::unexpected(call.error());
    auto answer = call->expect("port", deadline, stop);
    if (!answer)
        return std::unexpected(answer.error());
    const qint64 held = answer->integer("port").value_or(0);
    if (held < 1 || held > 65535)
        return failure(ErrorCode::Protocol, QStringLiteral("%1 chose the port “%2”").arg(name, answer->text("port")),
                       name);
    return HeldPort(std::move(*call), static_cast<int>(held));
}

Result<void> HeldPort::closeDoors(std::stop_token stop)
{
    const Deadline deadline = Deadline::in(kLetGoTime);
    if (auto sent = m_call.send("\n", deadline, stop); !sent)
        return sent;
    if (auto held = m_call.expect("held", deadline, stop); !held)
        return std::unexpected(held.error());
    return {};
}

void HeldPort::release(std::stop_token stop)
{
    (void)m_call.closeInput();
    (void)m_call.all(Deadline::in(kLetGoTime), stop);
}

Result<QList<Reached>> tryAddresses(const NodeLink& link, const QStringList& addresses, int port, std::stop_token stop)
{
    const Deadline deadline = Deadline::in(kReachTime);
    auto call = AgentCall::start(*link.transport, link.agent.path,
                                 {"reach", addresses.join(u',').toLatin1(), QByteArray::number(port)}, deadline, stop);
    if (!call)
        return std::unexpected(call.error());
    const auto records = call->all(deadline, stop);
    if (!records)
        return std::unexpected(records.error());
    QList<Reached> tried;
    for (const AgentRecord& record : *records) {
        Reached one{record.text("addr"), -1, record.text("from"), record.text("if"), record.text("text")};
        if (const auto us = record.integer("rtt_us"); record.kind == "reached" && us && *us >= 0)
            one.roundTripMs = static_cast<double>(*us) / 1000.0;
        tried.append(one);
    }
    return tried;
}

} // namespace lockstep
