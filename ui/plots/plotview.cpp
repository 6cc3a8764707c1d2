// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/plotview.h"

#include <algorithm>
#include <cmath>

namespace lockstep::ui {

namespace {

constexpr double kSmallestPart = 1e-6; // of the extent: below it doubles of long runs have no digits left for pixels
constexpr double kLargestPart = 4;     // of the extent: zooming out further only loses the curve
constexpr double kHeaviestSmoothing = 0.999;

} // namespace

XFamily familyOf(XAxis axis)
{
    switch (axis) {
    case XAxis::Step:
    case XAxis::Epoch:
    case XAxis::Samples:
        return XFamily::Steps;
    case XAxis::Time:
    case XAxis::Wall:
        break;
    }
    return XFamily::Seconds;
}

void PlotView::setAxis(XAxis axis)
{
    if (axis == m_axis)
        return;
    const bool other = familyOf(axis) != familyOf(m_axis);
    m_axis = axis;
    if (other) {
        m_part = 0;
        m_limit.reset();
        m_cursor.reset();
        setFollowing(true);
        fit();
        emit cursorMoved();
    }
    touch();
}

void PlotView::setExtent(XRange extent)
{
    if (!std::isfinite(extent.from) || !std::isfinite(extent.to) || !(extent.to > extent.from))
        extent.to = extent.from + 1;
    if (extent == m_extent)
        return;
    m_extent = extent;
    if (m_following)
        fit();
}

void PlotView::setShownPart(double size)
{
    m_part = std::max(0.0, size);
    follow();
}

void PlotView::setSmoothing(double weight)
{
    const double clamped = std::isfinite(weight) ? std::clamp(weight, 0.0, kHeaviestSmoothing) : 0.0;
    if (clamped == m_smoothing)
        return;
    m_smoothing = clamped;
    touch();
}

void PlotView::setYScale(YScale scale)
{
    if (scale == m_yScale)
        return;
    m_yScale = scale;
    touch();
}

void PlotView::setCursor(std::optional<double> x)
{
    if (x == m_cursor)
        return;
    m_cursor = x;
    emit cursorMoved();
}

void PlotView::setLimit(std::optional<double> x)
{
    if (x == m_limit)
        return;
    m_limit = x;
    touch();
}

void PlotView::zoom(double at, double factor)
{
    if (!(factor > 0) || !std::isfinite(at))
        return;
    const double full = m_extent.size();
    const double size = std::clamp(m_range.size() * factor, full * kSmallestPart, full * kLargestPart);
    const double share = std::clamp((at - m_range.from) / m_range.size(), 0.0, 1.0);
    show({at - share * size, at + (1 - share) * size});
}

void PlotView::pan(double delta)
{
    // The data never leaves the view altogether: a tenth of it stays.
    const double slack = 0.9 * m_range.size();
    const double from = std::clamp(m_range.from + delta, m_extent.from - slack, m_extent.to - m_range.size() + slack);
    show({from, from + m_range.size()});
}

void PlotView::show(XRange range)
{
    if (!(range.to > range.from))
        return;
    setFollowing(false);
    if (range == m_range)
        return;
    m_range = range;
    touch();
}

void PlotView::follow()
{
    setFollowing(true);
    fit();
    touch();
}

void PlotView::fit()
{
    XRange range = m_extent;
    if (m_part > 0)
        range.from = std::max(range.from, range.to - m_part);
    if (range == m_range)
        return;
    m_range = range;
    touch();
}

void PlotView::touch()
{
    ++m_generation;
    emit changed();
}

void PlotView::setFollowing(bool following)
{
    if (following == m_following)
        return;
    m_following = following;
    emit followingChanged();
}

} // namespace lockstep::ui
