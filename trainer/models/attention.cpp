// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/models/attention.h"

#include <ATen/ATen.h>

#include <cmath>
#include <limits>

namespace lockstep::trainer {

namespace {

at::Tensor writtenOut(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const AttentionOptions& options)
{
    at::Tensor weights = at::matmul(q, k.transpose(-2, -1)) * (1.0 / std::sqrt(static_cast<double>(q.size(-1))));
    if (options.look == Look::Back) {
        const at::Tensor later = at::ones({q.size(-2), k.size(-2)}, q.options().dtype(at::kBool)).triu(1);
        weights = weights.masked_fill(later, -std::numeric_limits<double>::infinity());
    }
    weights = at::dropout(at::softmax(weights, -1), options.dropout, options.dropout > 0);
    return at::matmul(weights, v);
}

} // namespace

at::Tensor attend(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const AttentionOptions& options)
{
    if (options.form == Attention::Plain)
        return writtenOut(q, k, v, options);
    return at::scaled_dot_product_attention(q, k, v, {}, options.dropout, options.look == Look::Back);
}

} // namespace lockstep::trainer
