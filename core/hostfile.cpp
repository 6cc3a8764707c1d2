// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hostfile.h"

#include "core/noderange.h"

#include <QRegularExpression>

#include <algorithm>

namespace lockstep {
namespace {

constexpr int kMostImpliedSlots = 512; // `host:N` above this is a port, not a number of processes
constexpr int kSshPort = 22;

struct HostLine {
    QList<std::pair<QString, int>> hosts; // with their slots; -1: not said
    int slotCount = -1;                   // behind the last host, of all of them
    QString problem;
    QString note; // read, with a doubt
};

QString slotsOf(const QString& text, int& slotCount)
{
    static const QRegularExpression kNumber(QStringLiteral("^[0-9]{1,9}\\z"));
    if (!kNumber.match(text).hasMatch())
        return QStringLiteral("\"%1\" is no number of slots").arg(text);
    slotCount = text.toInt();
    if (slotCount == 0)
        return QStringLiteral("0 slots: no rank could start there");
    return slotCount > kMostSlots ? QStringLiteral("%1 slots are more than any node has").arg(slotCount) : QString();
}

void readWords(HostLine& line, const QStringList& words)
{
    int most = -1;
    for (const QString& word : words) {
        const QString key = word.section(u'=', 0, 0).toLower();
        int* number = nullptr;
        if ((!word.contains(u'=') && words.size() == 1) || key == QLatin1String("slots"))
            number = &line.slotCount;
        else if (key == QLatin1String("max_slots") || key == QLatin1String("max-slots"))
            number = &most;
        if (!number || (!word.contains(u'=') && words.size() > 1))
            line.problem = QStringLiteral("\"%1\" is not understood; a line is a host and slots=N").arg(word);
        else if (*number >= 0)
            line.problem = QStringLiteral("%1 is given twice").arg(key);
        else
            line.problem = slotsOf(word.contains(u'=') ? word.section(u'=', 1) : word, *number);
        if (!line.problem.isEmpty())
            return;
    }
    if (most >= 0 && line.slotCount > most)
        line.problem = QStringLiteral("slots=%1 is more than max_slots=%2").arg(line.slotCount).arg(most);
}

// `host:N`, where nothing else says how many: N processes, or a port.
int readColon(HostLine& line, QString& host)
{
    static const QRegularExpression kMpich(QStringLiteral("^(.*[^:]):([0-9]{1,9})\\z"));
    static const QRegularExpression kBareV6(QStringLiteral(":[^\\]]*\\z"));
    const auto mpich = kMpich.match(host);
    if (!mpich.hasMatch() || line.slotCount >= 0 || mpich.captured(1).contains(kBareV6))
        return line.slotCount;
    int number = mpich.captured(2).toInt();
    if (number > kMostImpliedSlots)
        return line.slotCount;
    if (number == kSshPort) {
        line.note = QStringLiteral("\":22\" was read as ssh's port; if 22 processes are meant, write slots=22");
        return line.slotCount;
    }
    line.problem = slotsOf(mpich.captured(2), number);
    host = mpich.captured(1);
    return number;
}

HostLine parseLine(QString text)
{
    static const QRegularExpression kAroundEquals(QStringLiteral("\\s*=\\s*"));
    HostLine line;
    QStringList parts = splitCommas(text.replace(kAroundEquals, QStringLiteral("=")));
    // "gpu1, gpu2 slots=8": the words behind the last host belong to all of them.
    QStringList words = parts.isEmpty() ? QStringList() : splitBlanks(parts.takeLast());
    if (words.isEmpty())
        return {{}, -1, QStringLiteral("a host is missing beside the comma"), {}};
    parts.append(words.takeFirst());
    readWords(line, words);
    QStringList sorted;
    for (qsizetype i = 0; i < parts.size() && line.problem.isEmpty(); ++i) {
        QString part = parts[i].trimmed();
        const int slotCount = readColon(line, part);
        const Result<QStringList> names = expandRange(part);
        if (!names)
            line.problem = names.error().text;
        for (const QString& name : names.value_or(QStringList()))
            line.hosts.append({name, slotCount});
        sorted += names.value_or(QStringList());
    }
    std::sort(sorted.begin(), sorted.end());
    if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
        twice != sorted.end() && line.problem.isEmpty())
        line.problem = QStringLiteral("%1 is named twice in one line").arg(*twice);
    return line;
}

// A plain list names a host once a slot (as PBS writes it); beside slots=N a second line is a mistake.
QString addHost(ImportCollector& found, const QString& host, int slotCount)
{
    const Result<Address> address = Address::parse(host);
    if (!address)
        return address.error().text;
    Result<Node> node = nodeNamed(nodeNameFor(*address), *address);
    if (!node)
        return node.error().text;
    node->slots_ = std::max(0, slotCount);
    Node* known = found.find(node->name);
    if (!known)
        found.add(*node);
    else if (slotCount >= 0 || known->address != node->address)
        return QStringLiteral("%1 is named twice").arg(node->name);
    else if (known->slots_ < kMostSlots)
        known->slots_ = std::max(1, known->slots_) + 1;
    return {};
}

} // namespace

Result<ImportedNodes> importHostfile(const QStringList& lines)
{
    ImportCollector found;
    for (qsizetype i = 0; i < lines.size(); ++i) {
        const QString bare = lines[i].section(u'#', 0, 0).trimmed();
        if (bare.isEmpty() || bare == QLatin1String("---"))
            continue;
        HostLine line = parseLine(bare);
        if (line.problem.isEmpty()) {
            for (const auto& [host, slotCount] : std::as_const(line.hosts)) {
                if (const QString problem = addHost(found, host, slotCount);
                    !problem.isEmpty() && line.problem.isEmpty())
                    line.problem = problem;
            }
        }
        for (const QString& said : {line.problem, line.note})
            if (!said.isEmpty())
                found.say(static_cast<int>(i) + 1, said);
    }
    return found.finish(QStringLiteral("The host file"));
}

} // namespace lockstep
