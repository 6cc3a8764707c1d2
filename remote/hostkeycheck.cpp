// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/hostkeycheck.h"

#include "remote/localtransport.h"

#include <QDateTime>
#include <QRandomGenerator>

namespace lockstep {

namespace {

constexpr std::chrono::seconds kKeygenTime{5};
constexpr int kNotFound = 127;
constexpr qsizetype kSaltBytes = 20; // ssh's, the size of a SHA-1

} // namespace

HostKeyCheck::HostKeyCheck(const SshHost& host, const SshSettings& settings, QString server, QString node)
    : m_host(host), m_settings(settings), m_server(std::move(server)), m_node(std::move(node)),
      m_known(KnownHosts::load(host.knownHostsFiles)),
      m_algorithms(m_known.algorithms(host.knownHostsName(), host.port)),
      m_authorities(m_known.authorities(host.knownHostsName(), host.port))
{
}

QList<QByteArray> HostKeyCheck::algorithms() const
{
    return m_certified ? QList<QByteArray>{m_certified->algorithm} : m_algorithms;
}

void HostKeyCheck::useCertificate(const QByteArray& blob, Deadline deadline, const std::stop_token& stop)
{
    if (blob.isEmpty()) {
        m_noCertificate =
            QStringLiteral("%1 names an authority for it, but it shows no certificate").arg(m_authorities.first().line);
        return;
    }
    const auto certificate = SshCertificate::parse(blob);
    const QString objection =
        certificate ? objectionTo(*certificate, deadline, stop) : QStringLiteral("it cannot be read");
    if (objection.isEmpty())
        m_certified = certificate->key;
    else
        m_noCertificate = QStringLiteral("its host certificate does not count: %1").arg(objection);
}

// The text of a certificate proves nothing; its signature does. OpenSSH checks that whenever it reads one
// (sshkey.c, cert_parse), so ssh-keygen is asked to read it.
QString HostKeyCheck::objectionTo(const SshCertificate& certificate, Deadline deadline,
                                  const std::stop_token& stop) const
{
    const auto now = static_cast<quint64>(QDateTime::currentSecsSinceEpoch());
    if (const QString objection = certificate.objection(m_host.knownHostsName(), now); !objection.isEmpty())
        return objection;
    if (std::ranges::none_of(m_authorities,
                             [&](const HostAuthority& known) { return known.key == certificate.authority; }))
        return QStringLiteral("%1 names another authority than %2")
            .arg(m_authorities.first().line, certificate.authority.fingerprint());
    for (const ServerKey& key : {certificate.key, certificate.authority})
        if (const KeyFinding found = m_known.check(m_host.knownHostsName(), m_host.port, key);
            found.verdict == KeyVerdict::Revoked)
            return QStringLiteral("%1 revokes %2").arg(found.line, key.fingerprint());

    Node here;
    here.name = m_node;
    LocalTransport local(here);
    const auto read =
        local.run({m_settings.keygenProgram.toLocal8Bit(), "-L", "-f", "-"},
                  certificate.algorithm + ' ' + certificate.blob.toBase64() + '\n',
                  std::min(deadline, Deadline::in(kKeygenTime), [](auto a, auto b) { return a.at < b.at; }), stop);
    if (!read)
        return read.error().text;
    if (read->exitCode == kNotFound)
        return QStringLiteral("its signature can only be checked where ssh-keygen is installed");
    if (read->exitCode != 0)
        return QStringLiteral("its signature is wrong");
    return {};
}

QString HostKeyCheck::unusedOptions() const
{
    const QStringList unused = m_host.unused(NotHonoured::Matters::WhenTheHostKeyIsRefused);
    return unused.isEmpty()
               ? QString()
               : QStringLiteral(" Of ssh_config, this is not followed: %1.").arg(unused.join(QStringLiteral("; ")));
}

Result<void> HostKeyCheck::check(const ServerKey& key)
{
    const KeyFinding finding = m_known.check(m_host.knownHostsName(), m_host.port, key);
    m_seen = SeenHostKey{key, {key.typeName(), key.fingerprint(), finding.knownFingerprint, finding.line}, m_host};
    switch (finding.verdict) {
    case KeyVerdict::Known:
        return {};
    case KeyVerdict::Unknown: {
        if (m_certified && *m_certified == key)
            return {};
        if (m_host.acceptNewHostKeys) { // where it cannot be written, ssh goes on as well
            if (auto added = accept(*m_seen, m_node); !added && added.error().code != ErrorCode::Io)
                return added;
            return {};
        }
        QString text =
            QStringLiteral("%1 shows a host key that is not known yet: %2 %3. Compare it with the one of the "
                           "machine, then accept it.")
                .arg(m_server, key.typeName(), key.fingerprint());
        if (m_certified)
            text += QStringLiteral(" (Its certificate is for another key, %1.)").arg(m_certified->fingerprint());
        else if (!m_noCertificate.isEmpty())
            text += QStringLiteral(" (%1.)").arg(m_noCertificate);
        return failure(ErrorCode::HostKeyUnknown, text + unusedOptions(), m_node);
    }
    case KeyVerdict::Changed:
        return failure(
            ErrorCode::HostKeyChanged,
            QStringLiteral("%1 shows another host key than before: %2 %3, where %4 has %5. Nothing was sent. If the "
                           "machine was set up anew, ask whoever did it and remove that line; if not, somebody may "
                           "stand between you and it.")
                    .arg(m_server, key.typeName(), key.fingerprint(), finding.line, finding.knownFingerprint) +
                unusedOptions(),
            m_node);
    case KeyVerdict::Revoked:
        return failure(ErrorCode::HostKeyChanged,
                       QStringLiteral("%1 shows the host key %2 %3, which %4 revokes. Nothing was sent.")
                           .arg(m_server, key.typeName(), key.fingerprint(), finding.line),
                       m_node);
    }
    return {};
}

Result<void> HostKeyCheck::accept(const SeenHostKey& seen, const QString& node)
{
    const SshHost& host = seen.host;
    const KeyFinding finding = KnownHosts::load(host.knownHostsFiles).check(host.knownHostsName(), host.port, seen.key);
    switch (finding.verdict) {
    case KeyVerdict::Known:
        return {};
    case KeyVerdict::Changed:
    case KeyVerdict::Revoked:
        return failure(
            ErrorCode::HostKeyChanged,
            QStringLiteral("The host key of %1 cannot be accepted: %2 says otherwise.").arg(node, finding.line), node);
    case KeyVerdict::Unknown:
        break;
    }
    if (host.knownHostsFiles.isEmpty())
        return failure(ErrorCode::Io, QStringLiteral("ssh is configured to keep no known_hosts file for %1.").arg(node),
                       node);
    QByteArray salt;
    if (host.hashKnownHosts) {
        salt.resize(kSaltBytes);
        QRandomGenerator::system()->generate(salt.begin(), salt.end());
    }
    return KnownHosts::append(host.knownHostsFiles.first(), host.knownHostsName(), host.port, seen.key, salt, node);
}

} // namespace lockstep
