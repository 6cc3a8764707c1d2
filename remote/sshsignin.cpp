// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/sshsignin.h"

namespace lockstep {

namespace {

constexpr int kOffersPerConnection = 5; // one below OpenSSH's MaxAuthTries

} // namespace

SshSignIn::SshSignIn(const SshHost& host, const SshSettings& settings, IoThread& io, QString node,
                     Identities identities, Needed needed)
    : m_host(host), m_settings(settings), m_io(io), m_node(std::move(node)), m_needed(std::move(needed)),
      m_offer(host, io, m_node), m_keys(std::move(identities.usable)), m_report(host, m_node, identities.notes)
{
}

Result<SshSignIn::Outcome> SshSignIn::attempt(ConnectingSession& session, const std::function<void()>& asking,
                                              Deadline& deadline, const std::stop_token& stop)
{
    ssh_session raw = session.get();
    const auto none = session.finish(
        SSH_AUTH_AGAIN, [raw] { return ssh_userauth_none(raw, nullptr); }, deadline, stop);
    if (!none)
        return std::unexpected(none.error());
    if (*none == SSH_AUTH_SUCCESS) {
        m_with = QStringLiteral("no key");
        return Outcome::SignedIn;
    }
    if (*none == SSH_AUTH_ERROR)
        return failure(ErrorCode::ConnectionLost,
                       QStringLiteral("%1 closed the connection: %2").arg(m_node, session.libraryError()), m_node);
    m_report.allows(ssh_userauth_list(raw, nullptr));
    m_offers = 0;
    for (const Identity& identity : std::as_const(m_accepted)) { // as on the connection before
        if (const auto again = m_offer.make(session, identity, deadline, stop); !again)
            return std::unexpected(again.error());
        ++m_offers;
    }
    return goThroughMethods(session, asking, deadline, stop);
}

Result<SshSignIn::Outcome> SshSignIn::goThroughMethods(ConnectingSession& session, const std::function<void()>& asking,
                                                       Deadline& deadline, const std::stop_token& stop)
{
    for (;;) {
        const int allowed = ssh_userauth_list(session.get(), nullptr);
        std::optional<Step> step;
        for (const QString& method : m_host.methods) {
            if (method == QLatin1String("publickey") && (allowed & SSH_AUTH_METHOD_PUBLICKEY) != 0 &&
                m_next < m_keys.size())
                step = offerKeys(session, deadline, stop);
            else if (method == QLatin1String("keyboard-interactive") && (allowed & SSH_AUTH_METHOD_INTERACTIVE) != 0 &&
                     !m_promptsOver)
                step = answerPrompts(session, asking, deadline, stop);
            else if (method == QLatin1String("password") && (allowed & SSH_AUTH_METHOD_PASSWORD) != 0 &&
                     !m_passwordOver)
                step = sendPassword(session, deadline, stop);
            if (step)
                break;
        }
        if (!step)
            return m_report.refusal();
        if (!*step)
            return std::unexpected(step->error());
        if (**step)
            return ***step;
    }
}

SshSignIn::Step SshSignIn::offerKeys(ConnectingSession& session, Deadline deadline, const std::stop_token& stop)
{
    const qsizetype accepted = m_accepted.size();
    while (m_next < m_keys.size() && m_accepted.size() == accepted) {
        if (m_offers == kOffersPerConnection)
            return Outcome::NeedsAnotherConnection;
        auto step = offerNext(session, deadline, stop);
        if (!step || *step)
            return step;
        ++m_offers;
    }
    return std::nullopt;
}

SshSignIn::Step SshSignIn::offerNext(ConnectingSession& session, Deadline deadline, const std::stop_token& stop)
{
    const Identity& identity = m_keys[m_next];
    const auto answer = m_offer.make(session, identity, deadline, stop);
    if (!answer) {
        if (answer.error().code != ErrorCode::ConnectionLost)
            return std::unexpected(answer.error());
        if (m_offers == 0) { // it hung up at the first offer: that is its answer
            m_report.key(identity, KeyOffer::Answer::Refused);
            ++m_next;
        }
        return Outcome::NeedsAnotherConnection;
    }
    switch (*answer) {
    case KeyOffer::Answer::Accepted:
        m_with = identity.name;
        return Outcome::SignedIn;
    case KeyOffer::Answer::Locked:
        if (canAsk()) {
            m_toUnlock = identity;
            return Outcome::NeedsAnotherConnection;
        }
        break;
    case KeyOffer::Answer::MoreWanted:
        m_accepted += identity;
        break;
    case KeyOffer::Answer::Refused:
    case KeyOffer::Answer::Unusable:
        break;
    }
    m_report.key(identity, *answer);
    ++m_next;
    return std::nullopt;
}

} // namespace lockstep
