// SPDX-License-Identifier: GPL-3.0-or-later
// How many connections may be signing in at one sshd at a time. An sshd with the default MaxStartups (10:30:100) begins
// to hang up at the 11th; with many nodes behind one address all start at once. The window grows by one for each round
// of sign-ins that went well, and halves when the server hung up (as TCP does, RFC 5681). Thread: I/O.
#pragma once

#include <QString>

#include <deque>
#include <functional>
#include <map>

namespace lockstep {

class ConnectWindow {
public:
    enum class Left { SignedIn, HungUp, Otherwise };

    // Calls `enter` now or when there is room; the caller leaves exactly once for each enter. False from `enter`:
    // nobody waits any more, the place is free for the next.
    void enter(const QString& server, std::function<bool()> enter);
    void leave(const QString& server, Left how);
    [[nodiscard]] double width(const QString& server) const; // for tests

private:
    struct Server {
        int inside = 0;
        double width = 0;
        int calm = 0; // hang-ups that do not count: of those inside when it halved last
        std::deque<std::function<bool()>> waiting;
    };
    static void admit(Server& server);

    std::map<QString, Server> m_servers; // kept for the next time: what a server can bear changes little
};

} // namespace lockstep
