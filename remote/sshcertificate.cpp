// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/sshcertificate.h"

#include "remote/hostpattern.h"
#include "remote/sshwire.h"

#include <QDateTime>
#include <QFile>

namespace lockstep {

namespace {

constexpr qint64 kFileBytes = 1024 * 1024;
constexpr char kSuffix[] = "-cert-v01@openssh.com";

// How many fields the public key has, in each algorithm.
int keyFields(const QByteArray& plain)
{
    if (plain == "ssh-ed25519")
        return 1;
    if (plain == "ssh-rsa" || plain.startsWith("ecdsa-sha2-") || plain == "sk-ssh-ed25519@openssh.com")
        return 2;
    if (plain == "sk-ecdsa-sha2-nistp256@openssh.com")
        return 3;
    return 0;
}

QByteArray plainAlgorithm(const QByteArray& algorithm)
{
    if (!algorithm.endsWith(kSuffix))
        return {};
    const QByteArray plain = algorithm.chopped(static_cast<qsizetype>(sizeof kSuffix) - 1);
    return plain.startsWith("sk-") ? plain + "@openssh.com" : plain;
}

QString day(quint64 seconds)
{
    return QDateTime::fromSecsSinceEpoch(static_cast<qint64>(seconds)).toString(Qt::ISODate);
}

} // namespace

std::optional<SshCertificate> SshCertificate::parse(const QByteArray& blob)
{
    SshCertificate made;
    made.blob = blob;
    WireReader reader(blob);
    made.algorithm = reader.string();
    const QByteArray plain = plainAlgorithm(made.algorithm);
    const int fields = keyFields(plain);
    if (fields == 0)
        return {};
    const QByteArray nonce = reader.string();
    const qsizetype begin = reader.position();
    for (int i = 0; i < fields; ++i)
        (void)reader.string();
    made.key = {plain, wireString(plain) + blob.mid(begin, reader.position() - begin)};
    (void)reader.bigNumber(); // serial
    made.use = reader.number();
    (void)reader.string(); // key id
    WireReader principals(reader.string());
    made.validAfter = reader.bigNumber();
    made.validBefore = reader.bigNumber();
    made.criticalOptions = reader.string();
    (void)reader.string(); // extensions
    (void)reader.string(); // reserved
    const QByteArray authority = reader.string();
    made.authority = {WireReader(authority).string(), authority};
    made.signatureAlgorithm = WireReader(reader.string()).string();
    while (!principals.failed() && !principals.atEnd())
        made.principals += principals.string();
    if (nonce.isEmpty() || reader.failed() || !reader.atEnd() || principals.failed())
        return {};
    return made;
}

std::optional<SshCertificate> SshCertificate::load(const QString& path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return {};
    const QList<QByteArray> words = file.read(kFileBytes).simplified().split(' ');
    return words.size() < 2 ? std::nullopt : parse(QByteArray::fromBase64(words[1]));
}

QString SshCertificate::objection(const QString& hostName, quint64 nowS) const
{
    if (use != static_cast<quint32>(Use::Host))
        return QStringLiteral("it is no host certificate");
    if (nowS < validAfter)
        return QStringLiteral("it is valid from %1 on").arg(day(validAfter));
    if (nowS >= validBefore)
        return QStringLiteral("it expired at %1").arg(day(validBefore));
    if (!criticalOptions.isEmpty())
        return QStringLiteral("it has critical options that are unknown here");
    if (signatureAlgorithm == "ssh-rsa" || signatureAlgorithm == "ssh-dss")
        return QStringLiteral("it is signed with %1, which is broken").arg(QString::fromLatin1(signatureAlgorithm));
    QByteArray names;
    for (const QByteArray& principal : principals) {
        if (matchesHostPattern(principal, hostName.toUtf8()))
            return {};
        names += (names.isEmpty() ? "" : ", ") + principal;
    }
    if (principals.isEmpty())
        return {};
    return QStringLiteral("it is good for %1, not for %2").arg(QString::fromUtf8(names), hostName);
}

} // namespace lockstep
