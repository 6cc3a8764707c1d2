// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/gradients.h"

#include "trainer/failure.h"
#include "trainer/numbertext.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <cmath>

namespace lockstep::trainer {

namespace {

constexpr int kTold = -1;             // of a parameter: it was named, once is enough
constexpr double kClipEpsilon = 1e-6; // of torch.nn.utils.clip_grad_norm_

std::vector<at::Tensor> gradientsOf(const std::vector<at::Tensor>& parameters)
{
    std::vector<at::Tensor> gradients;
    gradients.reserve(parameters.size());
    for (const at::Tensor& parameter : parameters) {
        if (const at::Tensor& gradient = parameter.grad(); gradient.defined())
            gradients.push_back(gradient);
    }
    return gradients;
}

// The norm over those of the parameters, summed in Python's order: there, parameters without a gradient are left out.
at::Tensor totalNorm(at::Tensor norms, const std::vector<at::Tensor>& parameters)
{
    if (static_cast<std::size_t>(norms.numel()) == parameters.size()) { // else they are shards, which have one always
        std::vector<std::int64_t> with;
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            if (parameters[i].grad().defined())
                with.push_back(static_cast<std::int64_t>(i));
        }
        if (with.size() < parameters.size())
            norms = norms.index_select(0, at::tensor(with).to(norms.device()));
    }
    return at::linalg_vector_norm(norms, 2);
}

} // namespace

Gradients::Gradients(const Options& options, Strategy& strategy, GradScaler& scaler, std::vector<std::string> names)
    : m_options(options), m_strategy(strategy), m_scaler(scaler), m_names(std::move(names)),
      m_onCpu(strategy.parameters().front().is_cpu()), m_zeroFor(m_names.size())
{
    const auto floats = at::TensorOptions().dtype(at::kFloat).device(strategy.parameters().front().device());
    if (scaler.enabled()) {
        m_found = scaler.foundInf();
    } else if (options.onNan == OnNan::Skip) {
        m_one = at::ones({}, floats);
        m_found = at::zeros({}, floats);
    }
    if (!m_onCpu)
        m_leaveOut = m_found;
}

bool Gradients::finish(std::int64_t step)
{
    const at::NoGradGuard noGrad;
    ++m_finished;
    settle(); // what the step before sent
    if (m_found.defined())
        check();
    if (m_onCpu) {
        readCheck();
        if (m_leftOut)
            return false;
    }
    const bool asked = m_options.gradNormEvery > 0 && step % m_options.gradNormEvery == 0;
    if (asked || m_options.clipNorm > 0 || m_watching || step % kWatchEvery == 0)
        measure(step);
    if (m_options.clipNorm > 0 || m_options.clipValue > 0)
        clip();
    if (m_onCpu)
        readMeasured();
    return true;
}

void Gradients::check()
{
    if (m_scaler.enabled()) {
        m_scaler.unscale(m_strategy);
        m_checked.begin(at::stack({m_found, m_scaler.scaleOnDevice()}));
    } else {
        multiplyAndCheck(m_strategy, m_one, m_found);
        m_checked.begin(at::stack({m_found, m_one}));
    }
}

void Gradients::readCheck()
{
    const std::optional<at::Tensor> values = m_checked.take();
    m_leftOut = values && (*values)[0].item<float>() != 0;
    if (m_leftOut)
        ++m_skipped;
    else
        m_anyTaken = m_anyTaken || values.has_value();
    if (values && m_scaler.enabled())
        m_lossScale = (*values)[1].item<double>();
}

void Gradients::settle()
{
    if (m_onCpu)
        return;
    readCheck();
    readMeasured();
}

void Gradients::refuseNothingTaken() const
{
    if (!m_found.defined() || m_anyTaken || m_finished == 0)
        return;
    const std::string remedy = m_scaler.enabled()
                                   ? "not with a --loss-scale of " + numberText(m_scaler.scale(), 0) +
                                         " either; does the loss overflow in fp16? --precision bf16 does not"
                                   : "a smaller --lr may help, and --nan stop says at which step it began";
    throw Failure(ExitCode::NanLoss, "nothing was trained: each of the " + std::to_string(m_finished) +
                                         " steps was left out, its gradients were not finite; " + remedy);
}

void Gradients::measure(std::int64_t step)
{
    const at::Tensor norms = m_strategy.gradientNorms();
    m_total = totalNorm(norms, m_strategy.parameters());
    m_measured.begin(at::cat({m_total.reshape({1}), norms}));
    m_measuredStep = step;
}

void Gradients::readMeasured()
{
    const std::optional<at::Tensor> values = m_measured.take();
    if (!values || m_leftOut)
        return;
    const auto norm = (*values)[0].item<double>();
    if (!std::isfinite(norm) && m_options.onNan == OnNan::Stop)
        throw Failure(ExitCode::NanLoss, "the gradients' norm is " + numberText(norm) + " at step " +
                                             std::to_string(m_measuredStep + 1) + "; a smaller --lr may help");
    if (m_options.gradNormEvery > 0 || m_options.clipNorm > 0) // else only the watch wanted it
        m_norm = norm;
    watch(values->slice(0, 1));
}

void Gradients::clip()
{
    const std::vector<at::Tensor> gradients = gradientsOf(m_strategy.parameters());
    if (gradients.empty())
        return;
    if (m_options.clipNorm > 0) {
        const at::Tensor factor = ((m_total + kClipEpsilon).reciprocal() * m_options.clipNorm).clamp_max(1);
        if (!m_onCpu || factor.item<float>() != 1) // times 1 changes nothing, but costs a pass over all
            at::_foreach_mul_(gradients, factor);
    }
    if (m_options.clipValue > 0) {
        at::_foreach_clamp_min_(gradients, -m_options.clipValue);
        at::_foreach_clamp_max_(gradients, m_options.clipValue);
    }
}

void Gradients::watch(const at::Tensor& norms)
{
    const at::Tensor values = norms.contiguous();
    const float* norm = values.const_data_ptr<float>();
    m_watching = false;
    for (std::size_t i = 0; i < m_names.size(); ++i) {
        int& zero = m_zeroFor[i];
        if (zero == kTold)
            continue;
        zero = norm[i] != 0 ? 0 : zero + 1;
        if (zero == kStepsWithout) {
            m_without.push_back(m_names[i]);
            zero = kTold;
        }
        m_watching = m_watching || zero > 0;
    }
}

} // namespace lockstep::trainer
