// SPDX-License-Identifier: GPL-3.0-or-later
// The learning rate as a pure function of the step: nothing to save, and a resumed run has the rates of an
// uninterrupted one. The formulas are the closed forms of torch.optim.lr_scheduler. With H = highest, L = lowest,
// W = warmupSteps, N = totalSteps - W and t = step - W, all from 0:
//
//   warm-up   step < W   H * (step + 1) / W                 LinearLR(start_factor=1/W, total_iters=W-1), then the rest
//   constant, warmup     H
//   cosine               L + (H - L) * (1 + cos(pi * t / N)) / 2                  CosineAnnealingLR(T_max=N, eta_min=L)
//   step                 H * gamma ^ floor(t / every)                             StepLR(step_size=every, gamma)
//   one-cycle            cosines from H / 25 up to H in the first 0.3 * N - 1 steps, and down to H / 250,000 in the
//                        rest                            OneCycleLR(max_lr=H, total_steps=N, cycle_momentum=False)
//
// Python computes the first three step by step from the rate before, and so rounds a little differently.
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
