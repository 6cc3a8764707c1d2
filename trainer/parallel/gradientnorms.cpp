// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/parallel/gradientnorms.h"

#include <ATen/ATen.h>

namespace lockstep::trainer {

at::Tensor normsOfGradients(const std::vector<at::Tensor>& parameters)
{
    std::vector<at::Tensor> gradients;
    gradients.reserve(parameters.size());
    for (const at::Tensor& parameter : parameters) {
        if (const at::Tensor& gradient = parameter.grad(); gradient.defined())
            gradients.push_back(gradient);
    }
    std::vector<at::Tensor> norms;
    if (!gradients.empty())
        norms = at::_foreach_norm(gradients, 2);
    for (std::size_t i = 0; i < parameters.size() && norms.size() < parameters.size(); ++i) {
        if (!parameters[i].grad().defined())
            norms.insert(norms.begin() + static_cast<std::ptrdiff_t>(i),
                         at::zeros({}, parameters[i].options().requires_grad(false)));
    }
    return at::stack(norms);
}

} // namespace lockstep::trainer
