// SPDX-License-Identifier: GPL-3.0-or-later
// A session that several use, made by whoever needs it first. Any worker thread.
//
// One that has been silent for a moment is asked whether it is still there before anything is begun on it: TCP takes up
// to half a minute to say that a link is cut. While it does not answer, another is made beside it, and takes its place
// once it stands; should the old one be heard again before, it stays the one, and nobody is asked for another.
#pragma once

#include "remote/makeonce.h"
#include "remote/sshsession.h"

namespace lockstep {

struct SessionPlace {
    std::function<MakeOnce<SshSession>&()> at;                    // called on the I/O thread
    std::function<Result<std::shared_ptr<SshSession>>()> connect; // on the thread of whoever needs it
    QString name;                                                 // for the words of an error
};

// The one that another was to replace, when it is heard again. Thread: I/O.
[[nodiscard]] std::shared_ptr<SshSession> heardAgain(const MakeOnce<SshSession>& place);

// One that is gone or silent is replaced once: a server that lets us in and closes at once (pam_limits' maxlogins)
// would else be signed in at without end, with a question to a person each time. Then ConnectionLost. `deadline` moves
// by the time that others take.
[[nodiscard]] Result<std::shared_ptr<SshSession>> sharedSession(IoThread& io, const SessionPlace& place,
                                                                Deadline& deadline, const std::stop_token& stop);

} // namespace lockstep
