// SPDX-License-Identifier: GPL-3.0-or-later
// What was tried to sign in at a server, and the sentence about it when nothing worked.
#pragma once

#include "remote/keyoffer.h"

namespace lockstep {

class SignInReport {
public:
    SignInReport(const SshHost& host, QString node, QStringList notes);

    void allows(int libraryMethods);
    void key(const Identity& identity, KeyOffer::Answer answer);
    void tried(const QString& what) { m_tried += what; } // "a password (refused)"
    void nobodyToAsk(const QString& method) { m_unasked = method; }

    [[nodiscard]] std::unexpected<Error> refusal() const; // AuthFailed, NeedsPassphrase

private:
    const SshHost& m_host;
    QString m_node;
    QStringList m_tried;
    QString m_allows, m_unasked;
    QString m_locked; // a key that would do, if it were not locked
};

} // namespace lockstep
