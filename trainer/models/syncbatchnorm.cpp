// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/models/syncbatchnorm.h"

#include "trainer/failure.h"
#include "trainer/models/batchnorm.h"

#include <torch/csrc/autograd/custom_function.h>

namespace lockstep::trainer {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Variable;
using torch::autograd::variable_list;

constexpr double kEpsilon = BatchNormImpl::kEpsilon;
constexpr double kMomentum = BatchNormImpl::kMomentum;

std::vector<std::int64_t> allButChannels(const at::Tensor& x)
{
    std::vector<std::int64_t> dimensions{0};
    for (std::int64_t i = 2; i < x.dim(); ++i)
        dimensions.push_back(i);
    return dimensions;
}

at::Tensor byChannel(const at::Tensor& values, const at::Tensor& x) // C -> 1×C×1×1
{
    std::vector<std::int64_t> shape(static_cast<std::size_t>(x.dim()), 1);
    shape[1] = -1;
    return values.view(shape);
}

// What the ranks sent.
struct Gathered {
    at::Tensor means;   // ranks × C
    at::Tensor spreads; // ranks × C
    at::Tensor counts;  // ranks
};

Gathered gather(const BatchNormPeers& peers, const at::Tensor& mean, const at::Tensor& spread, std::int64_t count)
{
    const at::Tensor own = at::cat({mean, spread, at::full({1}, count, mean.options())});
    const at::Tensor all = at::stack(peers.allGather(own));
    const std::int64_t channels = mean.numel();
    return {all.narrow(1, 0, channels), all.narrow(1, channels, channels), all.select(1, 2 * channels)};
}

// How the two kinds of device compute; what is said between the ranks is the same.
struct Forward {
    at::Tensor output;
    at::Tensor mean;    // of all ranks
    at::Tensor inverse; // 1 / deviation
    at::Tensor counts;
};

Forward forwardCuda(const BatchNormPeers& peers, const BatchNormImpl& norm, const at::Tensor& x)
{
    auto [mean, inverse] = at::batch_norm_stats(x, kEpsilon);
    const Gathered all = gather(peers, mean, inverse, x.numel() / x.size(1));
    std::tie(mean, inverse) = at::batch_norm_gather_stats_with_counts(
        x, all.means, all.spreads, norm.running_mean, norm.running_var, kMomentum, kEpsilon, all.counts);
    const at::Tensor output = at::batch_norm_elemt(x, norm.weight, norm.bias, mean, inverse, kEpsilon);
    return {output, mean, inverse, all.counts.to(at::kInt)};
}

// The moments of the joined batch from those of its parts (Chan, Golub, LeVeque 1979), in doubles.
Forward forwardCpu(const BatchNormPeers& peers, const BatchNormImpl& norm, const at::Tensor& x)
{
    const std::int64_t count = x.numel() / x.size(1);
    at::Tensor mean = at::zeros_like(norm.running_mean);
    at::Tensor variance = mean;
    if (count > 0)
        std::tie(variance, mean) = at::var_mean(x.to(at::kFloat), allButChannels(x), /*unbiased=*/false);
    const Gathered all = gather(peers, mean, variance, count);
    const at::Tensor counts = all.counts.to(at::kDouble).unsqueeze(1);
    const at::Tensor means = all.means.to(at::kDouble);
    const at::Tensor total = counts.sum();
    const at::Tensor joined = (means * counts).sum(0) / total;
    const at::Tensor squares = ((all.spreads.to(at::kDouble) + (means - joined).square()) * counts).sum(0);
    mean = joined.to(at::kFloat);
    variance = (squares / total).to(at::kFloat);
    norm.running_mean.mul_(1 - kMomentum).add_(mean, kMomentum);
    norm.running_var.mul_(1 - kMomentum).add_((squares / (total - 1).clamp_min(1)).to(at::kFloat), kMomentum);
    at::Tensor output = at::batch_norm(x, norm.weight, norm.bias, mean, variance, /*training=*/false, 0, kEpsilon,
                                       /*cudnn_enabled=*/false);
    return {output, mean, (variance + kEpsilon).rsqrt(), all.counts};
}

struct Sums { // over this rank's batch, each C
    at::Tensor gradient;
    at::Tensor gradientTimesCentred;
};

at::Tensor inputGradientCpu(const at::Tensor& gradient, const at::Tensor& centred, const at::Tensor& weight,
                            const at::Tensor& inverse, const Sums& sums, const at::Tensor& total)
{
    const at::Tensor slope = inverse.square() * sums.gradientTimesCentred / total;
    const at::Tensor along = byChannel(sums.gradient / total, gradient) + centred * byChannel(slope, gradient);
    return (gradient - along) * byChannel(inverse * weight, gradient);
}

// Their sums over all ranks; this rank's own stay what they are.
Sums overRanks(const BatchNormPeers& peers, const Sums& own)
{
    at::Tensor both = at::cat({own.gradient, own.gradientTimesCentred});
    peers.sum(both);
    const std::int64_t channels = own.gradient.numel();
    return {both.narrow(0, 0, channels), both.narrow(0, channels, channels)};
}

struct Call { // what a Function's context cannot hold as tensors
    const BatchNormPeers* peers;
    const BatchNormImpl* norm;
};

class SyncFunction : public torch::autograd::Function<SyncFunction> {
public:
    static Variable forward(AutogradContext* context, const Variable& x, const Variable& weight, const Variable&,
                            const Call& call)
    {
        const Forward done =
            x.is_cuda() ? forwardCuda(*call.peers, *call.norm, x) : forwardCpu(*call.peers, *call.norm, x);
        context->save_for_backward({x, weight, done.mean, done.inverse, done.counts});
        // The form lives as long as its model, and so longer than any graph.
        context->saved_data["peers"] = reinterpret_cast<std::int64_t>(call.peers);
        return done.output;
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients)
    {
        // NOLINTNEXTLINE(performance-no-int-to-ptr): autograd keeps no other kind of value
        const auto& peers = *reinterpret_cast<const BatchNormPeers*>(context->saved_data["peers"].toInt());
        const variable_list saved = context->get_saved_variables();
        return saved[0].is_cuda() ? backwardCuda(peers, saved, gradients[0]) : backwardCpu(peers, saved, gradients[0]);
    }

private:
    static variable_list backwardCpu(const BatchNormPeers& peers, const variable_list& saved, const Variable& output)
    {
        const auto& [x, weight, mean, inverse, counts] = std::tie(saved[0], saved[1], saved[2], saved[3], saved[4]);
        const at::Tensor gradient = output.to(at::kFloat);
        const at::Tensor centred = x.to(at::kFloat) - byChannel(mean, x);
        const std::vector<std::int64_t> dimensions = allButChannels(x);
        const Sums own{gradient.sum(dimensions), (gradient * centred).sum(dimensions)};
        const Sums all = overRanks(peers, own);
        const at::Tensor input =
            inputGradientCpu(gradient, centred, weight, inverse, all, counts.sum()).to(x.scalar_type());
        return {input, own.gradientTimesCentred * inverse, own.gradient, {}};
    }

    static variable_list backwardCuda(const BatchNormPeers& peers, const variable_list& saved, const Variable& output)
    {
        const auto& [x, weight, mean, inverse, counts] = std::tie(saved[0], saved[1], saved[2], saved[3], saved[4]);
        const at::Tensor gradient = output.contiguous(x.suggest_memory_format());
        const auto [sum, sumCentred, weightGradient, biasGradient] =
            at::batch_norm_backward_reduce(gradient, x, mean, inverse, weight, true, true, true);
        const Sums all = overRanks(peers, {sum, sumCentred});
        const at::Tensor input = at::batch_norm_backward_elemt(gradient, x, mean, inverse, weight, all.gradient,
                                                               all.gradientTimesCentred, counts);
        return {input, weightGradient, biasGradient, {}};
    }
};

class SyncForm : public BatchNormForm {
public:
    explicit SyncForm(BatchNormPeers peers) : m_peers(std::move(peers)) {}

    at::Tensor normalise(const BatchNormImpl& norm, const at::Tensor& inputs) override
    {
        const at::Tensor x = inputs.contiguous(inputs.suggest_memory_format());
        return SyncFunction::apply(x, norm.weight, norm.bias, Call{&m_peers, &norm});
    }

private:
    BatchNormPeers m_peers;
};

} // namespace

std::size_t convertSyncBatchNorm(Model& model, const BatchNormPeers& peers)
{
    const auto form = std::make_shared<SyncForm>(peers);
    std::size_t converted = 0;
    for (const auto& module : model.named_modules()) {
        if (auto* norm = module.value()->as<BatchNormImpl>()) {
            ++converted;
            if (peers.world > 1)
                norm->setForm(form);
        } else if (module.value()->name().find("BatchNorm") != std::string::npos) {
            throw Failure(ExitCode::Options, "--sync-batch-norm yes: " + module.key() + " is a " +
                                                 module.value()->name() +
                                                 ", which cannot be turned; lockstep::trainer::BatchNorm of "
                                                 "trainer/models/batchnorm.h can");
        }
    }
    if (converted == 0)
        throw Failure(ExitCode::Options, "--sync-batch-norm yes: this model has no batch norm");
    return converted;
}

} // namespace lockstep::trainer
