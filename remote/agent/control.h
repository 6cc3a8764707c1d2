// SPDX-License-Identifier: GPL-3.0-or-later
// What the verbs ask of a living supervisor, through the pipe `control` in the run's folder:
//
//   claim - T owner=PID            this launch process now decides; `abandon` of an earlier one no longer counts
//   go - T                         start the ranks; a second one is ignored
//   abandon - T owner=PID          nothing was started: end, and leave nothing
//   stop - T grace=SECONDS asked=0|1   1: a person wants it, for good
//
// Answers are not sent: the spool says what happened.
#pragma once

#include "remote/agent/fd.h"
#include "remote/agent/outcome.h"

#include <string>
#include <string_view>

namespace lockstep::agent {

inline constexpr char kStoppedOnRequest[] = "stopped on request";
inline constexpr char kFailedElsewhere[] = "ended after a failure elsewhere in the run";

[[nodiscard]] Outcome<Fd> openControl(const std::string& runFolder); // the supervisor's end, made when missing
[[nodiscard]] Outcome<void> sendControl(const std::string& runFolder,
                                        std::string_view record); // code lost: nobody reads

} // namespace lockstep::agent
