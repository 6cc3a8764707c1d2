// SPDX-License-Identifier: GPL-3.0-or-later
// The tokens of ssh_config(5) in values that ssh itself expands only when it uses them.
#pragma once

#include "core/error.h"

#include <QString>

namespace lockstep {

struct SshHost;

struct Account { // ssh takes both from the account, not from the environment
    QString name, home;
    [[nodiscard]] static Account own();
};

// A file name: ~, ${VARIABLE} and %C %d %h %i %k %l %L %n %p %r %u %%.
[[nodiscard]] QString expandedPath(QString path, const SshHost& host, const QString& typed);

// %h %k %n %p %r %%, for ProxyCommand and ProxyJump. BadInput when a name holds characters that would mean something to
// the shell (CVE-2023-51385).
[[nodiscard]] Result<QString> expandedProxy(const QString& words, const SshHost& host, const QString& typed);

} // namespace lockstep
