// SPDX-License-Identifier: GPL-3.0-or-later
// One node of a NodeWatch: connect, probe, sample until the link is lost, wait, again. Thread: its owner's; the work is
// on one thread inside, whose signals arrive queued.
#pragma once

#include "core/nodestate.h"
#include "remote/agentcall.h"
#include "remote/nodelink.h"
#include "remote/pause.h"

#include <QObject>

#include <thread>

namespace lockstep {

class NodeWorker : public QObject {
    Q_OBJECT

public:
    using Accept = std::function<Result<void>()>; // makes the host key known that a person has just accepted

    // `known` is what earlier workers of this node knew; `accept` may be empty.
    NodeWorker(RunParts parts, NodeState known, Accept accept);
    ~NodeWorker() override;

    void start();
    void requestStop() { m_thread.request_stop(); }
    [[nodiscard]] const NodeState& lastState() const { return m_last; } // owner's thread: the newest that was signalled

signals:
    void stateChanged(const lockstep::NodeState& state);
    void ended(); // after requestStop()

private:
    void run(std::stop_token stop);
    [[nodiscard]] Result<NodeLink> open(std::stop_token stop);
    [[nodiscard]] Error watch(const NodeLink& link, std::stop_token stop); // returns when the link is lost
    void showSample(const AgentRecord& record);
    void showFailure(const Error& error);
    void setPhase(NodePhase phase, const QString& sentence);
    void tell();

    RunParts m_parts;
    NodeState m_state; // worker's
    NodeState m_last;  // owner's
    Accept m_accept;
    std::shared_ptr<Transport> m_transport; // worker's: of the last try, for its host key
    Pause m_pause;
    std::jthread m_thread;
};

} // namespace lockstep
