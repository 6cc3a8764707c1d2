// SPDX-License-Identifier: GPL-3.0-or-later
// The YAML form; what is read stands in ansibleinventory.h. The only place that sees yaml-cpp, which throws: every call
// of it is under importAnsibleYaml's one catch.
#include "core/ansibleinventory.h"

#include <yaml-cpp/yaml.h>

#include <QRegularExpression>

#include <algorithm>

namespace lockstep {
namespace {

constexpr int kDeepest = 32;       // groups in groups; an alias may make a circle
constexpr int kMostGroups = 20000; // aliases of aliases multiply

int lineOf(const YAML::Node& node)
{
    return std::max(0, node.Mark().line) + 1;
}

QString textOf(const YAML::Node& node)
{
    return node.IsScalar() ? QString::fromStdString(node.Scalar()) : QString();
}

class YamlReader {
public:
    Result<ImportedNodes> read(const YAML::Node& root)
    {
        if (root.IsSequence())
            return refuse(QStringLiteral("a list at its top is a playbook, not an inventory"));
        if (!root.IsMap())
            return refuse(QStringLiteral("it has no groups"));
        if (root["plugin"])
            return refuse(QStringLiteral("it is a recipe for the plugin \"%1\", which only Ansible runs; import what "
                                         "ansible-inventory --list --yaml writes")
                              .arg(textOf(root["plugin"])));
        for (const auto& group : root)
            readGroup(textOf(group.first), group.second, 0, lineOf(group.first));
        return m_inventory.nodes();
    }

private:
    static std::unexpected<Error> refuse(const QString& why)
    {
        return failure(ErrorCode::BadInput, QStringLiteral("This YAML is no inventory of Ansible: %1.").arg(why));
    }

    void readGroup(const QString& name, const YAML::Node& group, int depth, int line)
    {
        if (name.isEmpty() || depth > kDeepest || ++m_groups > kMostGroups)
            return m_inventory.say(line, QStringLiteral("a group here has no name, or groups are nested too deep"));
        if (group.IsNull())
            return;
        if (!group.IsMap())
            return m_inventory.say(line, QStringLiteral("the group %1 has no hosts:, children: or vars:").arg(name));
        for (const auto& part : group) {
            const QString key = textOf(part.first);
            if (key == QLatin1String("hosts"))
                readHosts(name, part.second, lineOf(part.first));
            else if (key == QLatin1String("children"))
                readChildren(name, part.second, depth, lineOf(part.first));
            else if (key == QLatin1String("vars"))
                readVariables(name, part.second, lineOf(part.first));
            else
                m_inventory.say(
                    lineOf(part.first),
                    QStringLiteral("\"%1\" is not known in a group; it holds hosts:, children: and vars:").arg(key));
        }
    }

    void readHosts(const QString& group, const YAML::Node& hosts, int line)
    {
        if (hosts.IsScalar()) // one host, without a colon
            return m_inventory.addHosts(textOf(hosts), {}, group, lineOf(hosts));
        if (hosts.IsNull())
            return;
        if (!hosts.IsMap())
            return m_inventory.say(line, QStringLiteral("under hosts: stands one host a line, with a colon behind it"));
        for (const auto& host : hosts) {
            if (!host.second.IsNull() && !host.second.IsMap())
                m_inventory.say(
                    lineOf(host.first),
                    QStringLiteral("behind %1: its variables belong on lines of their own").arg(textOf(host.first)));
            m_inventory.addHosts(textOf(host.first), variablesOf(host.second), group, lineOf(host.first));
        }
    }

    void readChildren(const QString& group, const YAML::Node& children, int depth, int line)
    {
        if (children.IsNull())
            return;
        if (!children.IsMap())
            return m_inventory.say(line,
                                   QStringLiteral("under children: stands one group a line, with a colon behind it"));
        for (const auto& child : children) {
            m_inventory.addChild(group, textOf(child.first));
            readGroup(textOf(child.first), child.second, depth + 1, lineOf(child.first));
        }
    }

    void readVariables(const QString& group, const YAML::Node& variables, int line)
    {
        if (!variables.IsNull() && !variables.IsMap())
            return m_inventory.say(line, QStringLiteral("under vars: stands name: value"));
        const AnsibleVariables all = variablesOf(variables);
        for (auto it = all.begin(); it != all.end(); ++it)
            m_inventory.setVariable(group, it.key(), it.value());
    }

    static AnsibleVariables variablesOf(const YAML::Node& node)
    {
        AnsibleVariables variables;
        if (!node.IsMap())
            return variables;
        for (const auto& variable : node) {
            const QString key = textOf(variable.first);
            if (key == QLatin1String("<<")) { // merged in: what stands here itself wins
                const AnsibleVariables merged = variablesOf(variable.second);
                for (auto it = merged.begin(); it != merged.end(); ++it)
                    if (!node[it.key().toStdString()])
                        variables.insert(it.key(), it.value());
            } else {
                variables.insert(key, textOf(variable.second));
            }
        }
        return variables;
    }

    AnsibleInventory m_inventory;
    int m_groups = 0;
};

} // namespace

bool isAnsibleYaml(const QStringList& lines)
{
    static const QRegularExpression kKey(QStringLiteral("^[\"']?[A-Za-z_][A-Za-z0-9_. -]*[\"']?:(\\s|\\z)"));
    static const QRegularExpression kItem(QStringLiteral("^- +[A-Za-z_]+:(\\s|\\z)"));
    for (const QString& line : lines) {
        if (line.trimmed().isEmpty() || line.trimmed().startsWith(u'#') || line.trimmed() == QLatin1String("---") ||
            line.startsWith(u'%'))
            continue;
        return kKey.match(line).hasMatch() || kItem.match(line).hasMatch();
    }
    return false;
}

Result<ImportedNodes> importAnsibleYaml(const QString& text)
{
    try {
        return YamlReader().read(YAML::Load(text.toStdString()));
    } catch (const YAML::Exception& error) {
        const QString what = QString::fromStdString(error.msg);
        return failure(ErrorCode::BadInput,
                       QStringLiteral("This looks like an inventory of Ansible in YAML, but line %1 "
                                      "is none: %2.")
                           .arg(std::max(0, error.mark.line) + 1)
                           .arg(what));
    }
}

} // namespace lockstep
