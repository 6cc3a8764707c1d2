// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/spawnprogram.h"

#include <QDir>
#include <QFile>

#include <csignal>
#include <spawn.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

extern char** environ; // NOLINT

namespace lockstep {

int spawnProgram(pid_t* pid, const QList<QByteArray>& argv, const StandardStreams& streams)
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, streams.in, 0);
    posix_spawn_file_actions_adddup2(&actions, streams.out, 1);
    posix_spawn_file_actions_adddup2(&actions, streams.err, 2);
    posix_spawn_file_actions_addclosefrom_np(&actions, 3);
    posix_spawn_file_actions_addchdir_np(&actions, QFile::encodeName(QDir::homePath()).constData()); // as sshd does
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t set;
    sigemptyset(&set);
    posix_spawnattr_setsigmask(&attributes, &set);
    sigfillset(&set);
    posix_spawnattr_setsigdefault(&attributes, &set);
    // A session of its own: Ctrl-C in our terminal is for us.
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
    std::vector<char*> words;
    words.reserve(static_cast<std::size_t>(argv.size()) + 1);
    for (const QByteArray& word : argv)
        words.push_back(const_cast<char*>(word.constData())); // NOLINT: execve's signature
    words.push_back(nullptr);
    const int error = posix_spawnp(pid, words[0], &actions, &attributes, words.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

// glibc 2.36 declares pidfd_open without extern "C".
int pidFd(pid_t pid)
{
    return static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
}

} // namespace lockstep
