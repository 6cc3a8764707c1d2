// SPDX-License-Identifier: GPL-3.0-or-later
// A connected, non-blocking TCP socket to a host, whichever of its addresses answers first. Any worker thread.
#pragma once

#include "remote/descriptor.h"
#include "remote/transport.h"

namespace lockstep {

struct TcpTarget {
    QString host;
    int port = 22;
    QString family;                     // any, inet, inet6
    QString bindAddress, bindInterface; // of this machine; empty: any
    QString node;                       // for the words of an error
};

[[nodiscard]] Result<Descriptor> connectTcp(const TcpTarget& target, Deadline deadline, const std::stop_token& stop);

} // namespace lockstep
