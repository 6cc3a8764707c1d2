// SPDX-License-Identifier: GPL-3.0-or-later
// What happens to a gradient between backward and the reducer: the clock is told when it is ready, and it may travel in
// half the bytes.
#pragma once

#include "trainer/options.h"
#include "trainer/records/stepclock.h"

#include <torch/csrc/autograd/variable.h>
#include <torch/csrc/distributed/c10d/reducer.hpp>

#include <vector>

namespace lockstep::trainer {

// intrusive_ptr in the newest versions, shared_ptr before.
using Accumulator = decltype(torch::autograd::impl::grad_accumulator(std::declval<at::Tensor>()));

// Marks LastGradient at each parameter's gradient. The caller keeps the accumulators: they hold the hooks, and autograd
// has only weak pointers to them. Before the reducer's own hooks, which may start an all-reduce.
[[nodiscard]] std::vector<Accumulator> markGradients(const std::vector<at::Tensor>& parameters, StepClock& clock);

// fp16: LibTorch's own hook; bf16: as Python's bf16_compress_hook, which LibTorch does not have.
void compressGradients(c10d::Reducer& reducer, const c10::intrusive_ptr<c10d::ProcessGroup>& group,
                       Compression compression);

} // namespace lockstep::trainer
