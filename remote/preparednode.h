// SPDX-License-Identifier: GPL-3.0-or-later
// A node that has read its job and waits for `go`. Dropped without it, the node forgets the job. Worker thread.
#pragma once

#include "remote/agentcall.h"
#include "remote/nodelink.h"

#include <chrono>
#include <variant>

namespace lockstep {

class PreparedNode {
public:
    // `copying`: what the node may take beyond the usual to copy the user's files.
    [[nodiscard]] static Result<PreparedNode> prepare(const NodeLink& link, const QByteArray& job,
                                                      std::chrono::seconds copying, std::stop_token stop);

    // Returns when the ranks are started. A link that is cut between `go` and its answer leaves open what happened: the
    // same job is then sent again, which starts nothing twice. One deadline for all nodes of a run.
    [[nodiscard]] Result<std::monostate> go(const TransportFactory& transports, const AgentFile& agent,
                                            Deadline deadline);

private:
    PreparedNode(NodeLink link, QByteArray job, AgentCall call);
    [[nodiscard]] Result<std::monostate> prepareAgain(const TransportFactory& transports, const AgentFile& agent);

    NodeLink m_link;
    QByteArray m_job;
    AgentCall m_call;
    bool m_alreadyLaunched = false;
};

} // namespace lockstep
