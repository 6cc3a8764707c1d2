// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ansiblenode.h"

#include "core/ansiblessharguments.h"

#include <QRegularExpression>

#include <algorithm>

namespace lockstep {
namespace {

constexpr int kMostFillings = 8;      // templates in templates
constexpr qsizetype kMostText = 2048; // of a value that becomes an address, a path, ssh's options
constexpr qsizetype kMostShown = 60;  // characters of a template in a sentence

// As Ansible hands them to ssh, for which the first value of an option counts.
constexpr std::initializer_list<const char*> kSshArguments = {"ansible_ssh_args", "ansible_ssh_common_args",
                                                              "ansible_ssh_extra_args"};

bool isTemplate(const QString& text)
{
    return text.contains(QLatin1String("{{")) || text.contains(QLatin1String("{%"));
}

class HostReader {
public:
    HostReader(const AnsibleHost& host, AnsibleComplaints& complaints) : m_host(host), m_complaints(complaints) {}

    std::optional<Node> node();

private:
    using Names = std::initializer_list<const char*>;

    const AnsibleValue* find(Names names, QString& name) const;
    // Empty: not set; none: set, but not to be known here, which is told.
    std::optional<QString> text(Names names, const QString& consequence);
    std::optional<QString> filledIn(QString text) const;
    std::optional<Node> placed();
    void takeKeyAndJump(Node& node);
    void takeSlots(Node& node);
    void refuse(const QString& why); // the host as a whole

    const AnsibleHost& m_host;
    AnsibleComplaints& m_complaints;
    AnsibleSshArguments m_arguments;
};

void HostReader::refuse(const QString& why)
{
    m_complaints.add(m_host.name, {{}, AnsibleValue::Kind::Text, m_host.line}, {}, QLatin1String(": ") + why);
}

const AnsibleValue* HostReader::find(Names names, QString& name) const
{
    for (const char* one : names) {
        name = QLatin1String(one);
        if (const auto it = m_host.variables.constFind(name); it != m_host.variables.constEnd())
            return &*it;
    }
    return nullptr;
}

// "{{ rack }}" by the host's own variables; none: only Ansible itself can.
std::optional<QString> HostReader::filledIn(QString text) const
{
    static const QRegularExpression kTemplate(QStringLiteral("\\{\\{-?\\s*([A-Za-z_][A-Za-z0-9_]*)\\s*-?\\}\\}"));
    for (int round = 0; round < kMostFillings && isTemplate(text) && text.size() < kMostText; ++round) {
        const auto match = kTemplate.match(text);
        if (!match.hasMatch())
            return std::nullopt;
        const QString key = match.captured(1);
        QString value;
        if (const auto it = m_host.variables.constFind(key);
            it != m_host.variables.constEnd() && it->kind == AnsibleValue::Kind::Text)
            value = it->text;
        else if (key == QLatin1String("inventory_hostname"))
            value = m_host.name;
        else if (key == QLatin1String("inventory_hostname_short"))
            value = m_host.name.section(u'.', 0, 0);
        if (value.isEmpty())
            return std::nullopt;
        text.replace(match.capturedStart(), match.capturedLength(), value);
    }
    return isTemplate(text) ? std::nullopt : std::optional(text);
}

std::optional<QString> HostReader::text(Names names, const QString& consequence)
{
    QString name;
    const AnsibleValue* value = find(names, name);
    if (!value)
        return QString();
    QString why;
    std::optional<QString> filled;
    switch (value->kind) {
    case AnsibleValue::Kind::Encrypted:
        why = QStringLiteral("is encrypted by ansible-vault");
        break;
    case AnsibleValue::Kind::Structure:
        why = QStringLiteral("is no text; a template stands in quotes");
        break;
    case AnsibleValue::Kind::Text:
        if (filled = filledIn(value->text.left(kMostText)); filled)
            return filled->trimmed();
        why = QStringLiteral("is a template which only Ansible can fill in");
        // What stands in options may be a password.
        if (!name.endsWith(QLatin1String("_args")))
            why += QStringLiteral(" (%1)").arg(value->text.left(kMostShown));
        break;
    }
    m_complaints.add(m_host.name, *value, name + QStringLiteral(" of "),
                     u' ' + why + QLatin1String(": ") + consequence);
    return std::nullopt;
}

std::optional<Node> HostReader::placed()
{
    const QString leftOut = QStringLiteral("left out");
    const auto connection = text({"ansible_connection"}, leftOut);
    if (!connection)
        return std::nullopt;
    const QString bare = connection->section(u'.', -1); // ansible.builtin.ssh
    if (bare == QLatin1String("local")) {
        Result<Node> node = nodeNamed(m_host.name, {{}, QStringLiteral("localhost"), 0});
        if (!node) {
            refuse(node.error().text);
            return std::nullopt;
        }
        return *node;
    }
    if (!QStringList{QString(), QStringLiteral("ssh"), QStringLiteral("smart"), QStringLiteral("paramiko"),
                     QStringLiteral("paramiko_ssh")}
             .contains(bare)) {
        QString name;
        m_complaints.add(m_host.name, *find({"ansible_connection"}, name), QStringLiteral("ansible_connection of "),
                         QStringLiteral(" is \"%1\", not ssh: left out").arg(connection->left(kMostShown)));
        return std::nullopt;
    }
    auto where = text({"ansible_ssh_host", "ansible_host"}, leftOut); // of an option's names Ansible takes the last
    auto user = text({"ansible_ssh_user", "ansible_user"}, leftOut);
    auto port = text({"ansible_ssh_port", "ansible_port"}, leftOut);
    if (!where || !user || !port)
        return std::nullopt;
    if (where->isEmpty())
        where = m_host.name;
    if (user->isEmpty())
        user = m_arguments.user;
    if (port->isEmpty())
        port = m_arguments.port;
    if (where->count(u':') > 1 && !port->isEmpty() && !where->startsWith(u'['))
        where = u'[' + *where + u']';
    const Result<Address> address = Address::parse((user->isEmpty() ? QString() : *user + u'@') + *where +
                                                   (port->isEmpty() ? QString() : u':' + *port));
    if (!address) {
        refuse(address.error().text);
        return std::nullopt;
    }
    Result<Node> node = nodeNamed(m_host.name, *address);
    if (!node) {
        refuse(node.error().text);
        return std::nullopt;
    }
    return *node;
}

void HostReader::takeKeyAndJump(Node& node)
{
    const QString notTaken = QStringLiteral("not taken over");
    node.key = text({"ansible_ssh_private_key_file", "ansible_private_key_file"}, notTaken).value_or(QString());
    if (node.key.isEmpty())
        node.key = m_arguments.key;
    node.jump = m_arguments.jump;
    QString name;
    const AnsibleValue* password = find({"ansible_password", "ansible_ssh_pass", "ansible_ssh_password"}, name);
    if (password && (password->kind != AnsibleValue::Kind::Text || !password->text.isEmpty()))
        m_complaints.add(m_host.name, *password, QStringLiteral("the password of "),
                         QStringLiteral(" was not taken over; give that account a key"));
}

void HostReader::takeSlots(Node& node)
{
    const QString consequence = QStringLiteral("all devices of the node count");
    const QString given = text({"slots"}, consequence).value_or(QString());
    bool isNumber = given.isEmpty();
    const int number = given.isEmpty() ? 0 : given.toInt(&isNumber);
    if (isNumber && number >= 0 && number <= kMostSlots) {
        node.slots_ = number;
        return;
    }
    QString name;
    m_complaints.add(m_host.name, *find({"slots"}, name), QStringLiteral("slots of "),
                     QStringLiteral(" is \"%1\", not a number from 0 to %2: %3")
                         .arg(given.left(kMostShown), QString::number(kMostSlots), consequence));
}

std::optional<Node> HostReader::node()
{
    QStringList arguments;
    for (const char* name : kSshArguments)
        arguments.append(
            text({name}, QStringLiteral("not taken over; write what it says in ~/.ssh/config")).value_or(QString()));
    m_arguments = ansibleSshArguments(arguments.join(u' '));
    std::optional<Node> node = placed();
    if (!node)
        return node;
    node->tags = m_host.groups;
    takeSlots(*node);
    if (node->local)
        return node;
    takeKeyAndJump(*node);
    m_arguments.notTaken.removeDuplicates();
    for (const QString& option : std::as_const(m_arguments.notTaken)) {
        QString name;
        m_complaints.add(m_host.name, *find(kSshArguments, name), option + QStringLiteral(" in the ssh arguments of "),
                         QStringLiteral(" was not taken over; write it in ~/.ssh/config, or a jump as jump = [...] in "
                                        "the inventory"));
    }
    return node;
}

} // namespace

void AnsibleComplaints::add(const QString& host, const AnsibleValue& at, const QString& before, const QString& after)
{
    const auto known = std::find_if(m_complaints.begin(), m_complaints.end(), [&](const Complaint& one) {
        return one.line == at.line && one.file == at.file && one.before == before && one.after == after;
    });
    if (known != m_complaints.end())
        ++known->more;
    else
        m_complaints.append({at.file, at.line, before, after, host});
}

void AnsibleComplaints::tell(ImportCollector& told) const
{
    for (const Complaint& one : m_complaints)
        told.say(one.line,
                 one.before + one.host + (one.more > 0 ? QStringLiteral(" and %1 more").arg(one.more) : QString()) +
                     one.after,
                 one.file);
}

std::optional<Node> nodeOf(const AnsibleHost& host, AnsibleComplaints& complaints)
{
    return HostReader(host, complaints).node();
}

} // namespace lockstep
