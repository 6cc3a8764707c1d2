// SPDX-License-Identifier: GPL-3.0-or-later
// softmax(q kᵀ / √head) v, fused or written out. The two round differently; each equals Python's of the same form bit
// for bit.
#pragma once

#include "trainer/options.h"

#include <ATen/core/Tensor.h>

namespace lockstep::trainer {

enum class Look { Everywhere, Back }; // Back: a token sees itself and those before it

struct AttentionOptions {
    Attention form = Attention::Fused;
    Look look = Look::Everywhere;
    double dropout = 0; // of the weights; give 0 outside training
};

// All N×heads×tokens×head.
[[nodiscard]] at::Tensor attend(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                                const AttentionOptions& options);

} // namespace lockstep::trainer
