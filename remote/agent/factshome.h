// SPDX-License-Identifier: GPL-3.0-or-later
// Whether several nodes share one cache folder (and so, as a rule, one home): home_id is the content of a marker file
// in it, made by whoever comes first; home_fs is the kind of its file system, because cloned disks hold equal markers.
#pragma once

#include "core/wire/encoder.h"

namespace lockstep::agent {

void appendHome(wire::Encoder& record);

} // namespace lockstep::agent
