// SPDX-License-Identifier: GPL-3.0-or-later
// What a rank says of its place in the world, against the plan. Pure.
#pragma once

#include "core/runstate.h"

#include <QMap>

namespace lockstep {

// `facts`: of an info record, `world` and `rank` among them where the program says them. `rank`: as its supervisor
// knows it. A cause when they are not what the plan has: such ranks train alone, or as somebody else, and look fine.
[[nodiscard]] std::optional<FirstCause> wrongWorld(const LaunchPlan& plan, const QString& node, int rank,
                                                   const QMap<QString, QString>& facts);

} // namespace lockstep
