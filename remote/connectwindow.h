// SPDX-License-Identifier: GPL-3.0-or-later
// How many connections may be signing in at one sshd at a time. An sshd with the default MaxStartups (10:30:100) drops
// from the 11th on; with many nodes behind one address, all start at once. Thread: I/O.
#pragma once

#include <QString>

#include <deque>
#include <functional>
#include <map>

namespace lockstep {

class ConnectWindow {
public:
    static constexpr int kWidth = 8;

    // Calls `enter` now or when there is room; the caller leaves exactly once for each enter. False from `enter`:
    // nobody waits any more, the place is free for the next.
    void enter(const QString& server, std::function<bool()> enter);
    void leave(const QString& server);

private:
    struct Server {
        int inside = 0;
        std::deque<std::function<bool()>> waiting;
    };
    std::map<QString, Server> m_servers;
};

} // namespace lockstep
