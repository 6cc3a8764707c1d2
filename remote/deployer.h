// SPDX-License-Identifier: GPL-3.0-or-later
// Brings a bundle to a node: the agent says which contents it lacks, only those are sent, on a connection of their own,
// checked there and switched in one rename. The local node is served the same way: a run started from a copy is not
// changed under its feet by the next build, and there is one way to test.
#pragma once

#include "remote/compressedcontents.h"
#include "remote/transport.h"

#include <functional>

namespace lockstep {

struct DeployProgress {
    qint64 bytes = 0; // sent
    qint64 of = 0;
    double bytesPerSecond = 0;
    double secondsLeft = 0;

    bool operator==(const DeployProgress&) const = default;
    [[nodiscard]] QString words() const; // "sending 41 of 98 MB, 11 MB/s, 5 s left"
};

struct Deployed {
    QByteArray path; // of the bundle on the node
    int filesSent = 0;
    qint64 bytesSent = 0, bytesReceived = 0; // of the protocol, manifest and answers included
    double seconds = 0;
};

// `progressed` is called by this thread, a few times a second. One worker thread a node.
[[nodiscard]] Result<Deployed> deployBundle(Transport& transport, const QByteArray& agent, const Bundle& bundle,
                                            const CompressedContents& contents,
                                            const std::function<void(const DeployProgress&)>& progressed,
                                            Deadline deadline, std::stop_token stop);

} // namespace lockstep
