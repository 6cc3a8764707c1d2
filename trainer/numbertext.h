// SPDX-License-Identifier: GPL-3.0-or-later
// A number in a sentence. printf writes the sign that a NaN happens to have.
#pragma once

#include <array>
#include <cmath>
#include <cstdio>
#include <string>

namespace lockstep::trainer {

// `digits`: after the point.
inline std::string numberText(double value, int digits = 6)
{
    if (std::isnan(value))
        return "NaN";
    if (std::isinf(value))
        return value > 0 ? "infinite" : "-infinite";
    std::array<char, 400> text{}; // 309 digits before the point at most
    std::snprintf(text.data(), text.size(), "%.*f", digits, value);
    return text.data();
}

} // namespace lockstep::trainer
