// SPDX-License-Identifier: GPL-3.0-or-later
// The debiased moving average of a growing series, itself a series with a pyramid. Smoothing runs over all points,
// thinning to pixels comes after it, so a value does not depend on the zoom; a new point costs the same at any length.
#pragma once

#include "core/series.h"

namespace lockstep::ui {

class SmoothedSeries {
public:
    void update(const Series& raw, double weight); // appends what is new; another weight begins anew
    [[nodiscard]] const Series& series() const { return m_series; }

private:
    Series m_series;
    double m_weight = -1;
    double m_average = 0; // still biased towards its start at 0
    double m_bias = 1;    // weight to the power of the points averaged
};

} // namespace lockstep::ui
