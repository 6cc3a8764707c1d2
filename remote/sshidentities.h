// SPDX-License-Identifier: GPL-3.0-or-later
// Which keys to offer a server, in which order, and why some are not. Any worker thread; reads files, asks the agent.
#pragma once

#include "remote/sshagent.h"
#include "remote/sshcertificate.h"
#include "remote/sshconfig.h"

namespace lockstep {

struct Identity {
    enum class Source { Agent, File };
    Source source = Source::File;
    QString name;                              // "~/.ssh/id_ed25519", "ssh-agent: alice@desk"
    QByteArray blob;                           // public key; empty: an old locked key without its .pub file
    QString file;                              // of the private key
    QByteArray comment;                        // in the agent
    bool locked = false;                       // by a passphrase
    std::optional<SshCertificate> certificate; // to be shown instead of the bare key
};

struct Identities {
    QList<Identity> usable; // likeliest first
    QStringList notes;      // "~/.ssh/id_rsa (mode 0644: only you may be able to read it; chmod 600 ~/.ssh/id_rsa)"
};

// Keys that the configuration names and the agent holds come first, then key files, then the agent's other keys (unless
// IdentitiesOnly), then locked files; each with its certificate first, then bare.
[[nodiscard]] Identities collectIdentities(const SshHost& host, Deadline deadline, const std::stop_token& stop);

} // namespace lockstep
