// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/xmap.h"

#include <algorithm>
#include <cmath>

namespace lockstep::ui {

namespace {

double between(const Series& from, const Series& to, double x)
{
    const std::size_t count = std::min(from.size(), to.size());
    if (count == 0)
        return NAN;
    if (count == 1)
        return to.xs()[0] + (x - from.xs()[0]);
    const std::size_t right = std::clamp<std::size_t>(from.lowerBound(x), 1, count - 1);
    const double x0 = from.xs()[right - 1], x1 = from.xs()[right];
    const double y0 = to.xs()[right - 1], y1 = to.xs()[right];
    return x1 > x0 ? y0 + (x - x0) / (x1 - x0) * (y1 - y0) : y1;
}

} // namespace

XMap::XMap(const RunData& data)
{
    for (const auto& [key, pair] : data.allSeries()) {
        if (key.rank < 0 || pair.first.size() == 0 || pair.first.size() != pair.second.size())
            continue;
        if (!m_steps || pair.first.size() > m_steps->size()) {
            m_steps = &pair.first;
            m_times = &pair.second;
        }
    }
}

double XMap::toSeconds(double step) const
{
    return known() ? between(*m_steps, *m_times, step) : NAN;
}

double XMap::toStep(double seconds) const
{
    return known() ? between(*m_times, *m_steps, seconds) : NAN;
}

double XMap::secondsAt(double x, XFamily family) const
{
    return family == XFamily::Seconds ? x : toSeconds(x);
}

double XMap::stepAt(double x, XFamily family) const
{
    return family == XFamily::Steps ? x : toStep(x);
}

double XMap::xOfSeconds(double seconds, XFamily family) const
{
    return family == XFamily::Seconds ? seconds : toStep(seconds);
}

} // namespace lockstep::ui
