// SPDX-License-Identifier: GPL-3.0-or-later
// One transport a node in a program. Whoever asks for a node is given the one that others use at the moment: the window
// that watches it, its runs, a stop and a deploy go through the same sessions, and a person is asked for a password
// once. It goes with its last user. A node that is reached in another way than before is given a new one.
#pragma once

#include "remote/sshsettings.h"
#include "remote/transportfactory.h"

namespace lockstep {

class IoThread;

// The factory is called from any worker thread; `io` outlives what it makes.
[[nodiscard]] TransportFactory sharedTransports(IoThread& io, SshSettings settings);

} // namespace lockstep
