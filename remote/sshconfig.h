// SPDX-License-Identifier: GPL-3.0-or-later
// What ssh itself would use for a host. `ssh -G` is the resolver where ssh is installed.
#pragma once

#include "remote/nothonoured.h"
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
    QString revokedHostKeys; // a file that we do not read; empty: none
    bool hashKnownHosts = false;
    QString addressFamily = QStringLiteral("any"); // inet, inet6
    QString bindAddress, bindInterface;
    int connectTimeoutS = 0; // 0: ours
    QStringList proxyJump;   // outermost first, its tokens (%r, %h) replaced
    QString proxyCommand;    // its tokens replaced; one line for the shell
    bool proxyUseFdpass = false;
    QStringList methods = {QStringLiteral("publickey"), QStringLiteral("keyboard-interactive"),
                           QStringLiteral("password")}; // to sign in by, in this order
    int passwordPrompts = 3;
    bool batchMode = false;         // nobody is to be asked
    bool acceptNewHostKeys = false; // StrictHostKeyChecking accept-new, no or off: an unknown key is added unasked
    // As written there, "+x" and "-x" included; empty: ours.
    QString ciphers, macs, kexAlgorithms, hostKeyAlgorithms, publicKeyAlgorithms;
    int requiredRsaBits = 0;        // RequiredRSASize; 0: libssh's own
    QList<NotHonoured> notHonoured; // each once

    bool operator==(const SshHost&) const = default;

    [[nodiscard]] QString knownHostsName() const; // the name a host key is kept under, without the port
    [[nodiscard]] QStringList unused(NotHonoured::Matters when) const; // sentences about options that are not followed
};

// The output of ssh -G. `typed` is what the person wrote (%n).
[[nodiscard]] Result<SshHost> parseResolved(const QByteArray& output, const QString& typed);

// Runs `ssh -G`; without ssh, our own reading (sshconfigreader.h). Any worker thread.
[[nodiscard]] Result<SshHost> resolveHost(const Address& address, const SshSettings& settings, const QString& node,
                                          Deadline deadline, const std::stop_token& stop);

} // namespace lockstep
