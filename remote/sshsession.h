// SPDX-License-Identifier: GPL-3.0-or-later
// A connected session on the I/O thread: one pump for all its channels. Thread: I/O.
//
// The pump: the socket is readable, or writable while libssh holds bytes back -> let libssh handle packets -> wake:
// every channel looks whether it can go on. Any libssh call may read packets of other channels, after which no notifier
// fires; so every call goes through call(), which posts one wake when packets came in.
#pragma once

#include "remote/onceanswer.h"
#include "remote/socketwatch.h"
#include "remote/sshhandle.h"
#include "remote/transport.h"

#include <libssh/callbacks.h>

#include <QObject>

#include <list>

namespace lockstep {

class SessionChannel { // what the session drives
public:
    virtual ~SessionChannel() = default;
    virtual void advance() = 0;                // looks whether it can go on; may be called at any time
    virtual void fail(const Error& error) = 0; // the session is gone: libssh's channel must be let go of now
};

class SshSession : public QObject { // a context for what is connected and posted; has no signals
public:
    // `carrier`: what the connection goes through and must live as long: the session to a jump host, a ProxyCommand.
    // The last owner may be on any thread: the object is deleted on its own. ConnectionLost: it is gone already. Io:
    // this machine cannot watch it.
    [[nodiscard]] static Result<std::shared_ptr<SshSession>> make(SshHandle handle, const QString& node,
                                                                  std::shared_ptr<void> carrier);
    ~SshSession() override;

    template <typename Function>
    auto call(Function function)
    {
        const auto before = m_packets.in_packets;
        const auto answer = function();
        if (m_packets.in_packets != before)
            scheduleWake();
        watchWriting();
        return answer;
    }
    void scheduleWake(); // soon, once

    void add(const std::shared_ptr<SessionChannel>& channel);  // lives as long as its owner wants
    void keep(const std::shared_ptr<SessionChannel>& channel); // lives with the session, or until letGo
    void letGo(const SessionChannel& channel);
    // Whether the other end is there: at once when it said something a moment ago, else when it answers. The asker
    // gives up by giving the answer itself.
    void probe(const std::shared_ptr<OnceAnswer<bool>>& there);
    // It did not answer: nobody begins anything on it until it is heard again.
    void doubt() { m_doubted = true; }
    [[nodiscard]] bool usable() const { return !m_lost && !m_doubted; }
    void channelOpened() { m_firstOpened = true; }
    void lose(const Error& error); // every channel fails with it
    [[nodiscard]] const std::optional<Error>& lost() const { return m_lost; }
    [[nodiscard]] bool broken() const;     // a libssh call that failed just now did so for the whole session
    [[nodiscard]] Error linkError() const; // why a libssh call failed, as a loss of the link

    [[nodiscard]] ssh_session get() const { return m_session.get(); }
    [[nodiscard]] const QString& node() const { return m_node; }
    [[nodiscard]] bool writing() const { return (ssh_get_poll_flags(m_session.get()) & SSH_WRITE_PENDING) != 0; }

private:
    // `watched`: a copy of the socket, for libssh closes its own when it likes.
    SshSession(SshHandle handle, QString node, std::shared_ptr<void> carrier, Descriptor watched);
    void pump();
    void wake();
    void watchWriting();
    void noteHeard();
    [[nodiscard]] Error watchError() const;

    SshHandle m_session;
    QString m_node;
    std::shared_ptr<void> m_carrier;
    Descriptor m_watched;
    SocketWatch m_socket;
    ssh_event m_event;
    ssh_counter_struct m_packets{};
    std::list<std::weak_ptr<SessionChannel>> m_channels;
    std::list<std::shared_ptr<SessionChannel>> m_kept;
    std::optional<Error> m_lost;
    std::list<std::shared_ptr<OnceAnswer<bool>>> m_probes;
    std::chrono::steady_clock::time_point m_heard; // the last packet
    uint64_t m_packetsHeard = 0;
    bool m_doubted = false;
    bool m_firstOpened = false;
    bool m_wakePosted = false;
};

} // namespace lockstep
