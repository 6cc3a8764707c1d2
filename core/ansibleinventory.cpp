// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ansibleinventory.h"

#include "core/noderange.h"

#include <QMap>
#include <QRegularExpression>

#include <algorithm>

namespace lockstep {
namespace {

constexpr int kDeepestGroups = 16; // of :children; a circle ends here

const QRegularExpression& sectionPattern()
{
    static const QRegularExpression kSection(QStringLiteral("^\\[([^\\[\\]:\\s]+)(?::(children|vars))?\\]$"));
    return kSection;
}

QString withoutComment(const QString& line)
{
    static const QRegularExpression kComment(QStringLiteral("(^|\\s)[#;].*$"));
    return QString(line).remove(kComment).trimmed();
}

using Variables = QMap<QString, QString>;

struct Host {
    int line = 0;
    Variables variables;
};

class AnsibleReader {
public:
    Result<ImportedNodes> read(const QStringList& lines)
    {
        for (qsizetype i = 0; i < lines.size(); ++i) {
            m_line = static_cast<int>(i) + 1;
            if (const QString line = withoutComment(lines[i]); !line.isEmpty())
                readLine(line);
        }
        inherit();
        for (const QString& name : std::as_const(m_order))
            makeNode(name);
        if (m_imported.nodes.isEmpty())
            return failure(ErrorCode::BadInput,
                           QStringLiteral("The Ansible inventory names no host that can be reached%1.")
                               .arg(m_imported.problems.isEmpty()
                                        ? QString()
                                        : QStringLiteral(": ") + m_imported.problems.first().problem));
        std::stable_sort(m_imported.problems.begin(), m_imported.problems.end(),
                         [](const ImportedLine& a, const ImportedLine& b) { return a.line < b.line; });
        return std::move(m_imported);
    }

private:
    void say(int line, const QString& problem)
    {
        m_imported.problems.append({line, QStringLiteral("line %1: %2").arg(line).arg(problem)});
    }

    void readLine(const QString& line)
    {
        if (const auto section = sectionPattern().match(line); section.hasMatch()) {
            m_group = section.captured(1);
            m_kind = section.captured(2);
        } else if (m_kind == QLatin1String("children")) {
            m_children[m_group].append(line);
        } else if (m_kind == QLatin1String("vars")) {
            m_groupVariables[m_group].insert(line.section(u'=', 0, 0).trimmed(), line.section(u'=', 1).trimmed());
        } else {
            readHost(line);
        }
    }

    void readHost(const QString& line)
    {
        static const QRegularExpression kBlanks(QStringLiteral("\\s+"));
        static const QRegularExpression kColonRange(
            QStringLiteral("\\[([0-9]+):([0-9]+)\\]")); // Ansible writes [01:50]
        QStringList words = line.split(kBlanks, Qt::SkipEmptyParts);
        const Result<QStringList> names =
            expandRange(words.takeFirst().replace(kColonRange, QStringLiteral("[\\1-\\2]")));
        if (!names) {
            say(m_line, names.error().text);
            return;
        }
        Variables variables;
        for (const QString& word : std::as_const(words))
            variables.insert(word.section(u'=', 0, 0), word.section(u'=', 1));
        for (const QString& name : *names) {
            if (!m_hosts.contains(name)) {
                m_order.append(name);
                m_hosts[name].line = m_line;
            }
            m_hosts[name].variables.insert(variables);
            if (!m_group.isEmpty())
                m_members[m_group].append(name);
        }
    }

    void collect(const QString& group, QStringList& names, int depth) const
    {
        names += m_members.value(group);
        if (depth < kDeepestGroups) {
            const QStringList children = m_children.value(group);
            for (const QString& child : children)
                collect(child, names, depth + 1);
        }
    }

    void inherit() // groups' variables and tags; a host's own variables win
    {
        const QStringList groups = m_members.keys() + m_children.keys() + m_groupVariables.keys();
        for (const QString& group : groups) {
            QStringList names;
            if (group == QLatin1String("all"))
                names = m_order;
            else
                collect(group, names, 0);
            for (const QString& name : std::as_const(names)) {
                Host& host = m_hosts[name];
                const Variables variables = m_groupVariables.value(group);
                for (auto it = variables.begin(); it != variables.end(); ++it) {
                    if (!host.variables.contains(it.key()))
                        host.variables.insert(it.key(), it.value());
                }
                if (group != QLatin1String("all") && !m_tags[name].contains(group))
                    m_tags[name].append(group);
            }
        }
    }

    [[nodiscard]] static QString value(const Host& host, const QStringList& keys)
    {
        for (const QString& key : keys) {
            if (host.variables.contains(key))
                return host.variables.value(key);
        }
        return {};
    }

    void makeNode(const QString& name)
    {
        const Host& host = m_hosts[name];
        const QString connection = value(host, {QStringLiteral("ansible_connection")});
        const QString user = value(host, {QStringLiteral("ansible_user"), QStringLiteral("ansible_ssh_user")});
        const QString port = value(host, {QStringLiteral("ansible_port"), QStringLiteral("ansible_ssh_port")});
        QString address = value(host, {QStringLiteral("ansible_host"), QStringLiteral("ansible_ssh_host")});
        if (address.isEmpty())
            address = name;
        if ((address + user + port).contains(QLatin1String("{{")))
            return say(host.line,
                       QStringLiteral("%1 has a template in its address, which only Ansible can fill in").arg(name));
        if (!connection.isEmpty() && connection != QLatin1String("local") && connection != QLatin1String("ssh") &&
            connection != QLatin1String("smart") && connection != QLatin1String("paramiko"))
            return say(host.line, QStringLiteral("%1 is reached by \"%2\", not by ssh").arg(name, connection));
        Node node;
        node.name = name;
        node.tags = m_tags.value(name);
        node.local = connection == QLatin1String("local");
        if (const Result<void> named = checkNodeName(name); !named)
            return say(host.line, named.error().text);
        if (!node.local) {
            const QString bracketed = address.count(u':') > 1 && !port.isEmpty() ? u'[' + address + u']' : address;
            const Result<Address> parsed = Address::parse((user.isEmpty() ? QString() : user + u'@') + bracketed +
                                                          (port.isEmpty() ? QString() : u':' + port));
            if (!parsed)
                return say(host.line, parsed.error().text);
            node.address = *parsed;
        }
        m_imported.nodes.append(node);
        if (host.variables.contains(QStringLiteral("ansible_password")) ||
            host.variables.contains(QStringLiteral("ansible_ssh_pass")))
            say(host.line, QStringLiteral("the password of %1 was not taken over; give that account a key").arg(name));
    }

    int m_line = 0;
    QString m_group, m_kind;
    QStringList m_order;
    QMap<QString, Host> m_hosts;
    QMap<QString, QStringList> m_members, m_children, m_tags;
    QMap<QString, Variables> m_groupVariables;
    ImportedNodes m_imported;
};

} // namespace

bool isAnsibleInventory(const QStringList& lines)
{
    return std::any_of(lines.begin(), lines.end(), [](const QString& line) {
        const QString bare = withoutComment(line);
        return sectionPattern().match(bare).hasMatch() ||
               (!bare.endsWith(u':') && bare.contains(QLatin1String(" ansible_")) && bare.contains(u'='));
    });
}

Result<ImportedNodes> importAnsibleInventory(const QStringList& lines)
{
    return AnsibleReader().read(lines);
}

} // namespace lockstep
