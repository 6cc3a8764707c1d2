// SPDX-License-Identifier: GPL-3.0-or-later
// Owners of libssh's objects. A session is used by one thread at a time: a worker while it connects, then the I/O
// thread.
#pragma once

#include "remote/descriptor.h"

#include <libssh/libssh.h>

#include <memory>

namespace lockstep {

struct KeyFree {
    void operator()(ssh_key key) const { ssh_key_free(key); }
};
using SshKey = std::unique_ptr<ssh_key_struct, KeyFree>;

struct SessionFree {
    void operator()(ssh_session session) const
    {
        // libssh closes a socket given by SSH_OPTIONS_FD only after an error; otherwise it is ours to close.
        const Descriptor socket(ssh_get_fd(session));
        ssh_disconnect(session);
        ssh_free(session);
    }
};
using SshHandle = std::unique_ptr<ssh_session_struct, SessionFree>;

} // namespace lockstep
