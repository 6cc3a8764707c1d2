// SPDX-License-Identifier: GPL-3.0-or-later
// Named values, as they go into a record.
#pragma once

#include "core/wire/encoder.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace lockstep::trainer {

using Facts = std::vector<std::pair<std::string_view, std::variant<std::int64_t, double, std::string>>>;

inline void addFacts(wire::Encoder& record, const Facts& facts)
{
    for (const auto& [key, value] : facts)
        std::visit([&](const auto& known) { record.field(key, known); }, value);
}

} // namespace lockstep::trainer
