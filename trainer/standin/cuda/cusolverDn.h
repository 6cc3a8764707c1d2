// SPDX-License-Identifier: GPL-3.0-or-later
// Stand-in: LibTorch's CUDA headers name these types and pass them on; nothing here calls the library behind them.
#pragma once

#include "cusolver_common.h"

using cusolverDnHandle_t = struct cusolverDnContext*;
