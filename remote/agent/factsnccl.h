// SPDX-License-Identifier: GPL-3.0-or-later
// The NCCL that the node itself has, outside of any Python: nccl (2.27.7) and nccl_path.
#pragma once

#include "core/wire/encoder.h"
#include "remote/agent/facts.h"

namespace lockstep::agent {

void appendNccl(wire::Encoder& record, const FactsRoots& roots);

} // namespace lockstep::agent
