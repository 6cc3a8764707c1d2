// SPDX-License-Identifier: GPL-3.0-or-later
// From an address to a signed-in session, as straight-line code on a worker thread: ask ssh for its configuration, go
// through jump hosts, race the addresses, exchange keys, look at the host key, sign in.
#pragma once

#include "remote/connectingsession.h"
#include "remote/sshsession.h"

namespace lockstep {

class IoThread;

struct SeenHostKey { // of the server that was asked last; a jump host's if it is the one that stopped us
    ServerKey key;
    HostKey shown;
    SshHost host;
};

struct SignedIn {
    SshHandle session;
    QString with; // "~/.ssh/id_ed25519"
    std::shared_ptr<SshSession> via;
};

class SshConnector {
public:
    SshConnector(const Node& node, IoThread& io, const SshSettings& settings);

    [[nodiscard]] Result<SignedIn> connect(Deadline deadline, const std::stop_token& stop);
    [[nodiscard]] const std::optional<SeenHostKey>& seen() const { return m_seen; } // also after a failure

private:
    struct Server {
        QString name; // for the words of an error
        SshHost host;
        QStringList jumps; // outermost first
        int depth = 0;
    };
    [[nodiscard]] Result<Server> resolve(const Address& address, const QString& name, const QStringList& jumps,
                                         int depth, Deadline deadline, const std::stop_token& stop) const;
    [[nodiscard]] Result<SignedIn> signIn(const Server& server, Deadline deadline, const std::stop_token& stop);
    [[nodiscard]] Result<Descriptor> reach(const Server& server, std::shared_ptr<SshSession>& via, Deadline deadline,
                                           const std::stop_token& stop);
    [[nodiscard]] Result<std::shared_ptr<SshSession>> hop(const Server& server, Deadline deadline,
                                                          const std::stop_token& stop);
    [[nodiscard]] Result<void> checkHostKey(const Server& server, const KnownHosts& known, const ServerKey& key);
    [[nodiscard]] Result<void> enterWindow(const Server& server, Deadline deadline, const std::stop_token& stop) const;

    const Node& m_node;
    IoThread& m_io;
    const SshSettings& m_settings;
    std::optional<SeenHostKey> m_seen;
};

} // namespace lockstep
