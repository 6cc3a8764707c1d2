// SPDX-License-Identifier: GPL-3.0-or-later
// What ssh itself would use for a host. `ssh -G` is the resolver: nobody else reads ssh_config exactly as ssh does.
#pragma once

#include "remote/sshsettings.h"
#include "remote/transport.h"

#include <QStringList>

namespace lockstep {

struct SshHost {
    QString hostName; // to connect to
    QString user;
    int port = 22;
    QStringList identityFiles; // in ssh's order, existing or not
    QStringList certificateFiles;
    bool identitiesOnly = false;
    QString identityAgent;       // path of the agent's socket; empty: none
    QStringList knownHostsFiles; // the user's first; new keys go into the first
    QString hostKeyAlias;
    bool hashKnownHosts = false;
    QString addressFamily = QStringLiteral("any"); // inet, inet6
    QStringList proxyJump;                         // outermost first
    QString proxyCommand;

    bool operator==(const SshHost&) const = default;

    [[nodiscard]] QString knownHostsName() const; // the name a host key is kept under, without the port
};

// The output of ssh -G. `typed` is what the person wrote (%n).
[[nodiscard]] SshHost parseResolved(const QByteArray& output, const QString& typed);

// The defaults of ssh without any ssh_config.
[[nodiscard]] SshHost defaultsFor(const Address& address);

// Runs `ssh -G`. Any worker thread.
[[nodiscard]] Result<SshHost> resolveHost(const Address& address, const SshSettings& settings, const QString& node,
                                          Deadline deadline, const std::stop_token& stop);

} // namespace lockstep
