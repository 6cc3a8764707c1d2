// SPDX-License-Identifier: GPL-3.0-or-later
// The `clock` verb: for every line on stdin, at once, `clock - T wall_us=`; ends with its input. The desktop asks a few
// times and keeps the answer with the least round trip.
#pragma once

namespace lockstep::agent {

int runClock(int outFd, int inFd);

} // namespace lockstep::agent
