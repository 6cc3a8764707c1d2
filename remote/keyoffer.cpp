// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/keyoffer.h"

#include "remote/sshagent.h"
#include "remote/sshshared.h"

#include <QDateTime>
#include <QFileInfo>

namespace lockstep {

namespace {

SshKey publicHalf(const Identity& identity)
{
    const QByteArray& blob = identity.certificate ? identity.certificate->blob : identity.blob;
    // The blob names its own type; the argument is only compared with it.
    const QByteArray type = blob.mid(4, static_cast<unsigned char>(blob.size() > 4 ? blob.at(3) : 0));
    const ssh_keytypes_e named = ssh_key_type_from_name(type.constData());
    const QByteArray text = blob.toBase64();
    ssh_key key = nullptr;
    const int imported = identity.certificate ? ssh_pki_import_cert_base64(text.constData(), named, &key)
                                              : ssh_pki_import_pubkey_base64(text.constData(), named, &key);
    return SshKey(imported == SSH_OK ? key : nullptr);
}

} // namespace

QString KeyOffer::ringName(const QString& file)
{
    const QFileInfo info(file);
    return QStringLiteral("%1 %2 %3").arg(file).arg(info.size()).arg(info.lastModified().toMSecsSinceEpoch());
}

SshKey KeyOffer::load(const QString& file, const char* passphrase)
{
    ssh_key key = nullptr;
    if (ssh_pki_import_privkey_file(file.toLocal8Bit().constData(), passphrase, nullptr, nullptr, &key) != SSH_OK)
        return {};
    return SshKey(key);
}

SshKey KeyOffer::privateKey(const Identity& identity) const
{
    if (!identity.locked)
        return load(identity.file, nullptr);
    return m_io.ask([this, name = ringName(identity.file)] {
        const auto held = m_io.shared().keys[name].value();
        return SshKey(held ? ssh_key_dup(held.get()) : nullptr);
    });
}

Result<KeyOffer::Answer> KeyOffer::make(ConnectingSession& session, const Identity& identity, Deadline deadline,
                                        const std::stop_token& stop) const
{
    ssh_session raw = session.get();
    // The public half first: a locked key is only asked for when the server would take it, and libssh leaks a little
    // for each key but the first that it is handed through an agent.
    if (const SshKey half = publicHalf(identity)) {
        const auto tried = session.finish(
            SSH_AUTH_AGAIN, [&] { return ssh_userauth_try_publickey(raw, nullptr, half.get()); }, deadline, stop);
        if (!tried)
            return std::unexpected(tried.error());
        if (*tried != SSH_AUTH_SUCCESS)
            return answerOf(session, *tried);
    }
    if (identity.source == Identity::Source::Agent)
        return signByAgent(session, identity, deadline, stop);
    const SshKey key = privateKey(identity);
    if (!key)
        return identity.locked ? Answer::Locked : Answer::Unusable;
    if (const SshKey certificate = identity.certificate ? publicHalf(identity) : SshKey();
        certificate && ssh_pki_copy_cert_to_privkey(certificate.get(), key.get()) != SSH_OK)
        return Answer::Unusable;
    const auto signedIn = session.finish(
        SSH_AUTH_AGAIN, [&] { return ssh_userauth_publickey(raw, nullptr, key.get()); }, deadline, stop);
    return signedIn ? answerOf(session, *signedIn) : std::unexpected(signedIn.error());
}

Result<KeyOffer::Answer> KeyOffer::signByAgent(ConnectingSession& session, const Identity& identity, Deadline deadline,
                                               const std::stop_token& stop) const
{
    const QByteArray shown = identity.certificate ? identity.certificate->blob : identity.blob;
    const OneKeyAgent agent(m_host.identityAgent, {identity.blob, identity.comment}, shown, deadline, stop);
    ssh_session raw = session.get();
    ssh_set_agent_socket(raw, agent.clientSocket());
    const auto tried = session.finish(
        SSH_AUTH_AGAIN, [raw] { return ssh_userauth_agent(raw, nullptr); }, deadline, stop);
    ssh_set_agent_socket(raw, SSH_INVALID_SOCKET);
    if (!tried)
        return std::unexpected(tried.error());
    if (*tried == SSH_AUTH_ERROR && ssh_is_connected(raw) != 0)
        return Answer::Unusable; // the agent would not sign
    return answerOf(session, *tried);
}

Result<KeyOffer::Answer> KeyOffer::answerOf(ConnectingSession& session, int libraryAnswer) const
{
    switch (libraryAnswer) {
    case SSH_AUTH_SUCCESS:
        return Answer::Accepted;
    case SSH_AUTH_PARTIAL:
        return Answer::MoreWanted;
    case SSH_AUTH_ERROR:
        return failure(ErrorCode::ConnectionLost, session.libraryError(), m_node);
    default:
        return Answer::Refused;
    }
}

} // namespace lockstep
