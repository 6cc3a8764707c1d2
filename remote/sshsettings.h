// SPDX-License-Identifier: GPL-3.0-or-later
// What the person, the command line or a test decides about SSH; the same for all nodes.
#pragma once

#include <QByteArray>
#include <QString>

#include <functional>
#include <optional>

namespace lockstep {

struct SshSettings {
    QString program = QStringLiteral("ssh"); // asked with -G what ssh_config says; missing: our own defaults
    QString configFile;                      // ssh's -F; empty: as ssh does
    // Asked on a worker thread, may take as long as the deadline lasts; nullopt: none given. Empty function: locked
    // keys end in NeedsPassphrase.
    std::function<std::optional<QByteArray>(const QString& keyFile, const QString& node)> askPassphrase;

    // LOCKSTEP_SSH_CONFIG: another ssh_config (ssh itself takes ~ from the account, not from HOME).
    [[nodiscard]] static SshSettings fromEnvironment();
};

} // namespace lockstep
