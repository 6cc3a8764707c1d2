// SPDX-License-Identifier: GPL-3.0-or-later
// What a node says of itself as JSON; unknown values are null.
#pragma once

#include "core/nodefacts.h"

#include <QJsonObject>

namespace lockstep {

[[nodiscard]] QJsonObject toJson(const NodeFacts& facts);

} // namespace lockstep
