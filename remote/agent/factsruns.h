// SPDX-License-Identifier: GPL-3.0-or-later
// Runs of this user that live on this node now: run/N/name, run/N/ranks, run/N/since_us (wall clock), run/N/devices
// (uuids; empty: the CPU).
#pragma once

#include "core/wire/encoder.h"

namespace lockstep::agent {

void appendRuns(wire::Encoder& record);

} // namespace lockstep::agent
