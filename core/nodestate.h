// SPDX-License-Identifier: GPL-3.0-or-later
// How a node of the inventory stands, as the Nodes page shows it. A value; made by remote/, shown by ui/.
#pragma once

#include "core/hostkey.h"
#include "core/inventory.h"
#include "core/nodefacts.h"
#include "core/noderun.h"

#include <QList>
#include <QObject>

#include <optional>

namespace lockstep {

enum class NodePhase {
    Unknown,
    Connecting,
    Ready,
    UnknownHostKey,
    HostKeyChanged,
    NeedsPassphrase,
    AuthFailed,
    Unreachable,
    Failed
};

struct CoreSample { // newest sample of the CPU or of one device
    QString id;     // "cpu", "gpu:UUID"
    int index = -1;
    double util = -1;                                            // percent; < 0: unknown
    double memUsed = -1, memTotal = -1, powerW = -1, tempC = -1; // < 0: unknown

    bool operator==(const CoreSample&) const = default;
};

struct NodeState {
    Node node;
    NodePhase phase = NodePhase::Unknown;
    QString sentence; // "unreachable since 13:02", "ready"
    qint64 sinceWallUs = 0;
    std::optional<NodeFacts> facts; // the last ones known
    std::optional<HostKey> hostKey;
    std::optional<double> clockOffsetMs; // node minus us
    double clockErrorMs = 0;             // half the round trip
    double roundTripMs = -1;
    QString signedInWith;      // "~/.ssh/id_ed25519"
    QString deployed;          // "agent 0.1.0, trainer cpu"; empty: nothing
    QList<CoreSample> samples; // newest
    QList<double> cpuHistory;  // up to 60, 1 Hz, percent
    qint64 sampleWallUs = 0;
    QList<NodeRun> runs; // of this user, whichever desktop launched them; as found when it was connected

    bool operator==(const NodeState&) const = default;
};

// All nodes, in the inventory's order. Thread: GUI.
class NodeList : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;
    [[nodiscard]] const QList<NodeState>& nodes() const { return m_nodes; }
    [[nodiscard]] const NodeState* find(const QString& name) const;
    [[nodiscard]] const QList<NodeGroup>& groups() const { return m_groups; } // the inventory's
    void setInventory(const Inventory& inventory);                            // keeps what is known of nodes that stay
    void update(const NodeState& state); // of a node in the inventory; others are ignored

signals:
    void reset();
    void nodeChanged(int index);

private:
    QList<NodeState> m_nodes;
    QList<NodeGroup> m_groups;
};

} // namespace lockstep
