// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rankcpus.h"

#include <algorithm>

namespace lockstep {
namespace {

constexpr int kMostCpus = 4096; // a number from outside is no reason to allocate

struct Group { // CPUs that lie together
    int id = 0;
    QList<int> cpus;
};

QList<Group> groupsOf(const NodeFacts& facts)
{
    QList<Group> groups;
    for (const NumaNode& node : facts.numaNodes)
        if (const QList<int> cpus = cpuNumbers(node.cpus); !cpus.isEmpty())
            groups.append({node.id, cpus});
    return groups;
}

// The group of a rank's device; ranks without one are dealt out in blocks, so that neighbours lie together.
qsizetype groupOf(int local, const NodeShare& share, int ranksPerDevice, const QList<Group>& groups)
{
    if (const int device = local / std::max(1, ranksPerDevice); device < share.devices.size()) {
        for (qsizetype i = 0; i < groups.size(); ++i)
            if (groups[i].id == share.devices[device].numa)
                return i;
        if (share.devices[device].numa < 0)
            return -1; // not told: it may run anywhere
    }
    return local * groups.size() / std::max(1, share.ranks);
}

// A part of `cpus` for each of `count`, as equal as can be; fewer CPUs than ranks: they share.
QList<int> part(const QList<int>& cpus, qsizetype which, qsizetype count)
{
    const qsizetype first = which * cpus.size() / count, last = (which + 1) * cpus.size() / count;
    return last > first ? cpus.mid(first, last - first) : QList<int>{cpus[first]};
}

QStringList byNuma(const NodeShare& share, int ranksPerDevice, const QList<Group>& groups)
{
    QStringList cpus;
    for (int local = 0; local < share.ranks; ++local) {
        const qsizetype group = groupOf(local, share, ranksPerDevice, groups);
        cpus.append(group < 0 ? QString() : cpuText(groups[group].cpus));
    }
    return cpus;
}

QStringList byCores(const NodeFacts& facts, const NodeShare& share, int ranksPerDevice, QList<Group> groups)
{
    if (groups.isEmpty())
        groups.append({0, cpuNumbers(facts.cpus)});
    if (groups.first().cpus.isEmpty())
        return QStringList(share.ranks);
    QList<QList<int>> ranksOf(groups.size());
    for (int local = 0; local < share.ranks; ++local)
        ranksOf[std::max<qsizetype>(0, groupOf(local, share, ranksPerDevice, groups))].append(local);
    QStringList cpus(share.ranks);
    for (qsizetype group = 0; group < groups.size(); ++group)
        for (qsizetype i = 0; i < ranksOf[group].size(); ++i)
            cpus[ranksOf[group][i]] = cpuText(part(groups[group].cpus, i, ranksOf[group].size()));
    return cpus;
}

// "0–3: 0-31 · 4–7: 32-63" by local rank
QString told(const QStringList& cpus)
{
    QStringList parts;
    for (qsizetype i = 0; i < cpus.size(); ++i) {
        const qsizetype first = i;
        while (i + 1 < cpus.size() && cpus[i + 1] == cpus[first])
            ++i;
        const QString ranks = i == first ? QString::number(first) : QStringLiteral("%1–%2").arg(first).arg(i);
        parts.append(ranks + QStringLiteral(": ") + (cpus[first].isEmpty() ? QStringLiteral("all") : cpus[first]));
    }
    return parts.join(QStringLiteral(" · "));
}

} // namespace

QList<int> cpuNumbers(const QString& text)
{
    QList<int> numbers;
    for (const QString& piece : text.split(u',', Qt::SkipEmptyParts)) {
        bool isFirst = false, isLast = false;
        const int first = piece.section(u'-', 0, 0).toInt(&isFirst);
        const int last = piece.contains(u'-') ? piece.section(u'-', 1).toInt(&isLast) : first;
        if (!isFirst || (piece.contains(u'-') && !isLast) || first < 0 || last < first || last >= kMostCpus)
            return {};
        for (int cpu = first; cpu <= last; ++cpu)
            numbers.append(cpu);
    }
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    return numbers;
}

QString cpuText(const QList<int>& cpus)
{
    QStringList parts;
    for (qsizetype i = 0; i < cpus.size(); ++i) {
        const int first = cpus[i];
        while (i + 1 < cpus.size() && cpus[i + 1] == cpus[i] + 1)
            ++i;
        parts.append(cpus[i] == first ? QString::number(first) : QStringLiteral("%1-%2").arg(first).arg(cpus[i]));
    }
    return parts.join(u',');
}

RankCpus cpusOfRanks(const NodeFacts& facts, const NodeShare& share, int ranksPerDevice, Affinity affinity)
{
    RankCpus result;
    result.threads = std::max(1, facts.usableCores() / std::max(1, share.ranks));
    const QList<Group> groups = groupsOf(facts);
    result.ofRank = QStringList(share.ranks);
    result.shown.value = facts.cpus.isEmpty() ? QStringLiteral("all") : facts.cpus;
    switch (affinity) {
    case Affinity::None:
        result.shown.source = QStringLiteral("affinity = \"none\": every rank may use all");
        return result;
    case Affinity::Auto:
        if (groups.size() < 2) {
            result.shown.source = groups.isEmpty() ? QStringLiteral("every rank may use all")
                                                   : QStringLiteral("one NUMA node: every rank may use all");
            return result;
        }
        result.ofRank = byNuma(share, ranksPerDevice, groups);
        result.shown = {told(result.ofRank),
                        share.devices.isEmpty()
                            ? QStringLiteral("by local rank; %1 NUMA nodes, a rank keeps to one").arg(groups.size())
                            : QStringLiteral("by local rank; the NUMA node of its device, of %1").arg(groups.size())};
        return result;
    case Affinity::Cores:
        result.ofRank = byCores(facts, share, ranksPerDevice, groups);
        result.shown = {told(result.ofRank), QStringLiteral("by local rank; affinity = \"cores\": a share for each")};
        return result;
    }
    return result;
}

} // namespace lockstep
