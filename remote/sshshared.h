// SPDX-License-Identifier: GPL-3.0-or-later
// What the connections of this program have in common. Thread: I/O.
#pragma once

#include "remote/connectwindow.h"
#include "remote/hostkeycheck.h"
#include "remote/makeonce.h"
#include "remote/sshsession.h"

namespace lockstep {

struct SshShared {
    struct Jump { // one session to a jump host carries all targets behind it
        MakeOnce<SshSession> session{Keep::WhileUsed};
        std::optional<SeenHostKey> seen; // when it failed last
    };

    ConnectWindow window;
    std::map<QString, Jump> jumps;                    // by the hosts on the way
    std::map<QString, MakeOnce<ssh_key_struct>> keys; // unlocked by a passphrase, by file: held as an ssh-agent would
    std::map<QString, QByteArray> certificates;       // that servers showed last, by window key
};

} // namespace lockstep
