// SPDX-License-Identifier: GPL-3.0-or-later
// The port of the plan: held on the master on every address that may become MASTER_ADDR while the other nodes try them,
// and until the ranks start. So a firewall, a wrong address or a taken port is a sentence before the launch instead of
// a hang after it. Any worker thread.
#pragma once

#include "core/launchplan.h"
#include "remote/agentcall.h"
#include "remote/nodelink.h"

namespace lockstep {

class HeldPort {
public:
    // `port` 0: a free one outside the master's ephemeral range. The Error names the port that is taken.
    [[nodiscard]] static Result<HeldPort> hold(const NodeLink& master, const QStringList& addresses, int port,
                                               std::stop_token stop);

    [[nodiscard]] int port() const { return m_port; }
    // The tries are over: nothing listens any more, and the port stays held.
    [[nodiscard]] Result<void> closeDoors(std::stop_token stop);
    // Lets it go, and returns when it is free: the next moment the ranks take it. Dropping a HeldPort lets go too.
    void release(std::stop_token stop);

private:
    HeldPort(AgentCall call, int port) : m_call(std::move(call)), m_port(port) {}

    AgentCall m_call;
    int m_port = 0;
};

// What a node finds when it tries all of the addresses at once.
[[nodiscard]] Result<QList<Reached>> tryAddresses(const NodeLink& link, const QStringList& addresses, int port,
                                                  std::stop_token stop);

} // namespace lockstep
