// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/ticks.h"

#include "ui/plots/figures.h"

#include <QDateTime>

#include <algorithm>
#include <array>
#include <cmath>

namespace lockstep::ui {

namespace {

constexpr double kMoreYLabels = 1.25;   // rather some more than too few: they are one short line each
constexpr std::size_t kMostTicks = 100; // against a degenerate range
constexpr std::array kTimeSteps = {1.0,   2.0,   5.0,    10.0,   15.0,   30.0,    60.0,    120.0,   300.0,   600.0,
                                   900.0, 1800., 3600.0, 7200.0, 10800., 21600.0, 43200.0, 86400.0, 172800., 604800.0};

double niceStep(double size, int wanted)
{
    const double rough = size / std::max(wanted, 1);
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    const double mantissa = rough / power;
    return power * (mantissa <= 1 ? 1 : mantissa <= 2 ? 2 : mantissa <= 5 ? 5 : 10);
}

double timeStep(double size, int wanted)
{
    const double rough = size / std::max(wanted, 1);
    if (rough < kTimeSteps.front())
        return niceStep(size, wanted);
    const auto found = std::lower_bound(kTimeSteps.begin(), kTimeSteps.end(), rough);
    return found == kTimeSteps.end() ? niceStep(size / 604800.0, wanted) * 604800.0 : *found;
}

// Ticks at multiples of `step` of scaled x (scaled = x * scale + offset).
template <typename Label>
std::vector<Tick> evenTicks(const XRange& range, double step, double scale, double offset, Label label)
{
    std::vector<Tick> ticks;
    if (!(step > 0) || !std::isfinite(step))
        return ticks;
    const double from = range.from * scale + offset;
    const double to = range.to * scale + offset;
    for (double n = std::ceil(from / step - 1e-9); n * step <= to + step * 1e-9 && ticks.size() < kMostTicks; ++n) {
        const double at = n * step;
        ticks.push_back({(at - offset) / scale, label(at)});
    }
    return ticks;
}

QString elapsed(double seconds, double step)
{
    return step < 1 ? figures::decimal(seconds, figures::decimalsFor(step)) + QStringLiteral(" s")
                    : figures::shortClock(seconds);
}

QString wall(qint64 wallUs, double step)
{
    const QDateTime time = QDateTime::fromMSecsSinceEpoch(wallUs / 1000);
    return time.toString(step < 1    ? QStringLiteral("HH:mm:ss.zzz")
                         : step < 60 ? QStringLiteral("HH:mm:ss")
                                     : QStringLiteral("HH:mm"));
}

std::vector<Tick> logTicks(const YRange& range, int wanted)
{
    std::vector<Tick> ticks;
    const double low = std::log10(range.from), high = std::log10(range.to);
    if (high - low < 1) { // less than a decade: even steps say more than one label
        const YRange linear{range.from, range.to, YScale::Linear};
        return yTicks(linear, wanted);
    }
    const int every = std::max(1, static_cast<int>(std::ceil((high - low) / std::max(wanted, 1))));
    for (int power = static_cast<int>(std::ceil(low - 1e-9)); power <= high + 1e-9; power += every) {
        const double at = std::pow(10.0, power);
        const bool plain = power >= -4 && power <= 6;
        ticks.push_back({at, plain ? figures::decimal(at, std::max(0, -power)) : QStringLiteral("1e%1").arg(power)});
    }
    return ticks;
}

} // namespace

QString XLabels::text(double x) const
{
    const double scaleEpoch = stepsPerEpoch > 0 ? 1 / stepsPerEpoch : 0;
    switch (axis) {
    case XAxis::Epoch:
        if (scaleEpoch > 0)
            return QStringLiteral("epoch ") + figures::decimal(x * scaleEpoch, 2);
        break;
    case XAxis::Samples:
        if (samplesPerStep > 0)
            return figures::scaled(x * samplesPerStep) + QStringLiteral(" samples");
        break;
    case XAxis::Step:
        break;
    case XAxis::Time:
        return figures::shortClock(x);
    case XAxis::Wall:
        return figures::wallClock(startWallUs + static_cast<qint64>(x * 1e6));
    }
    return QStringLiteral("step ") + figures::grouped(std::llround(x));
}

std::vector<Tick> xTicks(const XRange& range, const XLabels& labels, int wanted)
{
    double scale = 1;
    switch (labels.axis) {
    case XAxis::Time: {
        const double step = timeStep(range.size(), wanted);
        return evenTicks(range, step, 1, 0, [&](double at) { return elapsed(at, step); });
    }
    case XAxis::Wall: {
        // Full minutes of the local clock, not of the run.
        const double step = timeStep(range.size(), wanted);
        const QDateTime start = QDateTime::fromMSecsSinceEpoch(labels.startWallUs / 1000);
        const double dayStart = static_cast<double>(start.date().startOfDay().toMSecsSinceEpoch()) / 1000;
        const double offset = static_cast<double>(labels.startWallUs) / 1e6 - dayStart;
        return evenTicks(range, step, 1, offset,
                         [&](double at) { return wall(static_cast<qint64>((dayStart + at) * 1e6), step); });
    }
    case XAxis::Step:
        break;
    case XAxis::Epoch:
        scale = labels.stepsPerEpoch > 0 ? 1 / labels.stepsPerEpoch : 1;
        break;
    case XAxis::Samples:
        scale = labels.samplesPerStep > 0 ? labels.samplesPerStep : 1;
        break;
    }
    double step = niceStep(range.size() * scale, wanted);
    if (labels.axis != XAxis::Epoch || labels.stepsPerEpoch <= 0)
        step = std::max(step, 1.0); // no half steps
    const int decimals = figures::decimalsFor(step);
    return evenTicks(range, step, scale, 0, [&](double at) {
        return labels.axis == XAxis::Samples && std::abs(at) >= 1e6 ? figures::scaled(at)
                                                                    : figures::decimal(at, decimals);
    });
}

std::vector<Tick> yTicks(const YRange& range, int wanted)
{
    if (range.scale == YScale::Log)
        return logTicks(range, wanted);
    const double size = range.to - range.from;
    const double step = niceStep(size / kMoreYLabels, wanted);
    const double greatest = std::max(std::abs(range.from), std::abs(range.to));
    if (greatest >= 1e6 || (greatest < 1e-3 && greatest > 0))
        return evenTicks({range.from, range.to}, step, 1, 0, [&](double at) {
            return std::abs(at) < step / 2 ? QStringLiteral("0")
                   : greatest >= 1e6       ? figures::scaled(at)
                                           : figures::value(at);
        });
    const int decimals = figures::decimalsFor(step);
    // One decimal at least for small numbers, so that labels of a falling loss keep their width.
    const int shown = greatest < 10 && decimals == 0 && size < 10 ? 1 : decimals;
    return evenTicks({range.from, range.to}, step, 1, 0, [&](double at) { return figures::decimal(at, shown); });
}

} // namespace lockstep::ui
