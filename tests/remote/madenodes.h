// SPDX-License-Identifier: GPL-3.0-or-later
// Several nodes on this machine: the real agent behind LocalTransport, each with a home, a cache and a runs folder of
// its own, an address of its own in 10.77.0.0/24 (ownnetwork.h), and a link that can be cut.
#pragma once

#include "remote/runparts.h"

#include <QTemporaryDir>

#include <atomic>
#include <memory>
#include <vector>

namespace lockstep::test {

struct MadeNode {
    Node node;
    QString home, cache, runs, address;
    std::atomic<bool> cut{false};          // a black hole: what is there says nothing, new connections fail
    std::atomic<qint64> cutAfter{0};       // so many more bytes to it, then `cut` becomes true; 0: never
    std::atomic<bool> cutAtGo{false};      // its next `go` still comes through, then `cut` becomes true
    std::atomic<bool> unprepared{false};   // its `launch` fails
    std::atomic<bool> sendsNothing{false}; // its `results` ends before anything is sent
    std::atomic<bool> hasGpu{false};       // as its facts say
    std::atomic<bool> refuses{false};      // new connections, for want of a person
    std::atomic<int> connections{0}, refusals{0};
    QString clockFile; // says how far its clocks have jumped (tests/support/clockjump.cpp); empty: they don't
};

// A bundle whose trainer is a script that understands a few options and writes a trainer's records.
void makeBundle(const QString& folder);

class MadeNodes {
public:
    explicit MadeNodes(int count);
    ~MadeNodes(); // ends what runs there

    [[nodiscard]] RunParts parts() const;
    [[nodiscard]] QList<Node> nodes() const;
    [[nodiscard]] Inventory inventory() const;
    [[nodiscard]] MadeNode& operator[](int index) { return *m_nodes[static_cast<std::size_t>(index)]; }
    [[nodiscard]] QString folder() const { return m_folder.path(); }
    [[nodiscard]] QString dataFolder() const { return m_folder.path() + QStringLiteral("/data"); }
    [[nodiscard]] QString bundleFolder() const { return m_folder.path() + QStringLiteral("/bundle"); }
    // The node's own spool of a run, all segments.
    [[nodiscard]] QByteArray spool(int index, const QString& run) const;
    // Processes that carry the run's tag, on this machine.
    [[nodiscard]] static QList<qint64> tagged(const QString& run);
    [[nodiscard]] static QList<qint64> followers(const QString& run); // processes that are `lockstep-agent follow RUN`
    [[nodiscard]] qint64 supervisor(int index, const QString& run);   // its pid as the node says, 0: none

private:
    QTemporaryDir m_folder;
    std::vector<std::shared_ptr<MadeNode>> m_nodes;
};

} // namespace lockstep::test
