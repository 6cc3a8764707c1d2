// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hostfile.h"

#include "core/ansibleinventory.h"
#include "core/noderange.h"

#include <QRegularExpression>

#include <algorithm>

namespace lockstep {
namespace {

constexpr int kMostSlots = 4096;
constexpr int kMostImpliedSlots = 512; // `host:N` above this is a port, not a number of processes

struct HostLine {
    QStringList hosts;
    int slotCount = -1; // -1: not said
    QString problem;
};

QString slotsOf(const QString& text, int& slotCount)
{
    static const QRegularExpression kNumber(QStringLiteral("^[0-9]{1,9}$"));
    if (!kNumber.match(text).hasMatch())
        return QStringLiteral("\"%1\" is no number of slots").arg(text);
    slotCount = text.toInt();
    if (slotCount == 0)
        return QStringLiteral("0 slots: no rank could start there");
    return slotCount > kMostSlots ? QStringLiteral("%1 slots are more than any node has").arg(slotCount) : QString();
}

HostLine parseLine(const QString& text)
{
    static const QRegularExpression kAroundEquals(QStringLiteral("\\s*=\\s*"));
    static const QRegularExpression kBlanks(QStringLiteral("\\s+"));
    static const QRegularExpression kMpich(QStringLiteral("^([^\\[\\]:]+):([0-9]+)$"));
    HostLine line;
    QString tidy = text;
    QStringList words = tidy.replace(kAroundEquals, QStringLiteral("=")).split(kBlanks, Qt::SkipEmptyParts);
    QString host = words.takeFirst();
    if (host.endsWith(u':') && words.isEmpty()) {
        line.problem = QStringLiteral("this is YAML; of Ansible's inventories the INI form is read");
        return line;
    }
    for (const QString& word : std::as_const(words)) {
        const QString key = word.section(u'=', 0, 0);
        if (!word.contains(u'=') && words.size() == 1)
            line.problem = slotsOf(word, line.slotCount);
        else if (key == QLatin1String("slots"))
            line.problem = slotsOf(word.section(u'=', 1), line.slotCount);
        else if (key != QLatin1String("max_slots") && key != QLatin1String("max-slots"))
            line.problem = QStringLiteral("\"%1\" is not understood; a line is a host and slots=N").arg(word);
        if (!line.problem.isEmpty())
            return line;
    }
    const auto mpich = kMpich.match(host);
    if (mpich.hasMatch() && line.slotCount < 0 && mpich.captured(2).toInt() <= kMostImpliedSlots) {
        line.problem = slotsOf(mpich.captured(2), line.slotCount);
        host = mpich.captured(1);
    }
    const QStringList parts = splitList(host);
    for (const QString& part : parts) {
        const Result<QStringList> names = expandRange(part);
        if (!names) {
            line.problem = names.error().text;
            return line;
        }
        line.hosts += *names;
    }
    return line;
}

Result<Node> nodeOf(const QString& host, int slotCount)
{
    const Result<Address> address = Address::parse(host);
    if (!address)
        return std::unexpected(address.error());
    Node node;
    node.address = *address;
    node.name = nodeNameFor(*address);
    if (const Result<void> named = checkNodeName(node.name); !named)
        return std::unexpected(named.error());
    node.local = address->host == QLatin1String("localhost") && address->port == 0;
    if (node.local)
        node.address = {};
    node.slots_ = std::max(0, slotCount);
    return node;
}

// A plain list names a host once a slot (as PBS writes it); beside slots=N a second line is a mistake.
QString addHost(ImportedNodes& imported, const QString& host, int slotCount)
{
    const Result<Node> node = nodeOf(host, slotCount);
    if (!node)
        return node.error().text;
    const auto known = std::find_if(imported.nodes.begin(), imported.nodes.end(),
                                    [&](const Node& other) { return other.name == node->name; });
    if (known == imported.nodes.end())
        imported.nodes.append(*node);
    else if (slotCount >= 0 || known->address != node->address)
        return QStringLiteral("%1 is named twice").arg(node->name);
    else
        known->slots_ = std::max(1, known->slots_) + 1;
    return {};
}

// A Slurm list stands on one line; commas on several are a table (index,ip), whose words are not all hosts.
bool isTable(const QStringList& lines)
{
    return std::count_if(lines.begin(), lines.end(), [](const QString& line) {
               const QString host = line.section(u'#', 0, 0).trimmed().section(u' ', 0, 0);
               return splitList(host).size() > 1;
           }) > 1;
}

} // namespace

Result<ImportedNodes> importHostfile(const QString& text)
{
    const QStringList lines = text.split(u'\n');
    if (isAnsibleInventory(lines))
        return importAnsibleInventory(lines);
    if (isTable(lines))
        return failure(ErrorCode::BadInput, QStringLiteral("This looks like a table with commas, not like a host file. "
                                                           "Write one host a line: gpu1 slots=8."));
    ImportedNodes imported;
    for (qsizetype i = 0; i < lines.size(); ++i) {
        const QString bare = lines[i].section(u'#', 0, 0).trimmed();
        if (bare.isEmpty() || bare == QLatin1String("---"))
            continue;
        HostLine line = parseLine(bare);
        if (line.problem.isEmpty()) {
            for (const QString& host : std::as_const(line.hosts)) {
                if (const QString problem = addHost(imported, host, line.slotCount);
                    !problem.isEmpty() && line.problem.isEmpty())
                    line.problem = problem;
            }
        }
        if (!line.problem.isEmpty())
            imported.problems.append(
                {static_cast<int>(i) + 1, QStringLiteral("line %1: %2").arg(i + 1).arg(line.problem)});
    }
    if (!imported.nodes.isEmpty())
        return imported;
    if (imported.problems.isEmpty())
        return failure(ErrorCode::BadInput, QStringLiteral("The host file names no host; it is empty or all comment."));
    return failure(
        ErrorCode::BadInput,
        QStringLiteral("The host file has no line that names a host: %1.").arg(imported.problems.first().problem));
}

} // namespace lockstep
