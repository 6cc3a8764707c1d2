// SPDX-License-Identifier: GPL-3.0-or-later
// Ansible's inventories: INI, YAML, and the JSON of ansible-inventory --list and of inventory scripts. Hosts (ranges
// [01:50:2], [a:f]; host:port), groups with children and variables, also those of group_vars/ and host_vars/ beside the
// file, in Ansible's own precedence (ansibleinventory.cpp). Read: ansible_host, _port, _user, _connection,
// _ssh_private_key_file, a jump in _ssh_common_args, slots; groups become tags. A template that names another variable
// of the host is filled in. Passwords are neither kept nor shown.
#pragma once

#include "core/ansiblevariables.h"

#include <QStringList>

namespace lockstep {

// `folder`: where group_vars and host_vars lie; empty: nowhere.
[[nodiscard]] bool isAnsibleIni(const QStringList& lines); // has a [group] or an ansible_ variable
[[nodiscard]] Result<ImportedNodes> importAnsibleIni(const QStringList& lines, const QString& folder);
[[nodiscard]] bool isAnsibleYaml(const QStringList& lines); // its first line is a key, a list or "---"
[[nodiscard]] bool isAnsibleJson(const QString& text);      // an object with groups in it, or _meta
[[nodiscard]] Result<ImportedNodes> importAnsibleYaml(const QString& text, const QString& folder); // JSON too

// What all forms fill.
class AnsibleInventory {
public:
    void say(int line, const QString& problem) { m_found.say(line, problem); }
    void addHosts(const QString& pattern, const AnsibleVariables& variables, const QString& group, int line);
    void addGroup(const QString& group) { m_groups[group]; }
    void addChild(const QString& group, const QString& child);
    void setVariable(const QString& group, const QString& name, const AnsibleValue& value);
    [[nodiscard]] Result<ImportedNodes> nodes(const QString& folder);

private:
    struct Host {
        int line = 0;
        AnsibleVariables variables;
        QStringList groups; // those that name it
    };
    struct Group {
        AnsibleVariables variables;
        AnsibleVariables beside; // of group_vars
        QStringList parents;
        int depth = 1;
        int priority = 1; // ansible_group_priority
    };

    void settleGroups(AnsibleVariableFiles& files);
    [[nodiscard]] QStringList groupsOf(const Host& host) const; // outermost first
    [[nodiscard]] AnsibleVariables variablesOf(const Host& host, const QStringList& groups) const;

    QStringList m_order;
    QMap<QString, Host> m_hosts;
    QMap<QString, Group> m_groups;
    ImportCollector m_found;
};

} // namespace lockstep
