// SPDX-License-Identifier: GPL-3.0-or-later
// How the width of a transformer is divided among its heads.
#pragma once

#include <cstdint>

namespace lockstep::trainer {

// As asked, or with 0 as many as give each head `usual` numbers. Throws Failure(Options) when they do not divide width.
[[nodiscard]] std::int64_t headsFor(std::int64_t asked, std::int64_t width, std::int64_t usual);
void refuseOddHead(std::int64_t width, std::int64_t heads); // rotary positions turn pairs: throws for an odd head

} // namespace lockstep::trainer
