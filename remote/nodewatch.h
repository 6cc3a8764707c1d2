// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps every node of the inventory connected, probed and sampled, each on a worker of its own: a dead node delays
// nobody. Thread: GUI; never waits, except for its workers in the destructor.
#pragma once

#include "core/nodestate.h"
#include "remote/runparts.h"

#include <map>
#include <memory>
#include <vector>

namespace lockstep {

class NodeWorker;

// Accepts the key that a person has seen; an Error when the node shows another one by now. Called from any worker
// thread.
using HostKeyAcceptor = std::function<Result<void>(const Node&, const QString& fingerprint)>;

class NodeWatch : public QObject {
    Q_OBJECT

public:
    NodeWatch(RunParts parts, HostKeyAcceptor acceptor, QObject* parent = nullptr);
    ~NodeWatch() override;

    // Starts new nodes, ends removed ones; a node that is reached in another way is connected anew.
    void setInventory(const Inventory& inventory);
    void check(const QString& node); // connects and probes again, at once, whatever its back-off
    void checkAll();
    void acceptHostKey(const QString& node, const QString& fingerprint); // then connects

signals:
    void stateChanged(const lockstep::NodeState& state); // of one node; for NodeList::update

private:
    void begin(NodeState known, const QString& acceptedFingerprint);
    void retire(const QString& node);

    RunParts m_parts;
    HostKeyAcceptor m_acceptor;
    std::map<QString, std::unique_ptr<NodeWorker>> m_workers;
    std::vector<std::unique_ptr<NodeWorker>> m_retired; // asked to stop; dropped when they have
};

} // namespace lockstep
