// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/sshidentities.h"

#include "remote/sshhandle.h"

#include <QDir>
#include <QFile>

#include <sys/stat.h>

namespace lockstep {

namespace {

constexpr qint64 kKeyFileBytes = 1024 * 1024;
constexpr std::chrono::seconds kAgentDeadline{5}; // to list its keys; a signature may take until somebody confirms it
constexpr mode_t kOthers = 077;
constexpr char kContainer[] = "-----BEGIN OPENSSH PRIVATE KEY-----";

QString shown(const QString& file)
{
    const QString home = QDir::homePath() + u'/';
    return file.startsWith(home) ? QStringLiteral("~/") + file.mid(home.size()) : file;
}

QByteArray blobOf(ssh_key key)
{
    char* text = nullptr;
    if (ssh_pki_export_pubkey_base64(key, &text) != SSH_OK)
        return {};
    QByteArray blob = QByteArray::fromBase64(text);
    ssh_string_free_char(text);
    return blob;
}

// From FILE.pub, else from FILE itself (a public key, or the readable half of OpenSSH's format).
QByteArray publicBlob(const QString& file)
{
    for (const QString& candidate : {file + QStringLiteral(".pub"), file}) {
        ssh_key key = nullptr;
        if (QFile::exists(candidate) &&
            ssh_pki_import_pubkey_file(QFile::encodeName(candidate).constData(), &key) == SSH_OK)
            return blobOf(SshKey(key).get());
    }
    return {};
}

// OpenSSH's own format names its cipher right after the magic; the older ones say ENCRYPTED in their header.
bool isLocked(const QByteArray& content)
{
    if (!content.startsWith(kContainer))
        return content.contains("ENCRYPTED");
    const qsizetype start = content.indexOf('\n'), end = content.indexOf("-----END");
    const QByteArray bytes = QByteArray::fromBase64(content.mid(start, end - start).simplified().replace(' ', ""));
    return !bytes.mid(static_cast<qsizetype>(sizeof "openssh-key-v1"), 8).endsWith("none");
}

bool isPublicKey(const QByteArray& content)
{
    return content.startsWith("ssh-") || content.startsWith("ecdsa-") || content.startsWith("sk-");
}

class Collector {
public:
    Collector(const SshHost& host, Deadline deadline, const std::stop_token& stop) : m_host(host)
    {
        if (host.identityAgent.isEmpty())
            return;
        auto listed =
            listAgentKeys(host.identityAgent, std::min(deadline, Deadline::in(kAgentDeadline), earlierFirst), stop);
        if (listed)
            m_agentKeys = std::move(*listed);
        else
            m_result.notes += listed.error().text.chopped(1);
    }

    [[nodiscard]] Identities collect()
    {
        for (const QString& file : m_host.certificateFiles)
            if (auto certificate = SshCertificate::load(file))
                m_certificates += *certificate;
            else if (QFile::exists(file))
                m_result.notes += QStringLiteral("%1 (this is no certificate)").arg(shown(file));
        for (const QString& file : m_host.identityFiles)
            if (QFile::exists(file))
                addFile(file);
        if (!m_host.identitiesOnly)
            for (const AgentKey& key : std::as_const(m_agentKeys))
                add(m_others, agentIdentity(key, {}));
        m_result.usable = m_first + m_files + m_others + m_locked;
        return std::move(m_result);
    }

private:
    static bool earlierFirst(const Deadline& a, const Deadline& b) { return a.at < b.at; }

    static Identity agentIdentity(const AgentKey& key, const QString& file)
    {
        const QString comment = QStringLiteral("ssh-agent: ") + QString::fromUtf8(key.comment);
        Identity identity;
        identity.source = Identity::Source::Agent;
        identity.name = file.isEmpty() ? comment : QStringLiteral("%1 (%2)").arg(shown(file), comment);
        identity.blob = key.blob;
        identity.comment = key.comment;
        return identity;
    }

    bool takenFromAgent(const QByteArray& blob, const QString& file)
    {
        for (qsizetype i = 0; i < m_agentKeys.size(); ++i) {
            if (blob.isEmpty() || m_agentKeys[i].blob != blob)
                continue;
            add(m_first, agentIdentity(m_agentKeys.takeAt(i), file));
            return true;
        }
        return false;
    }

    void addFile(const QString& file)
    {
        QFile opened(file);
        struct stat status {};
        if (stat(QFile::encodeName(file).constData(), &status) != 0 || !opened.open(QIODevice::ReadOnly)) {
            m_result.notes += QStringLiteral("%1 (cannot be read: %2)").arg(shown(file), opened.errorString());
            return;
        }
        const QByteArray content = opened.read(kKeyFileBytes);
        const QByteArray blob = publicBlob(file);
        if (auto beside = SshCertificate::load(file + QStringLiteral("-cert.pub"));
            beside && !m_certificates.contains(*beside))
            m_certificates += *beside;
        if (takenFromAgent(blob, file))
            return;
        if (isPublicKey(content)) {
            m_result.notes += QStringLiteral("%1 (this is the public half, and no ssh-agent has the private one: name "
                                             "the file without .pub)")
                                  .arg(shown(file));
            return;
        }
        if (status.st_uid == getuid() && (status.st_mode & kOthers) != 0) {
            m_result.notes += QStringLiteral("%1 (mode 0%2: only you may be able to read it; chmod 600 %1)")
                                  .arg(shown(file))
                                  .arg(status.st_mode & 0777, 0, 8);
            return;
        }
        if (blob.mid(4).startsWith("sk-")) {
            m_result.notes +=
                QStringLiteral("%1 (a security key: only an ssh-agent can sign with it; ssh-add %1)").arg(shown(file));
            return;
        }
        Identity identity;
        identity.name = shown(file);
        identity.blob = blob;
        identity.file = file;
        identity.locked = isLocked(content);
        add(identity.locked ? m_locked : m_files, identity);
    }

    // With each certificate for it, then without.
    void add(QList<Identity>& list, Identity identity)
    {
        for (const SshCertificate& certificate : std::as_const(m_certificates)) {
            if (identity.blob.isEmpty() || certificate.key.blob != identity.blob ||
                certificate.use != static_cast<quint32>(SshCertificate::Use::User))
                continue;
            list += identity;
            list.last().certificate = certificate;
            list.last().name += QStringLiteral(" with its certificate");
        }
        list += std::move(identity);
    }

    const SshHost& m_host;
    QList<AgentKey> m_agentKeys; // those no file has claimed
    QList<SshCertificate> m_certificates;
    QList<Identity> m_first, m_files, m_others, m_locked;
    Identities m_result;
};

} // namespace

Identities collectIdentities(const SshHost& host, Deadline deadline, const std::stop_token& stop)
{
    return Collector(host, deadline, stop).collect();
}

} // namespace lockstep
