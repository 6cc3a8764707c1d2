// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/sshsignin.h"

namespace lockstep {

namespace {

constexpr int kOffersPerConnection = 5; // one below OpenSSH's MaxAuthTries
constexpr int kPassphraseTries = 3;

SshKey importPublic(const QByteArray& blob)
{
    // The blob names its own type; the argument is only compared with it.
    const QByteArray type = blob.mid(4, static_cast<unsigned char>(blob.size() > 4 ? blob.at(3) : 0));
    ssh_key key = nullptr;
    if (ssh_pki_import_pubkey_base64(blob.toBase64().constData(), ssh_key_type_from_name(type.constData()), &key) !=
        SSH_OK)
        return {};
    return SshKey(key);
}

SshKey importPrivate(const QString& file, const char* passphrase)
{
    ssh_key key = nullptr;
    if (ssh_pki_import_privkey_file(file.toLocal8Bit().constData(), passphrase, nullptr, nullptr, &key) != SSH_OK)
        return {};
    return SshKey(key);
}

QString methodNames(int methods)
{
    QStringList names;
    if ((methods & SSH_AUTH_METHOD_PUBLICKEY) != 0)
        names += QStringLiteral("publickey");
    if ((methods & SSH_AUTH_METHOD_PASSWORD) != 0)
        names += QStringLiteral("password");
    if ((methods & SSH_AUTH_METHOD_INTERACTIVE) != 0)
        names += QStringLiteral("keyboard-interactive");
    if ((methods & SSH_AUTH_METHOD_HOSTBASED) != 0)
        names += QStringLiteral("hostbased");
    if ((methods & SSH_AUTH_METHOD_GSSAPI_MIC) != 0)
        names += QStringLiteral("gssapi-with-mic");
    return names.join(QStringLiteral(", "));
}

} // namespace

SshSignIn::SshSignIn(const SshHost& host, const SshSettings& settings, QString node, Identities identities)
    : m_host(host), m_settings(settings), m_node(std::move(node)), m_identities(std::move(identities)),
      m_tried(m_identities.notes)
{
}

Result<SshSignIn::Outcome> SshSignIn::attempt(ConnectingSession& session, Deadline deadline,
                                              const std::stop_token& stop)
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
    const int methods = ssh_userauth_list(raw, nullptr);
    m_allows = methodNames(methods);
    if ((methods & SSH_AUTH_METHOD_PUBLICKEY) == 0)
        return refusal();

    for (int offers = 0; m_next < m_identities.usable.size(); ++offers) {
        if (offers == kOffersPerConnection)
            return Outcome::NeedsAnotherConnection;
        const Identity& identity = m_identities.usable[m_next];
        const auto answer = offer(session, identity, deadline, stop);
        if (!answer) {
            if (answer.error().code != ErrorCode::ConnectionLost)
                return std::unexpected(answer.error());
            if (offers == 0) { // it hung up at the first offer: that is its answer
                note(identity, Answer::Refused);
                ++m_next;
            }
            if (m_next < m_identities.usable.size())
                return Outcome::NeedsAnotherConnection;
            return refusal();
        }
        ++m_next;
        if (*answer == Answer::Accepted) {
            m_with = identity.name;
            return Outcome::SignedIn;
        }
        note(identity, *answer);
    }
    return refusal();
}

Result<SshSignIn::Answer> SshSignIn::offer(ConnectingSession& session, const Identity& identity, Deadline deadline,
                                           const std::stop_token& stop)
{
    ssh_session raw = session.get();
    // The public half first: a locked key is only asked for when the server would take it, and libssh leaks a little
    // for each key but the first that it is handed through an agent.
    if (const SshKey half = importPublic(identity.blob); half && identity.certificate.isEmpty()) {
        const auto tried = session.finish(
            SSH_AUTH_AGAIN, [&] { return ssh_userauth_try_publickey(raw, nullptr, half.get()); }, deadline, stop);
        if (!tried)
            return std::unexpected(tried.error());
        if (*tried == SSH_AUTH_ERROR)
            return failure(ErrorCode::ConnectionLost, session.libraryError(), m_node);
        if (*tried != SSH_AUTH_SUCCESS)
            return Answer::Refused;
    }
    if (identity.source == Identity::Source::Agent)
        return offerFromAgent(session, identity, deadline, stop);
    const SshKey key = identity.locked ? unlocked(identity) : importPrivate(identity.file, nullptr);
    if (!key)
        return identity.locked ? Answer::Locked : Answer::Unusable;
    ssh_key certificate = nullptr;
    if (!identity.certificate.isEmpty() &&
        ssh_pki_import_cert_file(identity.certificate.toLocal8Bit().constData(), &certificate) == SSH_OK)
        ssh_pki_copy_cert_to_privkey(SshKey(certificate).get(), key.get());
    const auto signedIn = session.finish(
        SSH_AUTH_AGAIN, [&] { return ssh_userauth_publickey(raw, nullptr, key.get()); }, deadline, stop);
    if (!signedIn)
        return std::unexpected(signedIn.error());
    if (*signedIn == SSH_AUTH_ERROR)
        return failure(ErrorCode::ConnectionLost, session.libraryError(), m_node);
    return *signedIn == SSH_AUTH_SUCCESS   ? Answer::Accepted
           : *signedIn == SSH_AUTH_PARTIAL ? Answer::MoreWanted
                                           : Answer::Refused;
}

Result<SshSignIn::Answer> SshSignIn::offerFromAgent(ConnectingSession& session, const Identity& identity,
                                                    Deadline deadline, const std::stop_token& stop)
{
    const OneKeyAgent agent(m_host.identityAgent, {identity.blob, identity.comment}, deadline, stop);
    ssh_session raw = session.get();
    ssh_set_agent_socket(raw, agent.clientSocket());
    const auto tried = session.finish(
        SSH_AUTH_AGAIN, [raw] { return ssh_userauth_agent(raw, nullptr); }, deadline, stop);
    ssh_set_agent_socket(raw, SSH_INVALID_SOCKET);
    if (!tried)
        return std::unexpected(tried.error());
    switch (*tried) {
    case SSH_AUTH_SUCCESS:
        return Answer::Accepted;
    case SSH_AUTH_PARTIAL:
        return Answer::MoreWanted;
    case SSH_AUTH_ERROR:
        if (ssh_is_connected(raw) == 0)
            return failure(ErrorCode::ConnectionLost, session.libraryError(), m_node);
        return Answer::Unusable; // the agent would not sign
    default:
        return Answer::Refused;
    }
}

SshKey SshSignIn::unlocked(const Identity& identity) const
{
    if (!m_settings.askPassphrase)
        return {};
    for (int i = 0; i < kPassphraseTries; ++i) {
        const auto passphrase = m_settings.askPassphrase(identity.file, m_node);
        if (!passphrase)
            return {};
        if (SshKey key = importPrivate(identity.file, passphrase->constData()))
            return key;
    }
    return {};
}

void SshSignIn::note(const Identity& identity, Answer answer)
{
    switch (answer) {
    case Answer::Accepted:
        break;
    case Answer::Refused:
        m_tried += identity.name + QStringLiteral(" (refused)");
        break;
    case Answer::Locked:
        m_tried += identity.name + QStringLiteral(" (locked by a passphrase)");
        if (m_locked.isEmpty())
            m_locked = identity.name;
        break;
    case Answer::MoreWanted:
        m_tried += identity.name + QStringLiteral(" (accepted, but the server wants more than a key)");
        break;
    case Answer::Unusable:
        m_tried += identity.name + QStringLiteral(" (cannot be used to sign)");
        break;
    }
}

std::unexpected<Error> SshSignIn::refusal() const
{
    const QString whom = QStringLiteral("%1@%2").arg(m_host.user, m_host.hostName);
    const QString tried = m_tried.isEmpty() ? QStringLiteral("There was no key to try")
                                            : QStringLiteral("Tried: ") + m_tried.join(QStringLiteral(", "));
    const QString allows = m_allows.isEmpty() ? QStringLiteral("nothing") : m_allows;
    if (!m_locked.isEmpty())
        return failure(
            ErrorCode::NeedsPassphrase,
            QStringLiteral("%1 would need the key %2 for %3, but it is locked by a passphrase. Unlock it with "
                           "`ssh-add %2` and try again. %4. The server allows %5.")
                .arg(m_node, m_locked, whom, tried, allows),
            m_node);
    return failure(ErrorCode::AuthFailed,
                   QStringLiteral("%1 did not let %2 in. %3. The server allows %4. Add one of your public keys to "
                                  "~/.ssh/authorized_keys there.")
                       .arg(m_node, whom, tried, allows),
                   m_node);
}

} // namespace lockstep
