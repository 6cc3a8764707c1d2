// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/schedule.h"

namespace lockstep::trainer {

double Schedule::at(std::int64_t) const
{
    return highest;
}

Schedule scheduleFor(const Options& options, std::int64_t totalSteps)
{
    return {options.schedule, options.learningRate(), options.lrMin, options.warmupSteps,
            totalSteps,       options.scheduleEvery,  options.gamma};
}

} // namespace lockstep::trainer
