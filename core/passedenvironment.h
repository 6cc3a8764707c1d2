// SPDX-License-Identifier: GPL-3.0-or-later
// What of the desktop's environment reaches ranks: only what the spec's pass_env names, and never what steers a launch
// or what a login sets. Pure.
#pragma once

#include "core/launchplan.h"

namespace lockstep {

// The variables of the desktop that the spec's pass_env names; what must not be copied is a Problem.
struct PassedEnvironment {
    Environment variables;
    QList<Problem> problems;
};
[[nodiscard]] PassedEnvironment passedEnvironment(const RunSpec& spec, const Environment& desktopEnv);

// Names in the desktop's environment that would steer a launch (of Slurm, Open MPI, torchrun ...). None reaches a rank;
// this is to say so.
[[nodiscard]] QStringList launchVariables(const Environment& desktopEnv);

} // namespace lockstep
