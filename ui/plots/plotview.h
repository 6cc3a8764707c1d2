// SPDX-License-Identifier: GPL-3.0-or-later
// What all plots of a page share: which part of x is seen, whether it follows the newest, the cursor, smoothing, log y.
// x is in the unit of the family: steps for Step, Epoch and Samples, seconds since the run's start for Time and Wall.
// Thread: GUI.
#pragma once

#include "core/rundata.h"

#include <QObject>

#include <optional>

namespace lockstep::ui {

enum class YScale { Linear, Log };
enum class XFamily { Steps, Seconds };

[[nodiscard]] XFamily familyOf(XAxis axis);

struct XRange {
    double from = 0;
    double to = 1;

    bool operator==(const XRange&) const = default;
    [[nodiscard]] double size() const { return to - from; }
    [[nodiscard]] bool contains(double x) const { return x >= from && x <= to; }
};

class PlotView : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    [[nodiscard]] XAxis axis() const { return m_axis; }
    [[nodiscard]] XFamily family() const { return familyOf(m_axis); }
    [[nodiscard]] const XRange& range() const { return m_range; }
    [[nodiscard]] bool following() const { return m_following; }
    [[nodiscard]] double smoothing() const { return m_smoothing; }
    [[nodiscard]] YScale yScale() const { return m_yScale; }
    [[nodiscard]] std::optional<double> cursor() const { return m_cursor; }
    [[nodiscard]] std::optional<double> limit() const { return m_limit; } // replay: nothing later is shown

    void setAxis(XAxis axis);         // to the other family: range and cursor are forgotten, following stays
    void setExtent(XRange extent);    // what the data covers; a following view moves with it
    void setShownPart(double size);   // following shows the newest `size` of x; 0: all
    void setSmoothing(double weight); // [0, 1)
    void setYScale(YScale scale);
    void setCursor(std::optional<double> x);
    void setLimit(std::optional<double> x);

    void zoom(double at, double factor); // factor < 1: nearer; stops following
    void pan(double delta);              // stops following
    void show(XRange range);             // stops following
    void follow();

    [[nodiscard]] std::uint64_t generation() const { return m_generation; } // without the cursor

signals:
    void changed(); // what is seen is another part or drawn in another way
    void cursorMoved();
    void followingChanged();

private:
    void fit();
    void touch();
    void setFollowing(bool following);

    XAxis m_axis = XAxis::Time;
    XRange m_extent;
    XRange m_range;
    double m_part = 0;
    double m_smoothing = 0.9;
    YScale m_yScale = YScale::Linear;
    bool m_following = true;
    std::optional<double> m_cursor;
    std::optional<double> m_limit;
    std::uint64_t m_generation = 1;
};

} // namespace lockstep::ui
