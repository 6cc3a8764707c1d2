// SPDX-License-Identifier: GPL-3.0-or-later
// What every flow over nodes is given: how nodes are reached, and what is sent to them. A value, made by app/ or a
// test.
#pragma once

#include "remote/bootstrap.h"
#include "remote/liveclock.h"
#include "remote/transportfactory.h"

namespace lockstep {

struct RunParts {
    TransportFactory transports;
    QString agentFile;    // lockstep-agent on this machine, usually AgentFile::standardPath()
    QString bundleFolder; // the trainer with its libraries
    QString cacheFolder;  // hashes and compressed contents, usually standardCacheFolder()
    std::chrono::milliseconds clockEvery = kClockEvery; // the clocks of a node that is followed
};

[[nodiscard]] QString
standardCacheFolder(); // $LOCKSTEP_CACHE_DIR, else $XDG_CACHE_HOME/lockstep, else ~/.cache/lockstep

} // namespace lockstep
