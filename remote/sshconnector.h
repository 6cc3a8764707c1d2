// SPDX-License-Identifier: GPL-3.0-or-later
// From an address to a signed-in session, as straight-line code on a worker thread: ask ssh for its configuration, go
// through jump hosts or a ProxyCommand, race the addresses, exchange keys, look at the host key, sign in. What a person
// has to be asked is asked between two connections, so that no server waits for them.
#pragma once

#include "remote/connectingsession.h"
#include "remote/connectturn.h"
#include "remote/hostkeycheck.h"
#include "remote/proxycommand.h"
#include "remote/sshsession.h"
#include "remote/sshsignin.h"

namespace lockstep {

struct SignedIn {
    SshHandle session;
    QString with; // "~/.ssh/id_ed25519"
    SshSignIn::By by = SshSignIn::By::Key;
    std::shared_ptr<void> carrier;
};

class SshConnector {
public:
    SshConnector(const Node& node, IoThread& io, const SshSettings& settings);

    // The deadline is for the network: time that a person, or one's turn at a crowded server, takes does not count.
    [[nodiscard]] Result<SignedIn> connect(const SshSignIn::Needed& needed, Deadline& deadline,
                                           const std::stop_token& stop);
    [[nodiscard]] const std::optional<SeenHostKey>& seen() const { return m_seen; } // also after a failure

private:
    struct Server {
        QString name; // for the words of an error
        SshHost host;
        std::shared_ptr<const Server> via;      // the jump host before it
        [[nodiscard]] QString endpoint() const; // HostKey::endpoint
        [[nodiscard]] QString windowKey() const;
        [[nodiscard]] QString sessionKey() const; // who may share a session to it
    };
    struct Path {
        Descriptor socket;
        std::shared_ptr<void> carrier;
        std::shared_ptr<ProxyCommand> command;
    };
    struct Tries {
        int connections = 0, hangUps = 0;
    };
    [[nodiscard]] Result<Server> resolve(const Address& address, const QString& name, const QStringList& jumps,
                                         int depth, const std::stop_token& stop) const;
    [[nodiscard]] Result<SignedIn> signIn(const Server& server, const SshSignIn::Needed& needed,
                                          const std::stop_token& stop);
    [[nodiscard]] Result<std::optional<SignedIn>> tryOnce(const Server& server, HostKeyCheck& hostKey, SshSignIn& keys,
                                                          Tries& tries, const std::stop_token& stop);
    [[nodiscard]] Result<void> askCertificate(const Server& server, HostKeyCheck& hostKey, const std::stop_token& stop);
    [[nodiscard]] Result<Path> reach(const Server& server, const std::stop_token& stop);
    [[nodiscard]] Result<Path> reachByJump(const Server& server, const std::stop_token& stop);
    [[nodiscard]] Result<std::shared_ptr<SshSession>> hop(const Server& jump, const std::stop_token& stop);

    const Node& m_node;
    IoThread& m_io;
    const SshSettings& m_settings;
    Deadline m_deadline;
    std::optional<SeenHostKey> m_seen;
};

} // namespace lockstep
