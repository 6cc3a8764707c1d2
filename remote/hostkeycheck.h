// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a server is who it should be: its key against known_hosts, or its certificate against the authorities there.
// Any worker thread; reads files, runs ssh-keygen.
#pragma once

#include "remote/sshcertificate.h"
#include "remote/sshconfig.h"

namespace lockstep {

struct SeenHostKey { // of the server that was asked last; a jump host's if it is the one that stopped us
    ServerKey key;
    HostKey shown;
    SshHost host;
};

class HostKeyCheck {
public:
    HostKeyCheck(const SshHost& host, const SshSettings& settings, QString server, QString node);

    // Only a certificate can vouch for this server: no key of it is known, but an authority is.
    [[nodiscard]] bool wantsCertificate() const { return m_algorithms.isEmpty() && !m_authorities.isEmpty(); }
    // What the server shows as its certificate (empty: it has none), from a source that need not be trusted.
    void useCertificate(const QByteArray& blob, Deadline deadline, const std::stop_token& stop);

    [[nodiscard]] bool isCertified() const { return m_certified.has_value(); }
    [[nodiscard]] QList<QByteArray> algorithms() const; // of keys that are known, to be offered first
    // HostKeyUnknown, HostKeyChanged. An unknown key is added unasked where ssh_config says so.
    [[nodiscard]] Result<void> check(const ServerKey& key);
    [[nodiscard]] const std::optional<SeenHostKey>& seen() const { return m_seen; }

    // A person has looked at it: added to known_hosts as ssh does.
    [[nodiscard]] static Result<void> accept(const SeenHostKey& seen, const QString& node);

private:
    [[nodiscard]] QString unusedOptions() const; // what of ssh_config might have known better; empty: nothing
    [[nodiscard]] QString objectionTo(const SshCertificate& certificate, Deadline deadline,
                                      const std::stop_token& stop) const;

    const SshHost& m_host;
    const SshSettings& m_settings;
    QString m_server, m_node;
    KnownHosts m_known;
    QList<QByteArray> m_algorithms;
    QList<HostAuthority> m_authorities;
    std::optional<ServerKey> m_certified;
    QString m_noCertificate; // why there is none that counts
    std::optional<SeenHostKey> m_seen;
};

} // namespace lockstep
