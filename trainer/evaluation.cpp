// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/evaluation.h"

#include "trainer/data/loader.h"

#include <ATen/ATen.h>

#include <cmath>

namespace lockstep::trainer {

namespace {

constexpr std::int64_t kBatch = 256; // larger than in training: nothing is kept for a backward

} // namespace

double Evaluation::perplexity() const
{
    return std::exp(loss);
}

Evaluation evaluate(Strategy& strategy, Model& model, const Dataset& tests, ProcessGroup& group, const Device& device,
                    const Options&)
{
    const at::NoGradGuard noGrad;
    model.eval();
    const DistributedSampler sampler(tests.count(), {group.world(), group.rank(), Order::AsStored, Remainder::Join});
    Loader loader(tests, {.batch = kBatch, .device = device.tensors});
    loader.begin(sampler.share(0), {});

    at::Tensor sums = at::zeros({3}, at::kDouble); // loss, right answers, samples
    while (loader.left() > 0) {
        const Batch batch = toDevice(loader.next(), device);
        const at::Tensor scores = strategy.evaluate(batch.inputs);
        const at::Tensor loss = at::cross_entropy_loss(scores, batch.targets, {}, at::Reduction::Sum);
        const at::Tensor right = scores.argmax(1).eq(batch.targets).sum();
        sums[0] += loss.item<double>();
        sums[1] += right.item<double>();
        sums[2] += static_cast<double>(batch.samples);
    }
    model.train();
    group.sum(sums);
    const double samples = sums[2].item<double>();
    return {sums[0].item<double>() / samples, sums[1].item<double>() / samples};
}

} // namespace lockstep::trainer
