// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/objective.h"

#include "trainer/failure.h"
#include "trainer/models/randomstate.h"

#include <ATen/Context.h>
#include <ATen/autocast_mode.h>

#include <cmath>

namespace lockstep::trainer {

namespace {

constexpr double kNearTwice = 0.25; // of a loss; a sum doubles but for rounding, a mean stays
constexpr std::int64_t kMadeUpSamples = 2;

Batch madeUp(const SampleShape& shape, at::Device device)
{
    const auto whole = at::TensorOptions(at::kLong).device(device);
    Batch batch;
    batch.samples = kMadeUpSamples;
    if (shape.kind == SampleKind::Image) {
        batch.inputs = at::linspace(-1, 1, kMadeUpSamples * shape.inputs(), whole.dtype(at::kFloat))
                           .view({kMadeUpSamples, shape.channels, shape.height, shape.width});
        batch.targets = at::arange(kMadeUpSamples, whole).remainder(shape.classes);
    } else {
        batch.inputs = at::arange(kMadeUpSamples * shape.context, whole).remainder(shape.classes);
        batch.inputs = batch.inputs.view({kMadeUpSamples, shape.context});
        batch.targets = batch.inputs;
        batch.tokens = batch.inputs.numel();
    }
    return batch;
}

at::Tensor scalar(at::Tensor loss)
{
    if (loss.dim() != 0)
        throw Failure(ExitCode::Options, "the model's loss has the shape " + c10::str(loss.sizes()) +
                                             ", but must be one number: the mean over the batch");
    return loss;
}

} // namespace

AutocastScope::AutocastScope(Precision precision, at::DeviceType device)
    : m_device(device), m_on(precision == Precision::Bf16 || precision == Precision::Fp16)
{
    if (!m_on)
        return;
    m_before = at::autocast::is_autocast_enabled(m_device);
    m_typeBefore = at::autocast::get_autocast_dtype(m_device);
    at::autocast::set_autocast_enabled(m_device, true);
    at::autocast::set_autocast_dtype(m_device, precision == Precision::Bf16 ? at::kBFloat16 : at::kHalf);
    at::autocast::increment_nesting();
}

AutocastScope::~AutocastScope()
{
    if (!m_on)
        return;
    if (at::autocast::decrement_nesting() == 0)
        at::autocast::clear_cache();
    at::autocast::set_autocast_enabled(m_device, m_before);
    at::autocast::set_autocast_dtype(m_device, m_typeBefore);
}

Objective::Objective(Model& model, const Options& options, at::Device device)
    : m_model(model), m_precision(options.precision), m_device(device), m_channelsLast(options.channelsLast)
{
    if (!device.is_cuda()) {
        if (m_precision == Precision::Tf32)
            throw Failure(ExitCode::Options,
                          "--precision tf32 is a way of GPUs to multiply; on a CPU take fp32 or bf16");
        return;
    }
    at::globalContext().setFloat32MatmulPrecision(m_precision == Precision::Tf32 ? "high" : "highest");
    at::globalContext().setAllowTF32CuDNN(m_precision == Precision::Tf32);
}

Objective::Objective(const Objective& like, Model& model, at::Device device)
    : m_model(model), m_precision(like.m_precision), m_device(device), m_channelsLast(like.m_channelsLast)
{
}

at::Tensor Objective::laidOut(const at::Tensor& inputs) const
{
    return m_channelsLast == Switch::Yes && inputs.dim() == 4 ? inputs.contiguous(at::MemoryFormat::ChannelsLast)
                                                              : inputs;
}

at::Tensor Objective::scores(const at::Tensor& inputs) const
{
    const AutocastScope autocast(m_precision, m_device.type());
    return m_model.forward(laidOut(inputs));
}

at::Tensor Objective::loss(const Batch& batch) const
{
    const AutocastScope autocast(m_precision, m_device.type());
    return scalar(m_model.lossOf(laidOut(batch.inputs), batch.targets));
}

at::Tensor Objective::loss(const at::Tensor& scores, const at::Tensor& targets) const
{
    const AutocastScope autocast(m_precision, m_device.type());
    return scalar(m_model.loss(scores, targets));
}

void checkLoss(const Objective& objective, const Options& options, const SampleShape& shape)
{
    if (options.model != ModelKind::Library && options.model != ModelKind::TorchScript)
        return;
    const at::NoGradGuard noGrad;
    const RandomState random = RandomState::now(objective.device());
    objective.model().eval(); // nothing is dropped out, and no running mean moves
    const Batch once = madeUp(shape, objective.device());
    const Batch twice{at::cat({once.inputs, once.inputs}), at::cat({once.targets, once.targets}), 2 * once.samples,
                      2 * once.tokens};
    const auto loss = objective.loss(once).item<double>();
    const auto doubled = objective.loss(twice).item<double>();
    objective.model().train();
    random.restore();
    if (std::abs(doubled - 2 * loss) < kNearTwice * std::abs(loss))
        throw Failure(ExitCode::Options,
                      "the model's loss of a batch given twice is " + std::to_string(doubled) + ", of the batch " +
                          std::to_string(loss) +
                          ": it is a sum over the batch and must be the mean, or ranks and batches of other sizes "
                          "would weigh otherwise");
}

} // namespace lockstep::trainer
