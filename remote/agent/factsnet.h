// SPDX-License-Identifier: GPL-3.0-or-later
// The network interfaces of this node as if/N/... keys of the `facts` record.
#pragma once

#include "core/wire/encoder.h"

#include <string>

namespace lockstep::agent {

// Those with addresses first: a node full of containers has hundreds without, and only so many are told.
void appendInterfaces(wire::Encoder& record, const std::string& sysRoot);

} // namespace lockstep::agent
