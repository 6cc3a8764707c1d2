// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/knownhosts.h"

#include "remote/descriptor.h"
#include "remote/hostpattern.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QMessageAuthenticationCode>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>

namespace lockstep {

namespace {

constexpr int kSshPort = 22;
constexpr qint64 kFileBytes = 64 * 1024 * 1024;
constexpr char kHashed[] = "|1|";

QByteArray hostForm(const QString& name, int port)
{
    return port == kSshPort ? name.toUtf8() : '[' + name.toUtf8() + "]:" + QByteArray::number(port);
}

QByteArray hashed(const QByteArray& salt, const QByteArray& name)
{
    return QMessageAuthenticationCode::hash(name, salt, QCryptographicHash::Sha1);
}

bool matchesHashed(const QByteArray& names, const QByteArray& name)
{
    const QList<QByteArray> parts = names.split('|'); // "", "1", salt, hash
    return parts.size() == 4 && hashed(QByteArray::fromBase64(parts[2]), name) == QByteArray::fromBase64(parts[3]);
}

bool matchesPattern(const QByteArray& pattern, const QByteArray& name)
{
    return matchesHostPattern(pattern.toLower(), name);
}

QString shown(const QString& file)
{
    const QString home = QDir::homePath() + u'/';
    return file.startsWith(home) ? QStringLiteral("~/") + file.mid(home.size()) : file;
}

} // namespace

QString ServerKey::fingerprint() const
{
    const QByteArray digest = QCryptographicHash::hash(blob, QCryptographicHash::Sha256);
    return QStringLiteral("SHA256:") + QString::fromLatin1(digest.toBase64(QByteArray::OmitTrailingEquals));
}

QString ServerKey::typeName() const
{
    if (algorithm.startsWith("ssh-"))
        return QString::fromLatin1(algorithm.mid(4)).toUpper();
    if (algorithm.startsWith("ecdsa-"))
        return QStringLiteral("ECDSA");
    return QString::fromLatin1(algorithm);
}

KnownHosts KnownHosts::load(const QStringList& files)
{
    KnownHosts known;
    for (const QString& path : files) {
        QFile file(path);
        if (!file.open(QIODevice::ReadOnly))
            continue;
        int number = 0;
        for (const QByteArray& raw : file.read(kFileBytes).split('\n')) {
            ++number;
            QList<QByteArray> words = raw.simplified().split(' ');
            Entry entry;
            if (words.first() == "@revoked")
                entry.marker = Marker::Revoked;
            else if (words.first() == "@cert-authority")
                entry.marker = Marker::Authority;
            else if (words.first().startsWith('@') || words.first().startsWith('#'))
                continue;
            if (entry.marker != Marker::None)
                words.removeFirst();
            if (words.size() < 3)
                continue;
            entry.names = words[0];
            entry.key = {words[1], QByteArray::fromBase64(words[2])};
            entry.place = shown(path) + u':' + QString::number(number);
            known.m_entries += entry;
        }
    }
    return known;
}

bool KnownHosts::matches(const Entry& entry, const QByteArray& name)
{
    if (entry.names.startsWith(kHashed))
        return matchesHashed(entry.names, name);
    bool matched = false;
    for (const QByteArray& pattern : entry.names.split(',')) {
        if (pattern.startsWith('!')) {
            if (matchesPattern(pattern.mid(1), name))
                return false;
        } else if (matchesPattern(pattern, name)) {
            matched = true;
        }
    }
    return matched;
}

KeyFinding KnownHosts::check(const QString& name, int port, const ServerKey& key) const
{
    KeyFinding finding;
    const QByteArray host = hostForm(name.toLower(), port);
    for (const Entry& entry : m_entries) {
        if (!matches(entry, host) && !(entry.marker == Marker::Revoked && matches(entry, name.toLower().toUtf8())))
            continue;
        if (entry.marker == Marker::Revoked) {
            if (entry.key.blob == key.blob)
                return {KeyVerdict::Revoked, entry.place, {}, {}}; // outweighs every other line
        } else if (entry.marker == Marker::Authority) {
            finding.authorities += HostAuthority{entry.key, entry.place};
        } else if (entry.key.blob == key.blob) {
            finding.verdict = KeyVerdict::Known;
            finding.line = entry.place;
        } else if (finding.verdict == KeyVerdict::Unknown ||
                   (finding.verdict == KeyVerdict::Changed && entry.key.algorithm == key.algorithm)) {
            // A key of another type counts as well: a host that is known does not become unknown by hiding its key.
            finding.verdict = KeyVerdict::Changed;
            finding.line = entry.place;
            finding.knownFingerprint = entry.key.fingerprint();
        }
    }
    if (finding.verdict == KeyVerdict::Known)
        finding.knownFingerprint.clear();
    if (finding.verdict != KeyVerdict::Unknown || port == kSshPort)
        return finding;
    // As ssh does: a key that is known for the host without the port is good for another port, too.
    KeyFinding plain = check(name, kSshPort, key);
    if (plain.verdict == KeyVerdict::Known)
        return plain;
    finding.authorities += plain.authorities;
    return finding;
}

QList<QByteArray> KnownHosts::algorithms(const QString& name, int port) const
{
    QList<QByteArray> found;
    for (const int at : {port, kSshPort}) {
        for (const Entry& entry : m_entries)
            if (entry.marker == Marker::None && matches(entry, hostForm(name.toLower(), at)) &&
                !found.contains(entry.key.algorithm))
                found += entry.key.algorithm;
        if (!found.isEmpty())
            break;
    }
    return found;
}

QList<HostAuthority> KnownHosts::authorities(const QString& name, int port) const
{
    return check(name, port, {}).authorities;
}

QByteArray KnownHosts::line(const QString& name, int port, const ServerKey& key, const QByteArray& salt)
{
    QByteArray host = hostForm(name.toLower(), port);
    if (!salt.isEmpty())
        host = kHashed + salt.toBase64() + '|' + hashed(salt, host).toBase64();
    return host + ' ' + key.algorithm + ' ' + key.blob.toBase64() + '\n';
}

Result<void> KnownHosts::append(const QString& file, const QString& name, int port, const ServerKey& key,
                                const QByteArray& salt, const QString& node)
{
    const auto failed = [&] {
        return failure(ErrorCode::Io,
                       QStringLiteral("The key of %1 could not be added to %2: %3. It stays unknown.")
                           .arg(node, shown(file), QString::fromLocal8Bit(std::strerror(errno))),
                       node);
    };
    const QByteArray folder = QFile::encodeName(QFileInfo(file).path());
    if (mkdir(folder.constData(), S_IRWXU) != 0 && errno != EEXIST)
        return failed();
    const Descriptor target(
        open(QFile::encodeName(file).constData(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR));
    if (!target)
        return failed();
    QByteArray text = line(name, port, key, salt);
    char last = '\n';
    struct stat status {};
    if (fstat(target.get(), &status) == 0 && status.st_size > 0 &&
        pread(target.get(), &last, 1, status.st_size - 1) == 1 && last != '\n')
        text.prepend('\n');
    // One write, so that lines of several writers do not mix.
    if (::write(target.get(), text.constData(), static_cast<std::size_t>(text.size())) != text.size())
        return failed();
    return {};
}

} // namespace lockstep
