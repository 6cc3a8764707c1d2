// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runfacts.h"

#include "core/ncclreport.h"

#include <QMap>

#include <algorithm>

namespace lockstep {

QList<RunFact> factsOf(const RunData& run)
{
    QMap<QString, QMap<QString, QList<int>>> said; // name -> value -> ranks
    const int world = run.plan().worldSize;
    for (int rank = 0; rank < world; ++rank) {
        const QMap<QString, QString>& facts = run.info(rank);
        for (auto fact = facts.begin(); fact != facts.end(); ++fact)
            said[fact.key()][fact.value()].append(rank);
        const LaunchPlan& plan = run.plan();
        const int node = rank < plan.ranks.size() ? plan.ranks[rank].nodeIndex : -1;
        if (const QString judged = againstPlan(facts, plan.nodes.value(node).interface.value); !judged.isEmpty())
            said[QStringLiteral("nccl_interface_planned")][judged].append(rank);
    }
    QList<RunFact> all;
    for (auto name = said.begin(); name != said.end(); ++name) {
        QList<RunFact> values;
        for (auto value = name->begin(); value != name->end(); ++value)
            values.append({name.key(), value.key(), *value, value->size() == world});
        std::ranges::stable_sort(values, std::ranges::greater{}, [](const RunFact& fact) { return fact.ranks.size(); });
        all.append(values);
    }
    return all;
}

QString rankRanges(const QList<int>& ranks)
{
    QString text;
    for (qsizetype i = 0; i < ranks.size(); ++i) {
        const int first = ranks[i];
        while (i + 1 < ranks.size() && ranks[i + 1] == ranks[i] + 1)
            ++i;
        text += (text.isEmpty() ? QString() : QStringLiteral(", ")) + QString::number(first);
        if (ranks[i] != first)
            text += QStringLiteral("-%1").arg(ranks[i]);
    }
    return text;
}

} // namespace lockstep
