// SPDX-License-Identifier: GPL-3.0-or-later
// Signing in at one server with the keys at hand. A server ends a connection after MaxAuthTries offers (6 by default),
// so the keys are spread over as many connections as they need. Any worker thread.
#pragma once

#include "remote/connectingsession.h"
#include "remote/sshidentities.h"

namespace lockstep {

class SshSignIn {
public:
    SshSignIn(const SshHost& host, const SshSettings& settings, QString node, Identities identities);

    enum class Outcome { SignedIn, NeedsAnotherConnection };
    // AuthFailed and NeedsPassphrase say all that was tried and what the server allows.
    [[nodiscard]] Result<Outcome> attempt(ConnectingSession& session, Deadline deadline, const std::stop_token& stop);

    [[nodiscard]] QString signedInWith() const { return m_with; }

private:
    enum class Answer { Accepted, Refused, Locked, MoreWanted, Unusable };
    [[nodiscard]] Result<Answer> offer(ConnectingSession& session, const Identity& identity, Deadline deadline,
                                       const std::stop_token& stop);
    [[nodiscard]] Result<Answer> offerFromAgent(ConnectingSession& session, const Identity& identity, Deadline deadline,
                                                const std::stop_token& stop);
    [[nodiscard]] SshKey unlocked(const Identity& identity) const;
    void note(const Identity& identity, Answer answer);
    [[nodiscard]] std::unexpected<Error> refusal() const;

    const SshHost& m_host;
    const SshSettings& m_settings;
    QString m_node;
    Identities m_identities;
    qsizetype m_next = 0;
    QStringList m_tried;
    QString m_allows;
    QString m_locked; // a key that would do, if it were not locked
    QString m_with;
};

} // namespace lockstep
