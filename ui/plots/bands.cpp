// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/bands.h"

#include <algorithm>
#include <cmath>

namespace lockstep::ui {

namespace {

constexpr double kLow = 0.1;
constexpr double kHigh = 0.9;
constexpr int kFewestColumns = 8;

std::size_t quantileIndex(double share, std::size_t count)
{
    return static_cast<std::size_t>(std::lround(share * static_cast<double>(count - 1)));
}

} // namespace

std::vector<BandColumn> bandsOf(std::span<const std::vector<Column>> columns)
{
    const std::size_t width = columns.empty() ? 0 : columns.front().size();
    std::vector<BandColumn> bands(width);
    std::vector<float> values;
    values.reserve(columns.size());
    for (std::size_t x = 0; x < width; ++x) {
        values.clear();
        BandColumn& band = bands[x];
        double sum = 0;
        for (const std::vector<Column>& rank : columns) {
            const Column& column = rank[x];
            if (column.count == 0)
                continue;
            band.min = values.empty() ? column.min : std::min(band.min, column.min);
            band.max = values.empty() ? column.max : std::max(band.max, column.max);
            values.push_back(column.mean);
            sum += static_cast<double>(column.mean);
        }
        if (values.empty())
            continue;
        const auto low = values.begin() + static_cast<std::ptrdiff_t>(quantileIndex(kLow, values.size()));
        const auto high = values.begin() + static_cast<std::ptrdiff_t>(quantileIndex(kHigh, values.size()));
        std::nth_element(values.begin(), low, values.end());
        band.low = *low;
        std::nth_element(low, high, values.end());
        band.high = *high;
        band.mean = static_cast<float>(sum / static_cast<double>(values.size()));
        band.ranks = static_cast<std::uint32_t>(values.size());
    }
    return bands;
}

int bandColumnCount(int pixels, std::size_t pointsOfARank)
{
    const auto wanted = static_cast<int>(std::min<std::size_t>(pointsOfARank / 2, 1'000'000));
    return std::clamp(wanted, std::min(kFewestColumns, pixels), std::max(1, pixels));
}

} // namespace lockstep::ui
