// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/worldcheck.h"

namespace lockstep {

std::optional<FirstCause> wrongWorld(const LaunchPlan& plan, const QString& node, int rank,
                                     const QMap<QString, QString>& facts)
{
    const auto world = facts.constFind(QStringLiteral("world"));
    if (world != facts.constEnd() && world->toInt() != plan.worldSize)
        return FirstCause{rank,
                          node,
                          QStringLiteral("Rank %1 trains in a world of %2, the plan has %3")
                              .arg(rank)
                              .arg(*world)
                              .arg(plan.worldSize),
                          *world == QLatin1String("1")
                              ? QStringLiteral("Each trains alone and would look fine; the run was ended at once")
                              : QStringLiteral("Each group would train alone and look fine; the run was ended at once"),
                          {},
                          {}};
    const auto own = facts.constFind(QStringLiteral("rank"));
    if (own != facts.constEnd() && own->toInt() != rank)
        return FirstCause{rank,
                          node,
                          QStringLiteral("Rank %1 takes itself for rank %2").arg(rank).arg(*own),
                          QStringLiteral("Two ranks would have the same data and another none; the run was ended at "
                                         "once. Does the program read RANK?"),
                          {},
                          {}};
    return std::nullopt;
}

} // namespace lockstep
