// SPDX-License-Identifier: GPL-3.0-or-later
// Ansible's inventories, INI and YAML: hosts (ranges [01:50:2], [a:f]; host:port), groups with children and variables,
// in Ansible's own precedence (all, then the outer groups, then the inner ones, then the host). Read: ansible_host,
// _port, _user, _connection, _ssh_private_key_file, a jump in _ssh_common_args, slots; groups become tags. A template
// that names another variable of the host is filled in. Passwords are neither kept nor shown.
#pragma once

#include "core/importednodes.h"

#include <QMap>
#include <QStringList>

namespace lockstep {

[[nodiscard]] bool isAnsibleIni(const QStringList& lines); // has a [group] or an ansible_ variable
[[nodiscard]] Result<ImportedNodes> importAnsibleIni(const QStringList& lines);
[[nodiscard]] bool isAnsibleYaml(const QStringList& lines); // its first line is a key, a list or "---"
[[nodiscard]] Result<ImportedNodes> importAnsibleYaml(const QString& text);

using AnsibleVariables = QMap<QString, QString>;

// What both forms fill.
class AnsibleInventory {
public:
    void say(int line, const QString& problem) { m_found.say(line, problem); }
    void addHosts(const QString& pattern, const AnsibleVariables& variables, const QString& group, int line);
    void addChild(const QString& group, const QString& child);
    void setVariable(const QString& group, const QString& name, const QString& value);
    [[nodiscard]] Result<ImportedNodes> nodes();

private:
    struct Host {
        int line = 0;
        AnsibleVariables variables;
        QStringList groups; // those that name it
    };
    struct Group {
        AnsibleVariables variables;
        QStringList parents;
        int depth = 1;
    };

    void findDepths();
    [[nodiscard]] QStringList groupsOf(const Host& host) const; // outermost first
    void makeNode(const QString& name, const Host& host);

    QStringList m_order;
    QMap<QString, Host> m_hosts;
    QMap<QString, Group> m_groups;
    ImportCollector m_found;
    QStringList m_withPassword;
    int m_firstPassword = 0; // line
};

} // namespace lockstep
