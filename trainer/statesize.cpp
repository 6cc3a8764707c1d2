// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/statesize.h"

#include <ATen/ATen.h>

namespace lockstep::trainer {

Facts stateSize(const Strategy& strategy, const Optimizer& optimizer)
{
    std::size_t parameters = 0;
    std::size_t gradients = 0;
    std::size_t state = 0;
    for (const at::Tensor& parameter : strategy.parameters()) {
        parameters += parameter.nbytes();
        gradients += parameter.grad().defined() ? parameter.grad().nbytes() : 0;
    }
    for (const Optimizer::State& part : optimizer.state()) {
        for (const at::Tensor& tensor : part.tensors)
            state += tensor.nbytes();
    }
    return {{"parameter_bytes", static_cast<std::int64_t>(parameters)},
            {"gradient_bytes", static_cast<std::int64_t>(gradients)},
            {"optimizer_bytes", static_cast<std::int64_t>(state)}};
}

} // namespace lockstep::trainer
