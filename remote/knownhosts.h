// SPDX-License-Identifier: GPL-3.0-or-later
// known_hosts as ssh reads and writes it: several files, several names a line, wildcards and negation, hashed names,
// [host]:port, @revoked, @cert-authority. libssh's own reader skips the markers, so it is not used.
#pragma once

#include "core/error.h"
#include "core/nodestate.h"

#include <QByteArray>
#include <QList>
#include <QStringList>

#include <optional>

namespace lockstep {

struct ServerKey {
    QByteArray algorithm; // ssh-ed25519
    QByteArray blob;      // as on the wire

    bool operator==(const ServerKey&) const = default;
    [[nodiscard]] QString fingerprint() const; // SHA256:...
    [[nodiscard]] QString typeName() const;    // ED25519
};

struct HostAuthority { // a @cert-authority line
    ServerKey key;
    QString line;

    bool operator==(const HostAuthority&) const = default;
};

enum class KeyVerdict { Known, Unknown, Changed, Revoked };

struct KeyFinding {
    KeyVerdict verdict = KeyVerdict::Unknown;
    QString line;                     // "~/.ssh/known_hosts:41": the line that decided
    QString knownFingerprint;         // of a changed key
    QList<HostAuthority> authorities; // whose certificates are good for this host

    bool operator==(const KeyFinding&) const = default;
};

class KnownHosts {
public:
    [[nodiscard]] static KnownHosts load(const QStringList& files); // missing files hold nothing
    [[nodiscard]] KeyFinding check(const QString& name, int port, const ServerKey& key) const;
    [[nodiscard]] QList<HostAuthority> authorities(const QString& name, int port) const;
    // Algorithms of the keys known for this host, to be offered first: a server with several keys then shows the known
    // one.
    [[nodiscard]] QList<QByteArray> algorithms(const QString& name, int port) const;

    // The line that ssh would add.
    [[nodiscard]] static QByteArray line(const QString& name, int port, const ServerKey& key, const QByteArray& salt);
    // Appends to `file` in one write; makes it, and its folder, for this user only. `salt` empty: the name in clear.
    [[nodiscard]] static Result<void> append(const QString& file, const QString& name, int port, const ServerKey& key,
                                             const QByteArray& salt, const QString& node);

private:
    enum class Marker { None, Revoked, Authority };
    struct Entry {
        Marker marker = Marker::None;
        QByteArray names;
        ServerKey key;
        QString place;
    };
    [[nodiscard]] static bool matches(const Entry& entry, const QByteArray& name);

    QList<Entry> m_entries;
};

} // namespace lockstep
