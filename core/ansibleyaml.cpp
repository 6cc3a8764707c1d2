// SPDX-License-Identifier: GPL-3.0-or-later
// The YAML form, and JSON, which is YAML too; what is read stands in ansibleinventory.h. The only place that sees
// yaml-cpp, which throws: every call of it is under one of the two catches at the end.
#include "core/ansibleinventory.h"

#include <yaml-cpp/yaml.h>

#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>

#include <algorithm>

namespace lockstep {
namespace {

constexpr int kDeepest = 32;       // groups in groups, merges in merges; an alias may make a circle
constexpr int kMostGroups = 20000; // aliases of aliases multiply

int lineOf(const YAML::Node& node)
{
    return std::max(0, node.Mark().line) + 1;
}

QString textOf(const YAML::Node& node)
{
    return node.IsScalar() ? QString::fromStdString(node.Scalar()) : QString();
}

bool isEncrypted(const YAML::Node& node)
{
    constexpr char kHead[] = "$ANSIBLE_VAULT";
    return node.Tag() == "!vault" || node.Tag() == "!vault-encrypted" ||
           (node.IsScalar() && node.Scalar().starts_with(kHead)) || (node.IsMap() && node["__ansible_vault"]);
}

AnsibleValue valueOf(const YAML::Node& node, int line)
{
    if (isEncrypted(node))
        return {{}, AnsibleValue::Kind::Encrypted, line};
    if (node.IsScalar() || node.IsNull())
        return {textOf(node), AnsibleValue::Kind::Text, line};
    return {{}, AnsibleValue::Kind::Structure, line};
}

void insertMerged(AnsibleVariables& variables, const YAML::Node& node, int depth);

AnsibleVariables variablesOf(const YAML::Node& node, int depth = 0)
{
    AnsibleVariables variables;
    if (!node.IsMap() || depth > kDeepest)
        return variables;
    for (const auto& variable : node) // merged in: what stands here itself wins
        if (textOf(variable.first) == QLatin1String("<<"))
            insertMerged(variables, variable.second, depth + 1);
    for (const auto& variable : node) {
        if (const QString key = textOf(variable.first); key != QLatin1String("<<"))
            variables.insert(key, valueOf(variable.second, lineOf(variable.first)));
    }
    return variables;
}

void insertMerged(AnsibleVariables& variables, const YAML::Node& node, int depth)
{
    if (!node.IsSequence()) {
        variables.insert(variablesOf(node, depth));
        return;
    }
    for (std::size_t i = node.size(); i > 0; --i) // of a list, the first wins
        variables.insert(variablesOf(node[i - 1], depth));
}

enum class Form { Yaml, Json }; // JSON has lists of hosts and of children

class YamlReader {
public:
    explicit YamlReader(Form form) : m_form(form) {}

    Result<ImportedNodes> read(const YAML::Node& root, const QString& folder)
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
            if (textOf(group.first) != QLatin1String("_meta"))
                readGroup(textOf(group.first), group.second, 0, lineOf(group.first));
        if (const YAML::Node meta = root["_meta"]; meta && meta.IsMap() && meta["hostvars"])
            readHosts({}, meta["hostvars"], lineOf(meta));
        return m_inventory.nodes(folder);
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
        m_inventory.addGroup(name);
        if (group.IsNull())
            return;
        if (group.IsSequence() && m_form == Form::Json) // as scripts write it
            return readHosts(name, group, line);
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
        if (hosts.IsSequence() && m_form == Form::Json) {
            for (const auto& host : hosts)
                m_inventory.addHosts(textOf(host), {}, group, lineOf(host));
            return;
        }
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
        if (children.IsSequence() && m_form == Form::Json) {
            for (const auto& child : children)
                m_inventory.addChild(group, textOf(child));
            return;
        }
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

    Form m_form;
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

bool isAnsibleJson(const QString& text)
{
    if (!text.trimmed().startsWith(u'{'))
        return false;
    const QJsonObject root = QJsonDocument::fromJson(text.toUtf8()).object();
    return std::any_of(root.begin(), root.end(), [](const QJsonValue& value) {
        const QJsonObject group = value.toObject();
        return group.contains(QLatin1String("hosts")) || group.contains(QLatin1String("children")) ||
               group.contains(QLatin1String("hostvars"));
    });
}

Result<ImportedNodes> importAnsibleYaml(const QString& text, const QString& folder)
{
    try {
        return YamlReader(text.trimmed().startsWith(u'{') ? Form::Json : Form::Yaml)
            .read(YAML::Load(text.toStdString()), folder);
    } catch (const YAML::Exception& error) {
        const QString what = QString::fromStdString(error.msg);
        return failure(ErrorCode::BadInput,
                       QStringLiteral("This looks like an inventory of Ansible in YAML, but line %1 "
                                      "is none: %2.")
                           .arg(std::max(0, error.mark.line) + 1)
                           .arg(what));
    }
}

AnsibleVariablesRead readAnsibleVariables(const QByteArray& bytes)
{
    if (bytes.startsWith("$ANSIBLE_VAULT"))
        return std::unexpected(
            ImportedLine{1,
                         QStringLiteral("this file is encrypted by ansible-vault, so what it says is not known here; "
                                        "with its password Ansible writes all: ansible-inventory --list"),
                         {}});
    try {
        const YAML::Node root = YAML::Load(bytes.toStdString());
        if (!root.IsMap() && !root.IsNull())
            return std::unexpected(ImportedLine{lineOf(root), QStringLiteral("variables are written name: value"), {}});
        return variablesOf(root);
    } catch (const YAML::Exception& error) {
        return std::unexpected(ImportedLine{
            std::max(0, error.mark.line) + 1,
            QStringLiteral("this is no YAML: %1; nothing of this file was read").arg(QString::fromStdString(error.msg)),
            {}});
    }
}

} // namespace lockstep
