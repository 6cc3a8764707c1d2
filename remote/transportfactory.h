// SPDX-License-Identifier: GPL-3.0-or-later
// How a node is reached is decided once, in app/ (or in a test); everything in remote/ asks for a Transport by its
// node, and may be given one that others use too.
#pragma once

#include "remote/transport.h"

#include <functional>

namespace lockstep {

using TransportFactory = std::function<std::shared_ptr<Transport>(const Node&)>; // called from any worker thread

} // namespace lockstep
