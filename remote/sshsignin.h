// SPDX-License-Identifier: GPL-3.0-or-later
// Signing in at one server: keys, then what the server asks, then a password, as far as it and ssh_config allow. A
// server ends a connection after MaxAuthTries offers (6 by default), so the keys are spread over as many connections as
// they need. A person is asked between two connections; only a server's own prompts need the one that stands. Any
// worker thread.
#pragma once

#include "remote/keyoffer.h"
#include "remote/signinreport.h"

namespace lockstep {

class SshSignIn {
public:
    // Whether anybody still needs the session: looked at before a person is asked. If not, signing in ends with
    // ConnectionLost.
    using Needed = std::function<bool()>;
    SshSignIn(const SshHost& host, const SshSettings& settings, IoThread& io, QString node, Identities identities,
              Needed needed);

    enum class Outcome { SignedIn, NeedsAnotherConnection };
    // `asking`: called before a person is asked while the connection stands. AuthFailed and NeedsPassphrase say all
    // that was tried and what the server allows.
    [[nodiscard]] Result<Outcome> attempt(ConnectingSession& session, const std::function<void()>& asking,
                                          Deadline& deadline, const std::stop_token& stop);

    // Between two connections: asks what the last one found missing, if anything. `deadline` moves by the time it
    // takes.
    [[nodiscard]] Result<void> askPerson(Deadline& deadline, const std::stop_token& stop);

    [[nodiscard]] QString signedInWith() const { return m_with; }
    enum class By {
        Key,
        Person, // somebody had to say something that another connection would ask again
    };
    [[nodiscard]] By signedInBy() const { return m_by; }

private:
    // What a method came to; nullopt: the next one.
    using Step = Result<std::optional<Outcome>>;
    [[nodiscard]] Result<Outcome> goThroughMethods(ConnectingSession& session, const std::function<void()>& asking,
                                                   Deadline& deadline, const std::stop_token& stop);
    [[nodiscard]] Step offerKeys(ConnectingSession& session, Deadline deadline, const std::stop_token& stop);
    [[nodiscard]] Step offerNext(ConnectingSession& session, Deadline deadline, const std::stop_token& stop);
    [[nodiscard]] Step answerPrompts(ConnectingSession& session, const std::function<void()>& asking,
                                     Deadline& deadline, const std::stop_token& stop);
    [[nodiscard]] Step sendPassword(ConnectingSession& session, Deadline deadline, const std::stop_token& stop);
    [[nodiscard]] Result<bool> answerRound(ConnectingSession& session, Deadline& deadline, const std::stop_token& stop);
    [[nodiscard]] Step hungUp(ConnectingSession& session) const;
    [[nodiscard]] Result<void> checkNeeded() const;
    [[nodiscard]] Result<void> unlock(const Identity& identity, Deadline& deadline, const std::stop_token& stop);
    [[nodiscard]] std::optional<Secret> ask(SignInQuestion question, Deadline& deadline,
                                            const std::stop_token& stop) const;
    [[nodiscard]] bool canAsk() const { return m_settings.ask && !m_host.batchMode; }

    const SshHost& m_host;
    const SshSettings& m_settings;
    IoThread& m_io;
    QString m_node;
    Needed m_needed;
    KeyOffer m_offer;
    QList<Identity> m_keys, m_accepted; // to offer; that the server took, wanting more
    qsizetype m_next = 0;
    int m_offers = 0; // on this connection
    SignInReport m_report;
    std::optional<Identity> m_toUnlock;
    bool m_wantsPassword = false, m_promptsOver = false, m_passwordOver = false;
    std::optional<Secret> m_password;
    int m_wrongAnswers = 0, m_wrongPasswords = 0;
    QString m_with;
    By m_by = By::Key;
};

} // namespace lockstep
