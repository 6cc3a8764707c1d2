// SPDX-License-Identifier: GPL-3.0-or-later
// What the person, the command line or a test decides about SSH; the same for all nodes.
#pragma once

#include "core/secret.h"
#include "core/signinquestion.h"

#include <functional>
#include <optional>
#include <stop_token>

namespace lockstep {

struct SshSettings {
    QString program = QStringLiteral("ssh"); // asked with -G what ssh_config says; missing: our own reading of it
    QString keygenProgram = QStringLiteral("ssh-keygen"); // checks the signature of host certificates
    QString configFile;                                   // ssh's -F; empty: as ssh does
    // Asks the person, on a worker thread, for as long as that takes; nullopt: no answer. Empty function: nobody can be
    // asked.
    std::function<std::optional<Secret>(const SignInQuestion&, const std::stop_token&)> ask;

    // LOCKSTEP_SSH_CONFIG: another ssh_config (ssh itself takes ~ from the account, not from HOME).
    [[nodiscard]] static SshSettings fromEnvironment();
};

} // namespace lockstep
