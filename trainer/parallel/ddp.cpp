// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/parallel/ddp.h"

#include "trainer/parallel/processgrouphandle.h"
#include "trainer/torchversion.h"

#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/csrc/distributed/c10d/logger.hpp>
#include <torch/csrc/distributed/c10d/reducer.hpp>

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace lockstep::trainer {

namespace {

std::int64_t asBytes(double mib)
{
    return static_cast<std::int64_t>(mib * 1024 * 1024);
}

// intrusive_ptr in the newest versions, shared_ptr before.
using Accumulator = decltype(torch::autograd::impl::grad_accumulator(std::declval<at::Tensor>()));

class GradientHook : public torch::autograd::FunctionPostHook {
public:
    explicit GradientHook(StepClock& clock) : m_clock(clock) {}

    torch::autograd::variable_list operator()(const torch::autograd::variable_list& outputs,
                                              const torch::autograd::variable_list&) override
    {
        m_clock.mark(StepClock::Mark::LastGradient);
        return outputs;
    }

private:
    StepClock& m_clock;
};

// One bucket for the first backward; rebuild_buckets() then makes the real ones in the order in which gradients came.
// (The assignment is by parameters in order; backward meets the last ones first, so it is reversed.)
std::vector<std::vector<std::size_t>> firstBuckets(const std::vector<at::Tensor>& parameters)
{
    auto [buckets, limits] = c10d::compute_bucket_assignment_by_size(
        parameters, {std::numeric_limits<std::size_t>::max()}, std::vector<bool>(parameters.size(), false));
    std::ranges::reverse(buckets);
    return buckets;
}

} // namespace

struct Ddp::State {
    const Objective& objective;
    DdpOptions options;
    ProcessGroup& peers;
    c10::intrusive_ptr<c10d::ProcessGroup> group;
    std::vector<at::Tensor> parameters; // that need a gradient
    std::vector<at::Tensor> buffers;
    std::vector<Accumulator> accumulators; // they hold our hooks; autograd keeps only weak pointers
    std::shared_ptr<c10d::Reducer> reducer;
    std::shared_ptr<c10d::Logger> logger; // refers to the reducer: destroyed first
};

Ddp::Ddp(ProcessGroup& group, const Objective& objective, const DdpOptions& options, StepClock& clock)
    : m_state(new State{objective, options, group, group.handle().group, {}, objective.model().buffers(), {}, {}, {}})
{
    std::vector<at::Tensor>& parameters = m_state->parameters;
    std::vector<at::Tensor> everything;
    std::unordered_map<std::size_t, std::string> names;
    for (const auto& parameter : objective.model().named_parameters()) {
        everything.push_back(parameter.value().detach());
        if (!parameter.value().requires_grad())
            continue;
        names[parameters.size()] = parameter.key();
        parameters.push_back(parameter.value());
    }
    c10d::verify_params_across_processes(m_state->group, parameters, std::nullopt);
    for (const at::Tensor& buffer : m_state->buffers)
        everything.push_back(buffer.detach());
    group.broadcast(everything);

    for (const at::Tensor& parameter : parameters) { // before the reducer's own hooks, which may start an all-reduce
        auto accumulator = torch::autograd::impl::grad_accumulator(parameter);
        accumulator->add_post_hook(std::make_unique<GradientHook>(clock));
        m_state->accumulators.push_back(std::move(accumulator));
    }
    m_state->reducer = std::make_shared<c10d::Reducer>(
        parameters, firstBuckets(parameters), m_state->group, std::vector<bool>(parameters.size(), false),
        asBytes(options.bucketMib), options.findUnused, options.bucketViews, names, asBytes(options.firstBucketMib),
        /*skip_all_reduce_unused_params=*/false, /*use_python_reducer=*/false,
        std::vector<std::int64_t> {} LOCKSTEP_REDUCER_TAIL);
    m_state->logger = std::make_shared<c10d::Logger>(m_state->reducer);
    m_state->reducer->set_logger(m_state->logger);
    m_state->logger->set_construction_data_and_log(objective.model().name(), {}, -1, options.broadcastBuffers,
                                                   /*has_sync_bn=*/false, options.staticGraph);
}

Ddp::~Ddp()
{
    m_state->logger.reset();
    m_state->reducer.reset();
}

const std::vector<at::Tensor>& Ddp::parameters() const
{
    return m_state->parameters;
}

at::Tensor Ddp::forward(const Batch& batch, Sync sync)
{
    if (sync == Sync::Later)
        return m_state->objective.loss(batch);
    m_state->logger->set_runtime_stats_and_log();
    m_state->reducer->prepare_for_forward();
    m_state->reducer->rebuild_buckets();
    if (!m_state->buffers.empty() && m_state->options.broadcastBuffers)
        m_state->peers.broadcast(m_state->buffers);
    at::Tensor loss = m_state->objective.loss(batch);
    m_state->reducer->prepare_for_backward({});
    return loss;
}

void Ddp::backward(const at::Tensor& loss)
{
    loss.backward();
}

at::Tensor Ddp::evaluate(const at::Tensor& inputs)
{
    return m_state->objective.scores(inputs);
}

void Ddp::gather(const std::vector<at::Tensor>& parts, const Visit& visit)
{
    for (std::size_t i = 0; i < parts.size(); ++i)
        visit(i, parts[i].detach());
}

void Ddp::scatter(const Fetch& whole, const std::vector<at::Tensor>& parts)
{
    const at::NoGradGuard noGrad;
    for (std::size_t i = 0; i < parts.size() && m_state->peers.rank() == 0; ++i)
        parts[i].detach().copy_(whole(i));
    std::vector<at::Tensor> tensors;
    for (const at::Tensor& part : parts)
        tensors.push_back(part.detach());
    m_state->peers.broadcast(tensors);
}

at::Tensor Ddp::gradientSquares()
{
    std::vector<at::Tensor> squares;
    for (const at::Tensor& parameter : m_state->parameters)
        squares.push_back(parameter.grad().defined() ? parameter.grad().norm().square()
                                                     : at::zeros({}, parameter.options().requires_grad(false)));
    return at::stack(squares);
}

void Ddp::anyRank(at::Tensor&) {} // the reduced gradients are the same on all ranks

} // namespace lockstep::trainer
