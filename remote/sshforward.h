// SPDX-License-Identifier: GPL-3.0-or-later
// A connection through a jump host: a direct-tcpip channel of its session, pumped to and from a socket that the next
// session takes for its TCP connection. Kept by the session of the jump host. Thread: I/O.
#pragma once

#include "remote/sshsession.h"

#include <future>

namespace lockstep {

class SshForward final : public SessionChannel {
public:
    using Opened = std::promise<Result<Descriptor>>; // the far end's socket, as seen from here

    SshForward(SshSession& hop, QString host, int port, Opened opened);
    ~SshForward() override;
    SshForward(const SshForward&) = delete;
    SshForward& operator=(const SshForward&) = delete;

    void giveUp(ErrorCode code); // while it opens

    void advance() override;
    void fail(const Error& error) override;

private:
    void open();
    void refuseHere(int error); // an errno of this machine
    void fromSocket();
    void fromChannel();
    void end();
    void answer(Result<Descriptor> result);
    [[nodiscard]] int toSocket(const char* bytes, qsizetype size);

    SshSession& m_hop;
    QString m_host;
    int m_port;
    std::optional<Opened> m_opened;
    ssh_channel m_channel = nullptr;
    ssh_channel_callbacks_struct m_callbacks{};
    Descriptor m_socket;
    std::optional<SocketWatch> m_watch; // of m_socket
    QByteArray m_toChannel, m_toSocket; // what the other side has not taken yet
    bool m_held = false;                // libssh keeps bytes back for us
    bool m_closed = false;
};

} // namespace lockstep
