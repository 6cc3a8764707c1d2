// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/schedule.h"

#include <cmath>
#include <numbers>

namespace lockstep::trainer {

namespace {

// OneCycleLR's defaults.
constexpr double kRisingPart = 0.3;
constexpr double kStartDivisor = 25;
constexpr double kEndDivisor = 1e4;

double cosineBetween(double start, double end, double part) // as OneCycleLR._annealing_cos
{
    return end + (start - end) / 2 * (std::cos(std::numbers::pi * part) + 1);
}

double oneCycle(double highest, double step, double steps)
{
    const double start = highest / kStartDivisor;
    const double top = kRisingPart * steps - 1; // below 0 for fewer than four steps: then it only falls
    if (step <= top)
        return cosineBetween(start, highest, step / top);
    return cosineBetween(highest, start / kEndDivisor, (step - top) / (steps - 1 - top));
}

} // namespace

double Schedule::at(std::int64_t step) const
{
    if (step < warmupSteps)
        return highest * (static_cast<double>(step + 1) / static_cast<double>(warmupSteps));
    const auto t = static_cast<double>(step - warmupSteps);
    const auto steps = static_cast<double>(totalSteps - warmupSteps);
    switch (kind) {
    case ScheduleKind::Constant:
    case ScheduleKind::Warmup:
        return highest;
    case ScheduleKind::Cosine:
        return lowest + (highest - lowest) * (1 + std::cos(std::numbers::pi * t / steps)) / 2;
    case ScheduleKind::Step:
        return highest * std::pow(gamma, std::floor(t / static_cast<double>(every)));
    case ScheduleKind::OneCycle:
        return oneCycle(highest, t, steps);
    }
    return highest;
}

Schedule scheduleFor(const Options& options, std::int64_t totalSteps)
{
    return {options.schedule, options.learningRate(), options.lrMin, options.warmupSteps,
            totalSteps,       options.scheduleEvery,  options.gamma};
}

} // namespace lockstep::trainer
