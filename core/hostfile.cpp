// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hostfile.h"

#include "core/noderange.h"

#include <QHash>
#include <QMap>
#include <QRegularExpression>
#include <QSet>

#include <algorithm>

namespace lockstep {
namespace {

constexpr int kMostImpliedSlots = 512; // `host:N` above this is a port, not a number of processes
constexpr int kSshPort = 22;

struct HostLine {
    QList<std::pair<QString, int>> hosts; // with their slots; -1: not said
    int slotCount = -1;                   // behind the last host, of all of them
    QString user, port, interface;        // likewise
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

enum class HostKey { Slots, Cores, Gpus, Most, User, Port, Interface, Known, Strange };

// The words of Open MPI (count, username), MPICH's Hydra (ifname, binding), Torque (np, gpus), LAM (cpu) beside slots.
HostKey hostKey(const QString& word)
{
    static const QHash<QString, HostKey> kKeys{
        {QStringLiteral("slots"), HostKey::Slots},
        {QStringLiteral("count"), HostKey::Slots},
        {QStringLiteral("cpu"), HostKey::Cores},
        {QStringLiteral("cpus"), HostKey::Cores},
        {QStringLiteral("np"), HostKey::Cores},
        {QStringLiteral("gpus"), HostKey::Gpus},
        {QStringLiteral("max_slots"), HostKey::Most},
        {QStringLiteral("max-slots"), HostKey::Most},
        {QStringLiteral("slots_max"), HostKey::Most},
        {QStringLiteral("slots-max"), HostKey::Most},
        {QStringLiteral("user"), HostKey::User},
        {QStringLiteral("username"), HostKey::User},
        {QStringLiteral("user_name"), HostKey::User},
        {QStringLiteral("user-name"), HostKey::User},
        {QStringLiteral("port"), HostKey::Port},
        {QStringLiteral("ifname"), HostKey::Interface},
        {QStringLiteral("weight"), HostKey::Known},
        {QStringLiteral("sockets_per_board"), HostKey::Known},
        {QStringLiteral("cores_per_socket"), HostKey::Known},
    };
    return kKeys.value(word.toLower(), HostKey::Strange);
}

// "slots=8 max_slots=16 user=bob", or one number.
void readWords(HostLine& line, const QStringList& words)
{
    QMap<HostKey, int> numbers;
    QSet<HostKey> seen;
    for (const QString& word : words) {
        const bool bare = !word.contains(u'=');
        const QString key = word.section(u'=', 0, 0), value = bare ? word : word.section(u'=', 1);
        const HostKey known = bare ? (words.size() == 1 ? HostKey::Slots : HostKey::Strange) : hostKey(key);
        if (known == HostKey::Strange)
            line.problem = QStringLiteral("\"%1\" is not understood; a line is a host and slots=N").arg(word);
        else if (known != HostKey::Known && seen.contains(known))
            line.problem = QStringLiteral("%1 is given twice").arg(key.toLower());
        else if (known == HostKey::Known)
            line.note = QStringLiteral("%1 was not taken over; of a host, slots, user, port and ifname are").arg(key);
        else if (known == HostKey::User)
            line.user = value;
        else if (known == HostKey::Port)
            line.port = value;
        else if (known == HostKey::Interface)
            line.interface = value;
        else
            line.problem = slotsOf(value, numbers[known]);
        seen.insert(known);
        if (!line.problem.isEmpty())
            return;
    }
    for (const HostKey one : {HostKey::Gpus, HostKey::Slots, HostKey::Cores})
        if (line.slotCount < 0 && numbers.contains(one))
            line.slotCount = numbers[one];
    if (numbers.contains(HostKey::Most) && line.slotCount > numbers[HostKey::Most])
        line.problem =
            QStringLiteral("slots=%1 is more than max_slots=%2").arg(line.slotCount).arg(numbers[HostKey::Most]);
}

// Grid Engine's "gpu1 8 all.q@gpu1 UNDEFINED", LSF's "gpu1 8 gpu2 4", GNU parallel's "8/gpu1", Slurm's environment: as
// lines that have one host and its slots each.
QStringList hostLinesOf(const QString& text)
{
    static const QRegularExpression kGridEngine(QStringLiteral("^(\\S+\\s+[0-9]+)\\s+\\S+@\\S+\\s+\\S+\\z"));
    static const QRegularExpression kPairs(
        QStringLiteral("^(?:[^\\s=,]*[A-Za-z.][^\\s=,]*\\s+[0-9]+(?:\\s+|\\z)){2,}\\z"));
    static const QRegularExpression kVariable(
        QStringLiteral("^(?:export\\s+)?(?:SLURM_(?:JOB_|STEP_)?NODELIST|LSB_MCPU_HOSTS)=[\"']?([^\"']*)[\"']?\\z"));
    static const QRegularExpression kOtherVariable(QStringLiteral("^(?:export\\s+)?SLURM_[A-Z0-9_]*="));
    static const QRegularExpression kParallel(QStringLiteral("^([0-9]+)/(\\S+)\\z"));
    QString bare = text;
    if (bare == QLatin1String(":")) // GNU parallel's own machine
        return {QStringLiteral("localhost")};
    if (const auto parallel = kParallel.match(bare); parallel.hasMatch())
        return {parallel.captured(2) + QStringLiteral(" slots=") + parallel.captured(1)};
    if (const auto variable = kVariable.match(bare); variable.hasMatch())
        bare = variable.captured(1).trimmed();
    else if (kOtherVariable.match(bare).hasMatch())
        return {};
    if (const auto engine = kGridEngine.match(bare); engine.hasMatch())
        return {engine.captured(1)};
    if (!kPairs.match(bare).hasMatch())
        return {bare};
    const QStringList words = splitBlanks(bare);
    QStringList lines;
    for (qsizetype i = 0; i + 1 < words.size(); i += 2)
        lines.append(words[i] + u' ' + words[i + 1]);
    return lines;
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
    static const QRegularExpression kBinding(QStringLiteral("\\sbinding=\\S+")); // Hydra's, of CPUs: has commas
    static const QRegularExpression kBlank(QStringLiteral("\\s"));
    static const QRegularExpression kNumber(QStringLiteral("^[0-9]+(\\.[0-9]*)?\\z")); // "8" of gpu1,8; "0.25" of a log
    HostLine line;
    text.replace(kAroundEquals, QStringLiteral("="));
    if (text.contains(kBinding))
        line.note = QStringLiteral("binding was not taken over; the plan gives each rank its CPUs");
    QStringList parts = splitCommas(text.remove(kBinding));
    // "gpu1, gpu2 slots=8": the words behind the last host belong to all of them.
    QStringList words = parts.isEmpty() ? QStringList() : splitBlanks(parts.takeLast());
    if (words.isEmpty()) {
        line.problem = QStringLiteral("a host is missing beside the comma");
        return line;
    }
    parts.append(words.takeFirst());
    readWords(line, words);
    QStringList sorted;
    for (qsizetype i = 0; i < parts.size() && line.problem.isEmpty(); ++i) {
        QString part = parts[i].trimmed();
        const int slotCount = readColon(line, part);
        const Result<QStringList> names = expandRange(part);
        if (!names)
            line.problem = names.error().text;
        for (const QString& name : names.value_or(QStringList())) {
            line.hosts.append({name, slotCount});
            if (kNumber.match(name).hasMatch())
                line.problem =
                    QStringLiteral("\"%1\" is a number, not a host; slots are written gpu1 slots=8").arg(name);
            if (name.contains(kBlank))
                line.problem = QStringLiteral("between the hosts \"%1\" a comma is missing").arg(name);
        }
        sorted += names.value_or(QStringList());
    }
    std::sort(sorted.begin(), sorted.end());
    if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
        twice != sorted.end() && line.problem.isEmpty())
        line.problem = QStringLiteral("%1 is named twice in one line").arg(*twice);
    return line;
}

// A plain list names a host once a slot (as PBS writes it); beside slots=N a second line is a mistake.
QString addHost(ImportCollector& found, const QString& host, int slotCount, const HostLine& line)
{
    const bool isV6 = host.count(u':') > 1 && !host.startsWith(u'[') && !line.port.isEmpty();
    const Result<Address> address =
        Address::parse((line.user.isEmpty() ? QString() : line.user + u'@') + (isV6 ? u'[' + host + u']' : host) +
                       (line.port.isEmpty() ? QString() : u':' + line.port));
    if (!address)
        return address.error().text;
    Result<Node> node = nodeNamed(nodeNameFor(*address), *address);
    if (!node)
        return node.error().text;
    node->interface = line.interface;
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

// True: the line names a host, with or without a doubt.
bool takeLine(ImportCollector& found, const QString& text, int number)
{
    HostLine line = parseLine(text);
    if (line.problem.isEmpty()) {
        for (const auto& [host, slotCount] : std::as_const(line.hosts)) {
            if (const QString problem = addHost(found, host, slotCount, line);
                !problem.isEmpty() && line.problem.isEmpty())
                line.problem = problem;
        }
    }
    for (const QString& said : {line.problem, line.note})
        if (!said.isEmpty())
            found.say(number, said);
    return line.problem.isEmpty();
}

} // namespace

Result<ImportedNodes> importHostfile(const QStringList& lines)
{
    ImportCollector found;
    qsizetype good = 0, wrong = 0;
    for (qsizetype i = 0; i < lines.size(); ++i) {
        const QString bare = lines[i].section(u'#', 0, 0).trimmed();
        if (bare.isEmpty() || bare == QLatin1String("---"))
            continue;
        for (const QString& text : hostLinesOf(bare))
            ++(takeLine(found, text, static_cast<int>(i) + 1) ? good : wrong);
    }
    const QString what = QStringLiteral("The host file");
    if (const Result<void> isList = found.checkShare(what, good, wrong); !isList)
        return std::unexpected(isList.error());
    return found.finish(what);
}

} // namespace lockstep
