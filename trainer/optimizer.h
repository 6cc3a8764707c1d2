// SPDX-License-Identifier: GPL-3.0-or-later
// SGD and AdamW through LibTorch's fused kernels: one call for all parameters, the same bits as Python's `fused=True`
// (torch::optim's AdamW rounds differently from Python's).
#pragma once

#include "trainer/options.h"

#include <ATen/core/Tensor.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace lockstep::trainer {

class Optimizer {
public:
    Optimizer(std::vector<at::Tensor> parameters, const Options& options);

    void step(double learningRate);
    void zeroGradients(); // in place: gradients are views into the reducer's buckets and must stay so

    [[nodiscard]] double learningRate() const { return m_lr; }

    // State by Python's names, a tensor a parameter: momentum_buffer; or exp_avg, exp_avg_sq and step (0-d floats).
    // Empty when there is none (SGD without momentum).
    struct State {
        std::string name;
        std::vector<at::Tensor> tensors;
    };
    [[nodiscard]] const std::vector<State>& state() const { return m_state; }
    // By Python's names, for a state_dict's param_groups.
    using Hyperparameters = std::vector<std::pair<std::string, std::variant<double, bool, std::vector<double>>>>;
    [[nodiscard]] Hyperparameters hyperparameters() const;
    void stateWasLoaded(std::int64_t stepsDone); // after the tensors of state() were overwritten

private:
    void stepSgd(const std::vector<at::Tensor>& gradients);
    void stepAdamW(const std::vector<at::Tensor>& gradients);

    std::vector<at::Tensor> m_parameters;
    std::vector<State> m_state;
    OptimizerKind m_kind;
    double m_lr;
    double m_decay;
    double m_momentum;
    bool m_nesterov;
    bool m_firstStep = true;
};

} // namespace lockstep::trainer
