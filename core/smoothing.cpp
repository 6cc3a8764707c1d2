// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/series.h"

#include <algorithm>
#include <cmath>

namespace lockstep {

// TensorBoard's vz_line_chart2 resmoothDataset: an average started at 0, divided by 1 - weight^n; a constant curve
// stays itself.
std::vector<double> smoothed(std::span<const double> ys, double weight)
{
    std::vector<double> out(ys.begin(), ys.end());
    if (out.empty() || !(weight > 0) || weight >= 1 ||
        std::all_of(ys.begin(), ys.end(), [&](double y) { return y == ys.front(); }))
        return out;
    double average = 0, left = 1; // left: weight^n
    for (double& y : out) {
        if (!std::isfinite(y))
            continue;
        average = average * weight + (1 - weight) * y;
        left *= weight;
        y = average / (1 - left);
    }
    return out;
}

} // namespace lockstep
