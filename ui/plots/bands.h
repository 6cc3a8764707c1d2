// SPDX-License-Identifier: GPL-3.0-or-later
// Many ranks as one: in each column the least, the 10th percentile, mean, 90th percentile and the greatest of the
// ranks' values. Pure.
#pragma once

#include "core/series.h"

#include <span>
#include <vector>

namespace lockstep::ui {

struct BandColumn {
    float min = 0, low = 0, mean = 0, high = 0, max = 0; // low, high: 10th and 90th percentile over ranks
    std::uint32_t ranks = 0;                             // that have a value here; 0: nothing to draw

    bool operator==(const BandColumn&) const = default;
};

// `columns`: one vector for each rank, all of the same length.
[[nodiscard]] std::vector<BandColumn> bandsOf(std::span<const std::vector<Column>> columns);

// So few columns that each holds about two points of a rank: narrower ones would show which ranks happen to have a
// point there, not how the ranks differ.
[[nodiscard]] int bandColumnCount(int pixels, std::size_t pointsOfARank);

} // namespace lockstep::ui
