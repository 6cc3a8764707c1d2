// SPDX-License-Identifier: GPL-3.0-or-later
// The lock of a run: held by its supervisor for as long as that lives. A process's own record lock (fcntl), because a
// child must not inherit it: a sampler that outlived its supervisor would make a lost run look alive.
#pragma once

#include "remote/agent/fd.h"
#include "remote/agent/outcome.h"

#include <optional>
#include <string>
#include <sys/types.h>

namespace lockstep::agent {

class RunLock {
public:
    [[nodiscard]] static Outcome<RunLock> take(const std::string& runFolder); // code busy: somebody holds it
    // The supervisor's pid, 0 when it lives where its pid is not visible; nullopt: nobody holds the lock.
    [[nodiscard]] static std::optional<pid_t> holder(const std::string& runFolder);

private:
    explicit RunLock(Fd file) : m_file(std::move(file)) {}

    Fd m_file;
};

// One launch at a time on a node, so that two of them see each other's devices. Waits up to kNodeLockDeadline.
class NodeLock {
public:
    [[nodiscard]] static Outcome<NodeLock> take(const std::string& runsFolder);

private:
    explicit NodeLock(Fd file) : m_file(std::move(file)) {}

    Fd m_file;
};

} // namespace lockstep::agent
