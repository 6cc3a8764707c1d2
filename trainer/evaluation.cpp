// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/evaluation.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

namespace lockstep::trainer {

namespace {

// Larger than in training where images are small: nothing is kept for a backward.
constexpr std::int64_t kMostSamples = 256;
constexpr std::int64_t kMostInputs = 1 << 18;
constexpr std::int64_t kTop = 5;

std::int64_t batchFor(const Options& options, const SampleShape& shape)
{
    if (shape.kind == SampleKind::Tokens) // scores of a whole vocabulary for each
        return options.batch;
    return std::max(options.batch, std::min(kMostSamples, kMostInputs / shape.inputs()));
}

// Sums over a batch: the loss of each prediction, the right ones, those right within five, and how many there are.
at::Tensor sumsOf(Model& model, const at::Tensor& scores, const at::Tensor& targets)
{
    const auto predictions = static_cast<double>(targets.numel());
    const at::Tensor loss = model.loss(scores, targets).to(at::kDouble) * predictions;
    const at::Tensor rows = scores.flatten(0, -2);
    const at::Tensor wanted = targets.flatten();
    const at::Tensor right = rows.argmax(1).eq(wanted).sum();
    const at::Tensor best = std::get<1>(rows.topk(std::min(kTop, rows.size(1)), 1));
    const at::Tensor rightInTop = best.eq(wanted.unsqueeze(1)).sum();
    return at::stack({loss, right.to(at::kDouble), rightInTop.to(at::kDouble), at::full_like(loss, predictions)});
}

} // namespace

bool evaluationDue(const Options& options, const Progress& progress, std::int64_t lastStep)
{
    return options.evaluateEvery > 0 && (progress.epoch % options.evaluateEvery == 0 || progress.step >= lastStep);
}

TestResult evaluate(Strategy& strategy, Model& model, const Dataset& tests, ProcessGroup& group, const Device& device,
                    const Options& options)
{
    const at::NoGradGuard noGrad;
    strategy.settle();
    model.eval();
    const DistributedSampler sampler(tests.count(), {group.world(), group.rank(), Order::AsStored, Remainder::Join});
    Loader loader(tests, {.batch = batchFor(options, tests.shape()), .device = device.tensors});
    loader.begin(sampler.share(0), {});
    at::Tensor sums = at::zeros({4}, at::TensorOptions(at::kDouble).device(device.tensors));
    while (loader.left() > 0) {
        const Batch batch = toDevice(loader.next(), device);
        const at::Tensor scores = strategy.evaluate(batch.inputs).to(at::kFloat);
        if (batch.samples > 0) // else the others had more, and a sharded model needs everybody for a forward
            sums += sumsOf(model, scores, batch.targets);
    }
    model.train();

    at::Tensor all = at::zeros({4}, at::kDouble);
    for (const at::Tensor& ofRank : group.allGather(sums.cpu()))
        all += ofRank;
    const double predictions = all[3].item<double>();
    TestResult result{all[0].item<double>() / predictions, all[1].item<double>() / predictions,
                      all[2].item<double>() / predictions, std::nullopt};
    if (tests.shape().kind == SampleKind::Tokens)
        result.perplexity = std::exp(result.loss);
    return result;
}

StandInScope::StandInScope(Model& model, const Batch& batch) : m_model(batch.samples == 0 ? &model : nullptr)
{
    if (m_model != nullptr)
        m_model->eval();
}

StandInScope::~StandInScope()
{
    if (m_model != nullptr)
        m_model->train();
}

} // namespace lockstep::trainer
