// SPDX-License-Identifier: GPL-3.0-or-later
// The ports of InfiniBand and RoCE adapters as ib/N/... keys of the `facts` record, in the words of ibstat.
#pragma once

#include "core/wire/encoder.h"

#include <string>

namespace lockstep::agent {

void appendInfiniband(wire::Encoder& record, const std::string& sysRoot);

} // namespace lockstep::agent
