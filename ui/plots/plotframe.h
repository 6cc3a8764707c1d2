// SPDX-License-Identifier: GPL-3.0-or-later
// Where a plot's area lies in pixels and which part of x and y it shows. A value: what draws curves needs nothing else.
#pragma once

#include "ui/plots/plotview.h"

#include <QRectF>

#include <cmath>

namespace lockstep::ui {

struct YRange {
    double from = 0;
    double to = 1;
    YScale scale = YScale::Linear;

    bool operator==(const YRange&) const = default;
};

struct PlotFrame {
    QRectF area;
    XRange x;
    YRange y;

    [[nodiscard]] int columns() const { return std::max(1, static_cast<int>(area.width())); }
    [[nodiscard]] double px(double value) const { return area.left() + (value - x.from) / x.size() * area.width(); }
    [[nodiscard]] double xAt(double pixel) const { return x.from + (pixel - area.left()) / area.width() * x.size(); }
    // NaN where a log scale has no place for the value.
    [[nodiscard]] double py(double value) const
    {
        if (y.scale == YScale::Log) {
            const double low = std::log(y.from);
            return value > 0 ? area.bottom() - (std::log(value) - low) / (std::log(y.to) - low) * area.height() : NAN;
        }
        return area.bottom() - (value - y.from) / (y.to - y.from) * area.height();
    }
};

} // namespace lockstep::ui
