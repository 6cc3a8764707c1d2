// SPDX-License-Identifier: GPL-3.0-or-later
// One connection of a transport: whoever needs it first makes it, the others wait for that. Thread: I/O.
#pragma once

#include "remote/onceanswer.h"
#include "remote/sshsession.h"

#include <vector>

namespace lockstep {

class SshLane {
public:
    using Session = std::shared_ptr<SshSession>;
    using Ready = OnceAnswer<Result<Session>>;

    enum class Turn { Ready, Connect, Wait };
    struct Ticket {
        Turn turn = Turn::Ready;
        Session session;              // Ready
        std::shared_ptr<Ready> ready; // Wait
    };

    // Connect: the caller makes the connection and must call connected() afterwards, whatever came of it.
    [[nodiscard]] Ticket ask()
    {
        if (m_session && !m_session->lost())
            return {Turn::Ready, m_session, {}};
        m_session.reset();
        if (!std::exchange(m_connecting, true))
            return {Turn::Connect, {}, {}};
        m_waiting.push_back(std::make_shared<Ready>());
        return {Turn::Wait, {}, m_waiting.back()};
    }

    void connected(const Result<Session>& result)
    {
        m_connecting = false;
        m_session = result ? *result : Session();
        for (const auto& ready : std::exchange(m_waiting, {}))
            ready->give(result);
    }

    void close(const Error& error)
    {
        if (m_session)
            m_session->lose(error);
        m_session.reset();
    }

private:
    Session m_session;
    bool m_connecting = false;
    std::vector<std::shared_ptr<Ready>> m_waiting;
};

} // namespace lockstep
