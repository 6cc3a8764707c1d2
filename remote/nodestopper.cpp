// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/nodestopper.h"

namespace lockstep {

namespace {
using namespace std::chrono_literals;
// Beyond the grace: how long a node that cannot be reached is tried. A cable that is put back, a switch that starts
// anew; after it the node counts as lost, and the next stop asks it again.
constexpr auto kReachTime = 60s;
} // namespace

NodeStopper::NodeStopper(RunParts parts, Request request, QObject* parent)
    : QObject(parent), m_parts(std::move(parts)), m_request(std::move(request))
{
}

NodeStopper::~NodeStopper() = default;

void NodeStopper::start()
{
    m_thread = std::jthread([this](std::stop_token stop) {
        const auto agent = AgentFile::load(m_parts.agentFile);
        if (!agent) {
            emit answered(std::unexpected(agent.error()));
            return;
        }
        const auto deadline = Deadline::in(std::chrono::seconds(m_request.wish.graceS) + kReachTime);
        emit answered(
            stopOnNode(m_parts.transports, m_request.node, *agent, m_request.run, m_request.wish, deadline, stop));
    });
}

} // namespace lockstep
