// SPDX-License-Identifier: GPL-3.0-or-later
// What ansible_ssh_args, ansible_ssh_common_args and ansible_ssh_extra_args tell ssh, as far as a node can hold it.
#pragma once

#include <QString>
#include <QStringList>

namespace lockstep {

struct AnsibleSshArguments {
    QStringList jump; // outermost first
    QString key, user, port;
    QStringList notTaken; // names of options that lead elsewhere or sign in otherwise: "-F", "ProxyCommand"
};

[[nodiscard]] AnsibleSshArguments ansibleSshArguments(const QString& text);

// As a shell would cut it: blanks inside quotes belong to the word, the quotes do not.
[[nodiscard]] QStringList quotedWords(const QString& line);

} // namespace lockstep
