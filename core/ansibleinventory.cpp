// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ansibleinventory.h"

#include "core/ansiblenode.h"
#include "core/noderange.h"

#include <QRegularExpression>

#include <algorithm>
#include <tuple>

namespace lockstep {
namespace {

constexpr int kDeepestGroups = 16; // of children; a circle ends here

// [01:50:2] -> [01-50/2] and [a:c] -> every letter, as expandRange has no letters.
Result<QStringList> expandPattern(const QString& pattern)
{
    static const QRegularExpression kNumbers(QStringLiteral("\\[([0-9]+):([0-9]+)(?::([0-9]+))?\\]"));
    static const QRegularExpression kLetters(QStringLiteral("\\[([a-z]):([a-z])\\]|\\[([A-Z]):([A-Z])\\]"));
    QStringList patterns{pattern};
    for (qsizetype i = 0; i < patterns.size();) {
        const auto letters = kLetters.match(patterns[i]);
        if (!letters.hasMatch() || patterns.size() > 26 * 26) {
            ++i;
            continue;
        }
        const QString whole = patterns.takeAt(i);
        const int lower = letters.captured(1).isEmpty() ? 3 : 1;
        const auto from = letters.captured(lower).front().unicode(), to = letters.captured(lower + 1).front().unicode();
        for (char16_t c = from; c <= to; ++c)
            patterns.insert(i + c - from,
                            QString(whole).replace(letters.capturedStart(), letters.capturedLength(), QChar(c)));
        if (from > to)
            return failure(ErrorCode::BadInput, QStringLiteral("\"%1\": the range runs backwards.").arg(pattern));
    }
    QStringList names;
    for (QString& one : patterns) {
        for (auto match = kNumbers.match(one); match.hasMatch(); match = kNumbers.match(one)) {
            const QString step = match.captured(3).isEmpty() ? QString() : u'/' + match.captured(3);
            one.replace(match.capturedStart(), match.capturedLength(),
                        QStringLiteral("[%1-%2%3]").arg(match.captured(1), match.captured(2), step));
        }
        const auto expanded = expandRange(one);
        if (!expanded)
            return expanded;
        names += *expanded;
    }
    return names;
}

} // namespace

void AnsibleInventory::addHosts(const QString& pattern, const AnsibleVariables& variables, const QString& group,
                                int line)
{
    // "badwolf:5309" names a port too; a range has its colon in brackets, an IPv6 address more than one.
    static const QRegularExpression kPort(QStringLiteral("^([^:]*(?:\\[[^\\]]*\\][^:]*)*):([0-9]{1,5})\\z"));
    AnsibleVariables own = variables;
    QString bare = pattern;
    if (const auto port = kPort.match(pattern); port.hasMatch()) {
        bare = port.captured(1);
        if (!own.contains(QStringLiteral("ansible_port")))
            own.insert(QStringLiteral("ansible_port"), {port.captured(2), AnsibleValue::Kind::Text, line});
    }
    const Result<QStringList> names = expandPattern(bare);
    if (!names)
        return say(line, names.error().text);
    for (const QString& name : *names) {
        if (!m_hosts.contains(name)) {
            m_order.append(name);
            m_hosts[name].line = line;
        }
        Host& host = m_hosts[name];
        host.variables.insert(own);
        if (!group.isEmpty() && !host.groups.contains(group))
            host.groups.append(group);
    }
    if (!group.isEmpty())
        addGroup(group);
}

void AnsibleInventory::addChild(const QString& group, const QString& child)
{
    addGroup(group);
    if (QStringList& parents = m_groups[child].parents; !parents.contains(group))
        parents.append(group);
}

void AnsibleInventory::setVariable(const QString& group, const QString& name, const AnsibleValue& value)
{
    m_groups[group].variables.insert(name, value);
}

void AnsibleInventory::settleGroups(AnsibleVariableFiles& files)
{
    addGroup(QStringLiteral("ungrouped"));
    m_groups[QStringLiteral("all")].depth = 0;
    for (int round = 0; round < kDeepestGroups; ++round) {
        bool changed = false;
        for (Group& group : m_groups) {
            for (const QString& parent : std::as_const(group.parents)) {
                const int depth = std::min(m_groups.value(parent).depth + 1, kDeepestGroups);
                changed |= depth > group.depth;
                group.depth = std::max(group.depth, depth);
            }
        }
        if (!changed)
            break;
    }
    for (auto group = m_groups.begin(); group != m_groups.end(); ++group) {
        group->beside = files.ofGroup(group.key(), m_found);
        bool isNumber = false;
        const int priority = group->variables.value(QStringLiteral("ansible_group_priority")).text.toInt(&isNumber);
        group->priority = isNumber ? priority : 1;
    }
}

QStringList AnsibleInventory::groupsOf(const Host& host) const
{
    QStringList groups = host.groups;
    for (qsizetype i = 0; i < groups.size(); ++i) // grows while it is read
        for (const QString& parent : m_groups.value(groups[i]).parents)
            if (!groups.contains(parent))
                groups.append(parent);
    groups.removeAll(QStringLiteral("all"));
    groups.removeAll(QStringLiteral("ungrouped"));
    std::stable_sort(groups.begin(), groups.end(), [this](const QString& a, const QString& b) {
        const Group &first = m_groups.find(a).value(), &second = m_groups.find(b).value();
        return std::tie(first.depth, first.priority, a) < std::tie(second.depth, second.priority, b);
    });
    return groups;
}

// Ansible's order (its VARIABLE_PRECEDENCE): all groups of the inventory itself, then all of group_vars, the outer ones
// first; then the host, in the inventory and in host_vars.
AnsibleVariables AnsibleInventory::variablesOf(const Host& host, const QStringList& groups) const
{
    QStringList order{QStringLiteral("all")};
    if (groups.isEmpty())
        order.append(QStringLiteral("ungrouped"));
    order += groups;
    AnsibleVariables variables;
    for (const QString& group : std::as_const(order))
        variables.insert(m_groups.find(group)->variables);
    for (const QString& group : std::as_const(order))
        variables.insert(m_groups.find(group)->beside);
    variables.insert(host.variables);
    return variables;
}

Result<ImportedNodes> AnsibleInventory::nodes(const QString& folder)
{
    AnsibleVariableFiles files(folder);
    AnsibleComplaints complaints;
    settleGroups(files);
    for (const QString& name : std::as_const(m_order)) {
        const Host& host = m_hosts[name];
        AnsibleHost whole{name, host.line, {}, groupsOf(host)};
        whole.variables = variablesOf(host, whole.groups);
        whole.variables.insert(files.ofHost(name, m_found));
        if (const std::optional<Node> node = nodeOf(whole, complaints))
            m_found.add(*node);
    }
    complaints.tell(m_found);
    return m_found.finish(QStringLiteral("The Ansible inventory"));
}

} // namespace lockstep
