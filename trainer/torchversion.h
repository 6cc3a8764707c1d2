// SPDX-License-Identifier: GPL-3.0-or-later
// The one place that knows how LibTorch's versions differ (2.11 to 2.15 compile).
#pragma once

#include <torch/version.h>

#define LOCKSTEP_TORCH (TORCH_VERSION_MAJOR * 100 + TORCH_VERSION_MINOR)

// c10d::Reducer's constructor grew at its end: batched_grad_copy in 2.12, lazy_bucket_allocation in 2.15.
#if LOCKSTEP_TORCH >= 215
#define LOCKSTEP_REDUCER_TAIL(batchedCopy) , batchedCopy, false
#elif LOCKSTEP_TORCH >= 212
#define LOCKSTEP_REDUCER_TAIL(batchedCopy) , batchedCopy
#else
#define LOCKSTEP_REDUCER_TAIL(batchedCopy)
#endif

// c10d's collectives on one tensor got new names in 2.14; the old ones are deprecated.
#if LOCKSTEP_TORCH >= 214
#define LOCKSTEP_ALL_GATHER all_gather_single
#define LOCKSTEP_REDUCE_SCATTER reduce_scatter_single
#else
#define LOCKSTEP_ALL_GATHER _allgather_base
#define LOCKSTEP_REDUCE_SCATTER _reduce_scatter_base
#endif
