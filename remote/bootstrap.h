// SPDX-License-Identifier: GPL-3.0-or-later
// Puts lockstep-agent on a node that has nothing but a POSIX shell, at ~/.cache/lockstep/agent/<hash>/lockstep-agent
// (or under $LOCKSTEP_CACHE_DIR there). The shell text is fixed; the only words that go with it are our hash and a
// size.
#pragma once

#include "remote/transport.h"

namespace lockstep {

struct AgentFile { // lockstep-agent on this machine
    QString path;
    QByteArray hash; // XXH3-128, hex
    qint64 size = 0;

    [[nodiscard]] static Result<AgentFile> load(const QString& path);
    // Beside the running program; $LOCKSTEP_AGENT overrides.
    [[nodiscard]] static QString standardPath();
};

struct PlacedAgent {
    QByteArray path;      // on the node
    QString version;      // as it says
    qint64 bytesSent = 0; // 0: it was there
};

// Idempotent; two desktops at once are harmless. Any worker thread.
[[nodiscard]] Result<PlacedAgent> placeAgent(Transport& transport, const AgentFile& file, Deadline deadline,
                                             std::stop_token stop);

} // namespace lockstep
