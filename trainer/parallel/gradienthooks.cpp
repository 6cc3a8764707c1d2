// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/parallel/gradienthooks.h"

#include <torch/csrc/autograd/function_hook.h>

namespace lockstep::trainer {

namespace {

class ClockHook : public torch::autograd::FunctionPostHook {
public:
    explicit ClockHook(StepClock& clock) : m_clock(clock) {}

    torch::autograd::variable_list operator()(const torch::autograd::variable_list& outputs,
                                              const torch::autograd::variable_list&) override
    {
        m_clock.mark(StepClock::Mark::LastGradient);
        return outputs;
    }

private:
    StepClock& m_clock;
};

at::Tensor onlyTensor(const c10::IValue& value) // a collective's future has a list, a hook's own one tensor
{
    return value.isTensor() ? value.toTensor() : value.toTensorVector().at(0);
}

// The bucket is divided after it was cut to bf16, then summed in bf16: the order of Python's hook, and so its bits.
class Bf16Hook : public c10d::CommHookInterface {
public:
    explicit Bf16Hook(c10::intrusive_ptr<c10d::ProcessGroup> group) : m_group(std::move(group)) {}

    c10::intrusive_ptr<c10::ivalue::Future> runHook(c10d::GradBucket& bucket) override
    {
        const at::Tensor& buffer = bucket.getBuffer(); // the future below keeps a handle of its own
        std::vector<at::Tensor> small{buffer.to(at::kBFloat16).div_(m_group->getSize())};
        return m_group->allreduce(small)->getFuture()->then(
            [buffer](c10::ivalue::Future& reduced) -> c10::IValue {
                buffer.copy_(onlyTensor(reduced.value()));
                return buffer;
            },
            c10::TensorType::get());
    }

    at::Tensor parseHookResult(const c10::IValue& result) override { return onlyTensor(result); }

private:
    c10::intrusive_ptr<c10d::ProcessGroup> m_group;
};

} // namespace

std::vector<Accumulator> markGradients(const std::vector<at::Tensor>& parameters, StepClock& clock)
{
    std::vector<Accumulator> accumulators;
    accumulators.reserve(parameters.size());
    for (const at::Tensor& parameter : parameters) {
        accumulators.push_back(torch::autograd::impl::grad_accumulator(parameter));
        accumulators.back()->add_post_hook(std::make_unique<ClockHook>(clock));
    }
    return accumulators;
}

void compressGradients(c10d::Reducer& reducer, const c10::intrusive_ptr<c10d::ProcessGroup>& group,
                       Compression compression)
{
    switch (compression) {
    case Compression::None:
        break;
    case Compression::Fp16:
        reducer.register_builtin_comm_hook(c10d::BuiltinCommHookType::FP16_COMPRESS);
        break;
    case Compression::Bf16:
        reducer.register_comm_hook(std::make_unique<Bf16Hook>(group));
        break;
    }
}

} // namespace lockstep::trainer
