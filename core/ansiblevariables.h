// SPDX-License-Identifier: GPL-3.0-or-later
// Variables of Ansible's hosts and groups, and the files beside an inventory that hold more of them: group_vars/NAME
// and host_vars/NAME, each a file (without an ending, .yml, .yaml, .json) or a folder of such.
#pragma once

#include "core/importednodes.h"

#include <QMap>

namespace lockstep {

struct AnsibleValue {
    enum class Kind {
        Text,
        Encrypted, // by ansible-vault
        Structure, // a list or a map: no text
    };

    QString text;
    Kind kind = Kind::Text;
    int line = 0;
    QString file{}; // empty: the inventory itself
};

using AnsibleVariables = QMap<QString, AnsibleValue>;

// Of a file in YAML or JSON; else what is wrong with it, and where.
using AnsibleVariablesRead = std::expected<AnsibleVariables, ImportedLine>;
[[nodiscard]] AnsibleVariablesRead readAnsibleVariables(const QByteArray& bytes);

// What stands beside an inventory in `folder`. What cannot be read is told.
class AnsibleVariableFiles {
public:
    // `folder` as the person wrote it; empty: there is none, and every answer is.
    explicit AnsibleVariableFiles(const QString& folder);

    [[nodiscard]] AnsibleVariables ofGroup(const QString& group, ImportCollector& told);
    [[nodiscard]] AnsibleVariables ofHost(const QString& host, ImportCollector& told);

private:
    [[nodiscard]] AnsibleVariables read(const QString& folder, const QString& name, ImportCollector& told);

    QString m_groups, m_hosts; // empty: there is no such folder
    int m_files = 0;
};

} // namespace lockstep
