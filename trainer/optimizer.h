// SPDX-License-Identifier: GPL-3.0-or-later
// SGD, Adam and AdamW through LibTorch's fused kernels: one call for all parameters, the same bits as Python's
// `fused=True` (torch::optim's rounds differently from Python's). As there, a parameter without a gradient is left as
// it is, and counts its own steps.
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

    // `leaveOut`: undefined, or a float of one element on the parameters' device: where it is 1, the device leaves the
    // step out and nobody waits to learn it.
    void step(double learningRate, const at::Tensor& leaveOut = {});
    // Forgets them, as Python: backward then writes into the reducer's buckets instead of adding to zeros, and a
    // parameter that no rank used in a step has none.
    void zeroGradients();

    [[nodiscard]] double learningRate() const { return m_lr; }

    // State by Python's names, a tensor a parameter: momentum_buffer; or exp_avg, exp_avg_sq and step (0-d floats).
    // Empty when there is none (SGD without momentum). Python makes the state of a parameter with its first gradient;
    // here it is there from the start, as zeros, which means the same.
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
    using Tensors = std::vector<at::Tensor>;
    struct Stepped { // parameters that have a gradient, and of each part of the state what belongs to them
        Tensors parameters;
        std::vector<Tensors> state;
    };
    [[nodiscard]] Stepped withGradient() const;
    void stepSgd(const Stepped& stepped, const at::Tensor& leaveOut);
    void stepAdam(const Stepped& stepped, const at::Tensor& leaveOut);

    std::vector<State> m_state;
    Stepped m_all;
    Tensors m_gradients; // during step(): those that there are
    OptimizerKind m_kind;
    double m_lr;
    double m_decay;
    double m_momentum;
    double m_beta1;
    double m_beta2;
    double m_epsilon;
    bool m_nesterov;
    bool m_firstStep = true;
};

} // namespace lockstep::trainer
