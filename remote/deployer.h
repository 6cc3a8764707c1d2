// SPDX-License-Identifier: GPL-3.0-or-later
// Brings a bundle to a node: the agent says which contents it lacks, only those are sent, on a connection of their own,
// checked there and switched in one rename. A link that is cut is waited for, and goes on with the byte that it broke
// off at. The local node is served the same way: a run started from a copy is not changed under its feet by the next
// build, and there is one way to test.
#pragma once

#include "remote/compressedcontents.h"
#include "remote/nodelink.h"

#include <functional>

namespace lockstep {

struct DeployProgress {
    qint64 bytes = 0; // sent
    qint64 of = 0;
    double bytesPerSecond = 0;
    double secondsLeft = 0;
    QString event; // instead of the numbers: "waiting for another node that fills the same home"

    bool operator==(const DeployProgress&) const = default;
    [[nodiscard]] QString words() const; // "sending 41 of 98 MB, 11 MB/s, 5 s left"
};

struct Deployed {
    QByteArray path; // of the bundle on the node
    int filesSent = 0;
    qint64 bytesSent = 0, bytesReceived = 0; // of the protocol, manifest and answers included
    int cuts = 0;                            // of the link, that it went on after
    double seconds = 0;
};

struct DeployOrder {
    const Bundle& bundle;
    const CompressedContents& contents;
    const AgentFile& agent; // put in place again after a cut, or when it was deleted meanwhile
    std::function<void(const DeployProgress&)> progressed = {}; // by this thread, a few times a second
    Bundle::Frames frames = Bundle::Frames::Drop;
};

// One worker thread a node. The error names the node.
[[nodiscard]] Result<Deployed> deployBundle(NodeLink& link, const DeployOrder& order, std::stop_token stop);

} // namespace lockstep
