// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/smoothedseries.h"

#include <cmath>

namespace lockstep::ui {

void SmoothedSeries::update(const Series& raw, double weight)
{
    if (weight != m_weight || raw.size() < m_series.size()) {
        m_series.clear();
        m_weight = weight;
        m_average = 0;
        m_bias = 1;
    }
    const auto xs = raw.xs();
    const auto ys = raw.ys();
    for (std::size_t i = m_series.size(); i < ys.size(); ++i) {
        if (!std::isfinite(ys[i])) {
            m_series.append(xs[i], ys[i]); // shown where it is, and not averaged
            continue;
        }
        m_average = m_average * weight + (1 - weight) * ys[i];
        m_bias *= weight;
        m_series.append(xs[i], m_average / (1 - m_bias));
    }
}

} // namespace lockstep::ui
