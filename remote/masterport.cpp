// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/masterport.h"

#include "remote/agentcall.h"
#include "remote/eachnode.h"

namespace lockstep {

namespace {

using namespace std::chrono_literals;

constexpr auto kListenTime = 20s;
constexpr auto kReachTime = 20s; // the agent gives up by itself after 5 s; a login shell may take as long to start
constexpr auto kLetGoTime = 5s;

struct Reached {
    double milliseconds = 0;
    QString from; // the node's own address on that way
};

Result<Reached> reach(const NodeLink& link, const QByteArray& address, int port, std::stop_token stop)
{
    const Deadline deadline = Deadline::in(kReachTime);
    auto call = AgentCall::start(*link.transport, link.agent.path, {"reach", address, QByteArray::number(port)},
                                 deadline, stop);
    if (!call)
        return std::unexpected(call.error());
    auto answer = call->expect("reached", deadline, stop);
    if (!answer)
        return std::unexpected(answer.error());
    return Reached{static_cast<double>(answer->integer("rtt_us").value_or(0)) / 1000.0, answer->text("from")};
}

Error unreachable(const LaunchPlan& plan, const Error& error, const QString& node, int port)
{
    if (error.code != ErrorCode::Unreachable)
        return error;
    return {ErrorCode::Unreachable,
            QStringLiteral(
                "%1 cannot reach %2:%3 on %4, so the ranks could not meet: %5. Open the port between the nodes, or "
                "name the interface in the inventory.")
                .arg(node, plan.masterAddr)
                .arg(port)
                .arg(plan.nodes[0].name, error.text.section(QStringLiteral(": "), 1)),
            node};
}

} // namespace

Result<void> settleMasterPort(LaunchPlan& plan, const std::vector<NodeLink>& links, std::stop_token stop)
{
    const QString master = plan.nodes[0].name;
    const QByteArray address = plan.masterAddr.toLatin1();
    const Deadline deadline = Deadline::in(kListenTime);
    auto listening = AgentCall::start(*links[0].transport, links[0].agent.path,
                                      {"listen", address, QByteArray::number(plan.masterPort)}, deadline, stop);
    if (!listening)
        return std::unexpected(listening.error());
    auto answer = listening->expect("port", deadline, stop);
    if (!answer)
        return std::unexpected(answer.error());
    const auto port = static_cast<int>(answer->integer("port").value_or(0));
    if (port < 1 || port > 65535)
        return failure(ErrorCode::Protocol, QStringLiteral("%1 chose the port “%2”").arg(master, answer->text("port")),
                       master);

    auto reached =
        onEachNode<Reached>(links.size() - 1, stop, [&](std::size_t i, std::stop_token step) -> Result<Reached> {
            auto one = reach(links[i + 1], address, port, step);
            if (!one)
                return std::unexpected(
                    unreachable(plan, one.error(), plan.nodes[static_cast<qsizetype>(i) + 1].name, port));
            return one;
        });
    (void)listening->closeInput();
    (void)listening->all(Deadline::in(kLetGoTime), stop); // the port is free again once the listener has ended
    if (!reached)
        return std::unexpected(reached.error());

    const QString source =
        plan.masterPort != 0 ? QStringLiteral("asked for") : QStringLiteral("free on %1").arg(master);
    plan.setMasterPort(port, source);
    const QString where = QStringLiteral("%1:%2").arg(plan.masterAddr).arg(port);
    for (std::size_t i = 0; i < reached->size(); ++i) {
        PlannedNode& node = plan.nodes[static_cast<qsizetype>(i) + 1];
        const QString time = QString::number((*reached)[i].milliseconds, 'f', 2);
        node.reach.append({where, QStringLiteral("reached from %1, %2 ms").arg(node.name, time),
                           QStringLiteral("from %1").arg((*reached)[i].from)});
        node.master.source = QStringLiteral("reached, %1 ms").arg(time);
    }
    return {};
}

} // namespace lockstep
