// SPDX-License-Identifier: GPL-3.0-or-later
// Batch norm under Python's names, for inputs of N×C, N×C×L and N×C×H×W. Unlike torch::nn::BatchNorm it can be given
// another form: synchronous over the ranks (syncbatchnorm.h). A header alone, for models of the user's own.
#pragma once

#include <ATen/ATen.h>
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include <memory>

namespace lockstep::trainer {

class BatchNormImpl;

class BatchNormForm {
public:
    virtual ~BatchNormForm() = default;
    // In training only: normalises by the batch's statistics and moves the running ones.
    [[nodiscard]] virtual at::Tensor normalise(const BatchNormImpl& norm, const at::Tensor& inputs) = 0;
};

class BatchNormImpl : public torch::nn::Module {
public:
    static constexpr double kEpsilon = 1e-5; // both as in Python
    static constexpr double kMomentum = 0.1;

    explicit BatchNormImpl(std::int64_t channels)
    {
        weight = register_parameter("weight", at::ones({channels}));
        bias = register_parameter("bias", at::zeros({channels}));
        running_mean = register_buffer("running_mean", at::zeros({channels}));
        running_var = register_buffer("running_var", at::ones({channels}));
        num_batches_tracked = register_buffer("num_batches_tracked", at::zeros({}, at::kLong));
    }

    at::Tensor forward(const at::Tensor& inputs)
    {
        if (is_training())
            num_batches_tracked.add_(1);
        if (is_training() && m_form)
            return m_form->normalise(*this, inputs);
        TORCH_CHECK_VALUE(!is_training() || inputs.numel() > inputs.size(1), // as Python
                          "a batch norm cannot train on a batch of one value a channel, such as ", inputs.sizes(),
                          ": its running variance would be no number; with --drop-last yes no batch is that small, or "
                          "choose another --batch");
        return at::batch_norm(inputs, weight, bias, running_mean, running_var, is_training(), kMomentum, kEpsilon,
                              at::globalContext().userEnabledCuDNN());
    }

    void setForm(std::shared_ptr<BatchNormForm> form) { m_form = std::move(form); }

    // NOLINTBEGIN(readability-identifier-naming): Python's names
    at::Tensor weight;
    at::Tensor bias;
    at::Tensor running_mean;
    at::Tensor running_var; // unbiased
    at::Tensor num_batches_tracked;
    // NOLINTEND(readability-identifier-naming)

private:
    std::shared_ptr<BatchNormForm> m_form;
};
TORCH_MODULE(BatchNorm);

} // namespace lockstep::trainer
