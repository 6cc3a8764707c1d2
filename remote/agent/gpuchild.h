// SPDX-License-Identifier: GPL-3.0-or-later
// The process that reads GPUs: once a second a `device` record for each, to a pipe. It says `id=gpus note=` and ends
// when there is no device, `id=gpus error=` and ends when they cannot be read.
#pragma once

#include "remote/agent/gpusource.h"

#include <cstdint>

namespace lockstep::agent {

int readGpus(int outFd, const GpuRoots& roots);

} // namespace lockstep::agent
