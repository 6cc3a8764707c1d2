// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/objective.h"

#include "trainer/failure.h"

#include <ATen/Context.h>
#include <ATen/autocast_mode.h>

namespace lockstep::trainer {

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

Objective::Objective(Model& model, Precision precision, at::Device device)
    : m_model(model), m_precision(precision), m_device(device)
{
    if (!device.is_cuda())
        return;
    at::globalContext().setFloat32MatmulPrecision(precision == Precision::Tf32 ? "high" : "highest");
    at::globalContext().setAllowTF32CuDNN(precision == Precision::Tf32);
}

at::Tensor Objective::scores(const at::Tensor& inputs) const
{
    const AutocastScope autocast(m_precision, m_device.type());
    return m_model.forward(inputs);
}

at::Tensor Objective::loss(const Batch& batch) const
{
    const AutocastScope autocast(m_precision, m_device.type());
    return loss(m_model.forward(batch.inputs), batch.targets);
}

at::Tensor Objective::loss(const at::Tensor& scores, const at::Tensor& targets) const
{
    const AutocastScope autocast(m_precision, m_device.type());
    at::Tensor loss = m_model.loss(scores, targets);
    if (loss.dim() != 0)
        throw Failure(ExitCode::Options, "the model's loss has the shape " + c10::str(loss.sizes()) +
                                             ", but must be one number: the mean over the batch");
    return loss;
}

} // namespace lockstep::trainer
