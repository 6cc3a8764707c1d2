// SPDX-License-Identifier: GPL-3.0-or-later
// The learning rate as a pure function of the step: nothing to save, and a resumed run has the rates of an
// uninterrupted one. The formulas are those of torch.optim.lr_scheduler, in closed form.
#pragma once

#include "trainer/options.h"

#include <cstdint>

namespace lockstep::trainer {

struct Schedule {
    ScheduleKind kind = ScheduleKind::Constant;
    double highest = 0;
    double lowest = 0;            // where cosine ends
    std::int64_t warmupSteps = 0; // rises linearly from highest / warmupSteps
    std::int64_t totalSteps = 0;
    std::int64_t every = 1000; // of Step
    double gamma = 0.1;

    [[nodiscard]] double at(std::int64_t step) const; // step: those done before this one, from 0
};

[[nodiscard]] Schedule scheduleFor(const Options& options, std::int64_t totalSteps);

} // namespace lockstep::trainer
