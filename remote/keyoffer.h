// SPDX-License-Identifier: GPL-3.0-or-later
// Offers one key to a server: its public half first, then, when the server would take it, a signature by the key file
// or by the ssh-agent. Any worker thread.
#pragma once

#include "remote/connectingsession.h"
#include "remote/iothread.h"
#include "remote/sshidentities.h"

namespace lockstep {

class KeyOffer {
public:
    KeyOffer(const SshHost& host, IoThread& io, QString node) : m_host(host), m_io(io), m_node(std::move(node)) {}

    enum class Answer {
        Accepted,
        Refused,
        Locked,     // the server would take it: unlock it and offer it again
        MoreWanted, // accepted, and the server wants something besides
        Unusable,   // it cannot sign
    };
    // ConnectionLost: the server hung up.
    [[nodiscard]] Result<Answer> make(ConnectingSession& session, const Identity& identity, Deadline deadline,
                                      const std::stop_token& stop) const;

    // What the ring of unlocked keys knows this file by: another file of the same name is another key.
    [[nodiscard]] static QString ringName(const QString& file);
    [[nodiscard]] static SshKey load(const QString& file, const char* passphrase);

private:
    [[nodiscard]] Result<Answer> signByAgent(ConnectingSession& session, const Identity& identity, Deadline deadline,
                                             const std::stop_token& stop) const;
    [[nodiscard]] SshKey privateKey(const Identity& identity) const;
    [[nodiscard]] Result<Answer> answerOf(ConnectingSession& session, int libraryAnswer) const;

    const SshHost& m_host;
    IoThread& m_io;
    QString m_node;
};

} // namespace lockstep
