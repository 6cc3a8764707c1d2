// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/signinreport.h"

namespace lockstep {

SignInReport::SignInReport(const SshHost& host, QString node, QStringList notes)
    : m_host(host), m_node(std::move(node)), m_tried(std::move(notes))
{
    for (const QString& unused : host.unused(NotHonoured::Matters::WhenSigningInFails))
        m_tried += QStringLiteral("not what ssh_config says (%1)").arg(unused);
}

void SignInReport::allows(int methods)
{
    const struct {
        int bit;
        const char* name;
    } known[] = {{SSH_AUTH_METHOD_PUBLICKEY, "publickey"},
                 {SSH_AUTH_METHOD_PASSWORD, "password"},
                 {SSH_AUTH_METHOD_INTERACTIVE, "keyboard-interactive"},
                 {SSH_AUTH_METHOD_HOSTBASED, "hostbased"},
                 {SSH_AUTH_METHOD_GSSAPI_MIC, "gssapi-with-mic"}};
    QStringList names;
    for (const auto& method : known)
        if ((methods & method.bit) != 0)
            names += QString::fromLatin1(method.name);
    m_allows = names.join(QStringLiteral(", "));
}

void SignInReport::key(const Identity& identity, KeyOffer::Answer answer)
{
    switch (answer) {
    case KeyOffer::Answer::Accepted:
        break;
    case KeyOffer::Answer::Refused:
        m_tried += identity.name + QStringLiteral(" (refused)");
        break;
    case KeyOffer::Answer::Locked:
        m_tried += identity.name + QStringLiteral(" (locked by a passphrase)");
        if (m_locked.isEmpty())
            m_locked = identity.name;
        break;
    case KeyOffer::Answer::MoreWanted:
        m_tried += identity.name + QStringLiteral(" (accepted, but the server wants more than a key)");
        break;
    case KeyOffer::Answer::Unusable:
        m_tried += identity.name + QStringLiteral(" (cannot be used to sign)");
        break;
    }
}

std::unexpected<Error> SignInReport::refusal() const
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
    const QString advice =
        m_unasked.isEmpty()
            ? QStringLiteral("Add one of your public keys to ~/.ssh/authorized_keys there.")
            : QStringLiteral("There is nobody to ask for %1: start Lockstep in its window or on a terminal, or add one "
                             "of your public keys to ~/.ssh/authorized_keys there.")
                  .arg(m_unasked);
    return failure(
        ErrorCode::AuthFailed,
        QStringLiteral("%1 did not let %2 in. %3. The server allows %4. %5").arg(m_node, whom, tried, allows, advice),
        m_node);
}

} // namespace lockstep
