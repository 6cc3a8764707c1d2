// SPDX-License-Identifier: GPL-3.0-or-later
// Starts a program of this machine in a session of its own, in the home folder, with these three descriptors and no
// other. Any thread.
#pragma once

#include <QByteArray>
#include <QList>

#include <sys/types.h>

namespace lockstep {

struct StandardStreams {
    int in = -1, out = -1, err = -1;
};

// 0, or an errno. The caller must wait for `pid`.
[[nodiscard]] int spawnProgram(pid_t* pid, const QList<QByteArray>& argv, const StandardStreams& streams);

[[nodiscard]] int pidFd(pid_t pid); // becomes readable when it ends; close-on-exec

} // namespace lockstep
