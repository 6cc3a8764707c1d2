// SPDX-License-Identifier: GPL-3.0-or-later
// The key a node showed, and where.
#pragma once

#include <QString>

namespace lockstep {

struct HostKey {
    QString type;             // ED25519
    QString fingerprint;      // SHA256:...
    QString knownFingerprint; // of a changed one
    QString knownHostsLine;   // "~/.ssh/known_hosts:41"
    QString endpoint = {};    // as ssh resolved the address: "10.0.0.11:22", "gpu7:22 via ops@gate"

    bool operator==(const HostKey&) const = default;
};

} // namespace lockstep
