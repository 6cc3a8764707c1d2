// SPDX-License-Identifier: GPL-3.0-or-later
// OpenSSH's certificates (PROTOCOL.certkeys): a public key, for whom it is good and until when, signed by an authority.
#pragma once

#include "remote/knownhosts.h"

namespace lockstep {

struct SshCertificate {
    enum class Use : quint32 { User = 1, Host = 2 };

    QByteArray algorithm; // ssh-ed25519-cert-v01@openssh.com
    QByteArray blob;      // all of it, as on the wire
    ServerKey key;        // what is certified
    quint32 use = 0;
    QList<QByteArray> principals;            // empty: all
    quint64 validAfter = 0, validBefore = 0; // seconds since 1970
    QByteArray criticalOptions;
    ServerKey authority;
    QByteArray signatureAlgorithm;

    bool operator==(const SshCertificate&) const = default;

    // The signature is not looked at.
    [[nodiscard]] static std::optional<SshCertificate> parse(const QByteArray& blob);
    [[nodiscard]] static std::optional<SshCertificate> load(const QString& file); // FILE-cert.pub

    // Why it is no good for a host of this name at this time, as ssh sees it, but for the signature; empty: it is good.
    [[nodiscard]] QString objection(const QString& hostName, quint64 nowS) const;
};

} // namespace lockstep
