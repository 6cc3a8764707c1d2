// SPDX-License-Identifier: GPL-3.0-or-later
// Steps <-> seconds of a run, measured on one series that is kept against both. Between points it is linear, outside it
// goes on with the pace of the last points. Borrows the series; made anew for each frame.
#pragma once

#include "core/rundata.h"
#include "ui/plots/plotview.h"

#include <optional>

namespace lockstep::ui {

class XMap {
public:
    XMap() = default;
    explicit XMap(const RunData& data); // the rank whose records reach furthest

    [[nodiscard]] bool known() const { return m_steps != nullptr; }
    [[nodiscard]] double toSeconds(double step) const; // NaN: not known
    [[nodiscard]] double toStep(double seconds) const; // NaN: not known
    [[nodiscard]] double secondsAt(double x, XFamily family) const;
    [[nodiscard]] double stepAt(double x, XFamily family) const;
    [[nodiscard]] double xOfSeconds(double seconds, XFamily family) const;

private:
    const Series* m_steps = nullptr; // against step
    const Series* m_times = nullptr; // against seconds
};

} // namespace lockstep::ui
