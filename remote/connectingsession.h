// SPDX-License-Identifier: GPL-3.0-or-later
// An SSH session while a worker thread connects it: libssh never blocks, every wait has a deadline and a stop token.
#pragma once

#include "remote/knownhosts.h"
#include "remote/sshconfig.h"
#include "remote/sshhandle.h"

#include <functional>

namespace lockstep {

class ConnectingSession {
public:
    // `known`: host key algorithms to be offered first.
    ConnectingSession(const SshHost& host, const QList<QByteArray>& known, Descriptor socket, QString node);

    // Banner and key exchange. ConnectionLost when the server hangs up before: it may be asked again.
    [[nodiscard]] Result<ServerKey> exchangeKeys(Deadline deadline, const std::stop_token& stop);

    // Calls a non-blocking libssh function until its answer is not `again` any more.
    [[nodiscard]] Result<int> finish(int again, const std::function<int()>& call, Deadline deadline,
                                     const std::stop_token& stop);

    [[nodiscard]] ssh_session get() const { return m_session.get(); }
    [[nodiscard]] QString libraryError() const;
    [[nodiscard]] SshHandle take() { return std::move(m_session); }

private:
    void setAlgorithms(const SshHost& host, const QByteArray& hostKeys);
    void makeNonBlocking() const;

    SshHandle m_session;
    int m_socket; // of m_session
    QString m_node;
    QString m_unknownAlgorithms; // an option of ssh_config that leaves nothing to choose from
};

} // namespace lockstep
