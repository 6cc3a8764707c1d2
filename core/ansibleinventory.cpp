// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ansibleinventory.h"

#include "core/noderange.h"

#include <QRegularExpression>

#include <algorithm>

namespace lockstep {
namespace {

constexpr int kDeepestGroups = 16;   // of children; a circle ends here
constexpr int kMostFillings = 8;     // templates in templates
constexpr qsizetype kMostText = 512; // of a value that becomes an address or a path

QString first(const AnsibleVariables& variables, std::initializer_list<const char*> keys)
{
    for (const char* key : keys) {
        if (const auto it = variables.find(QLatin1String(key)); it != variables.end())
            return it->left(kMostText);
    }
    return {};
}

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

// "{{ myhost }}" by the host's own variables; empty: only Ansible itself can.
QString filledIn(QString text, const QString& name, const AnsibleVariables& variables)
{
    static const QRegularExpression kTemplate(QStringLiteral("\\{\\{\\s*([A-Za-z_][A-Za-z0-9_]*)\\s*\\}\\}"));
    for (int round = 0; round < kMostFillings && text.contains(QLatin1String("{{")) && text.size() < kMostText;
         ++round) {
        const auto match = kTemplate.match(text);
        if (!match.hasMatch())
            return {};
        const QString key = match.captured(1);
        QString value = variables.value(key);
        if (key == QLatin1String("inventory_hostname"))
            value = name;
        else if (key == QLatin1String("inventory_hostname_short"))
            value = name.section(u'.', 0, 0);
        if (value.isEmpty())
            return {};
        text.replace(match.capturedStart(), match.capturedLength(), value);
    }
    return text.contains(QLatin1String("{{")) ? QString() : text;
}

// "-J ops@gate", "-o ProxyJump=gate", "-o ProxyCommand=\"ssh -W %h:%p -q ops@gate\"": how a jump is written there.
QStringList jumpOf(const QString& arguments, bool& understood)
{
    static const QRegularExpression kJump(QStringLiteral("(?:-J\\s*|ProxyJump[= ])[\"']?([^\\s\"']+)"),
                                          QRegularExpression::CaseInsensitiveOption);
    static const QRegularExpression kCommand(QStringLiteral("ProxyCommand[= "
                                                            "]\\s*[\"']?ssh((?:\\s+-(?:[Wplio]\\s*\\S+|[qAxvn]+))*)\\s+"
                                                            "([^\\s\"'-][^\\s\"']*)((?:\\s+-W\\s+\\S+|\\s+-q)*)[\"']?"),
                                             QRegularExpression::CaseInsensitiveOption);
    static const QRegularExpression kPort(QStringLiteral("-p\\s*([0-9]+)"));
    understood = true;
    if (const auto jump = kJump.match(arguments); jump.hasMatch())
        return jump.captured(1).split(u',', Qt::SkipEmptyParts);
    if (const auto command = kCommand.match(arguments);
        command.hasMatch() && command.captured(0).contains(QLatin1String("-W"))) {
        const auto port = kPort.match(command.captured(1));
        return {command.captured(2) + (port.hasMatch() ? u':' + port.captured(1) : QString())};
    }
    understood = !arguments.contains(QLatin1String("Proxy"), Qt::CaseInsensitive);
    return {};
}

bool isSsh(const QString& connection)
{
    const QString bare = connection.section(u'.', -1); // ansible.builtin.ssh
    return bare.isEmpty() || bare == QLatin1String("ssh") || bare == QLatin1String("smart") ||
           bare == QLatin1String("paramiko") || bare == QLatin1String("paramiko_ssh");
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
            own.insert(QStringLiteral("ansible_port"), port.captured(2));
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
    m_groups[group];
}

void AnsibleInventory::addChild(const QString& group, const QString& child)
{
    m_groups[group];
    if (QStringList& parents = m_groups[child].parents; !parents.contains(group))
        parents.append(group);
}

void AnsibleInventory::setVariable(const QString& group, const QString& name, const QString& value)
{
    m_groups[group].variables.insert(name, value);
}

void AnsibleInventory::findDepths()
{
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
            return;
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
        const int first = m_groups.value(a).depth, second = m_groups.value(b).depth;
        return first != second ? first < second : a < b;
    });
    return groups;
}

void AnsibleInventory::makeNode(const QString& name, const Host& host)
{
    AnsibleVariables variables = m_groups.value(QStringLiteral("all")).variables;
    if (host.groups.isEmpty() || host.groups.contains(QStringLiteral("ungrouped")))
        variables.insert(m_groups.value(QStringLiteral("ungrouped")).variables);
    const QStringList groups = groupsOf(host);
    for (const QString& group : groups)
        variables.insert(m_groups.value(group).variables);
    variables.insert(host.variables);

    const QString connection = first(variables, {"ansible_connection"});
    const QString user = first(variables, {"ansible_user", "ansible_ssh_user"});
    const QString port = first(variables, {"ansible_port", "ansible_ssh_port"});
    const QString written = first(variables, {"ansible_host", "ansible_ssh_host"});
    const bool local = connection.section(u'.', -1) == QLatin1String("local");
    if (!local && !isSsh(connection))
        return say(host.line, QStringLiteral("%1 is reached by \"%2\", not by ssh").arg(name, connection));
    QString where = filledIn(written.isEmpty() ? name : written, name, variables);
    if (where.count(u':') > 1 && !port.isEmpty())
        where = u'[' + where + u']';
    const QString account = filledIn(user, name, variables), door = filledIn(port, name, variables);
    if (!local && (where.isEmpty() || account.isEmpty() != user.isEmpty() || door.isEmpty() != port.isEmpty()))
        return say(host.line,
                   QStringLiteral("%1 has a template in its address, which only Ansible can fill in").arg(name));
    const Result<Address> address = local ? Result<Address>(Address{{}, QStringLiteral("localhost"), 0})
                                          : Address::parse((account.isEmpty() ? QString() : account + u'@') + where +
                                                           (door.isEmpty() ? QString() : u':' + door));
    if (!address)
        return say(host.line, address.error().text);
    Result<Node> node = nodeNamed(name, *address);
    if (!node)
        return say(host.line, node.error().text);
    node->tags = groups;
    node->slots_ = std::clamp(variables.value(QStringLiteral("slots")).toInt(), 0, kMostSlots);
    if (!node->local) {
        bool understood = true;
        node->key =
            filledIn(first(variables, {"ansible_ssh_private_key_file", "ansible_private_key_file"}), name, variables);
        node->jump =
            jumpOf(first(variables, {"ansible_ssh_common_args"}) + u' ' + first(variables, {"ansible_ssh_extra_args"}),
                   understood);
        for (const QString& hop : std::as_const(node->jump))
            understood = understood && Address::parse(hop).has_value();
        if (!understood) {
            node->jump.clear();
            say(host.line,
                QStringLiteral("the proxy of %1 was not understood; write it as ProxyJump in ~/.ssh/config, or "
                               "as jump = [...] in the inventory")
                    .arg(name));
        }
        if (!first(variables, {"ansible_password", "ansible_ssh_pass", "ansible_ssh_password"}).isEmpty()) {
            if (m_withPassword.isEmpty())
                m_firstPassword = host.line;
            m_withPassword.append(name);
        }
    }
    m_found.add(*node);
}

Result<ImportedNodes> AnsibleInventory::nodes()
{
    findDepths();
    for (const QString& name : std::as_const(m_order))
        makeNode(name, m_hosts[name]);
    if (!m_withPassword.isEmpty())
        say(m_firstPassword,
            QStringLiteral("the password of %1%2 was not taken over; give that account a key")
                .arg(m_withPassword.first(), m_withPassword.size() == 1
                                                 ? QString()
                                                 : QStringLiteral(" and %1 more").arg(m_withPassword.size() - 1)));
    return m_found.finish(QStringLiteral("The Ansible inventory"));
}

} // namespace lockstep
