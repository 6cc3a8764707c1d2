// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/parallel/ddp.h"

#include "trainer/models/parameters.h"
#include "trainer/parallel/gradienthooks.h"
#include "trainer/parallel/gradientnorms.h"
#include "trainer/parallel/processgrouphandle.h"
#include "trainer/torchversion.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/distributed/c10d/logger.hpp>

#include <algorithm>
#include <limits>
#include <sstream>
#include <unordered_map>

namespace lockstep::trainer {

namespace {

constexpr double kNanosecondsPerMs = 1e6;

std::int64_t asBytes(double mib)
{
    return static_cast<std::int64_t>(mib * 1024 * 1024);
}

std::int64_t firstBucketBytes(const DdpOptions& options)
{
    return asBytes(std::min(options.firstBucketMib, options.bucketMib));
}

// One bucket for the first backward; rebuild_buckets() then makes the real ones in the order in which gradients came.
// With unused parameters there is no such order: these buckets stay. (The assignment is by parameters in order;
// backward meets the last ones first, so it is reversed.)
std::vector<std::vector<std::size_t>> firstBuckets(const std::vector<at::Tensor>& parameters, const DdpOptions& options)
{
    std::vector<std::size_t> limits{std::numeric_limits<std::size_t>::max()};
    if (options.findUnused && !options.staticGraph) {
        limits = {static_cast<std::size_t>(asBytes(options.bucketMib))};
        if (firstBucketBytes(options) < asBytes(options.bucketMib))
            limits.insert(limits.begin(), static_cast<std::size_t>(firstBucketBytes(options)));
    }
    auto [buckets, sizes] =
        c10d::compute_bucket_assignment_by_size(parameters, limits, std::vector<bool>(parameters.size(), false));
    std::ranges::reverse(buckets);
    return buckets;
}

template <typename Numbers>
std::string joined(const Numbers& numbers, char between)
{
    std::ostringstream text;
    for (std::size_t i = 0; i < numbers.size(); ++i)
        text << (i > 0 ? std::string(1, between) : std::string()) << numbers[i];
    return text.str();
}

} // namespace

struct Ddp::State {
    const Objective& objective;
    DdpOptions options;
    ProcessGroup& peers;
    c10::intrusive_ptr<c10d::ProcessGroup> group;
    std::vector<at::Tensor> parameters{}; // that need a gradient
    std::vector<at::Tensor> buffers{};
    std::vector<Accumulator> accumulators{};
    std::shared_ptr<c10d::Reducer> reducer{};
    std::shared_ptr<c10d::Logger> logger{}; // refers to the reducer: destroyed first
    bool buffersDiffer = false;             // between ranks: each has seen its own batches
    bool broadcastNext = true;
    bool firstReduceDelayed = false; // of a static graph
};

Ddp::Ddp(ProcessGroup& group, const Objective& objective, const DdpOptions& options, StepClock& clock)
    : m_state(new State{.objective = objective,
                        .options = options,
                        .peers = group,
                        .group = group.handle().group,
                        .buffers = objective.model().buffers()})
{
    std::vector<at::Tensor>& parameters = m_state->parameters;
    std::vector<at::Tensor> everything;
    std::unordered_map<std::size_t, std::string> names;
    for (const auto& [name, parameter] : distinctParameters(objective.model())) {
        everything.push_back(parameter.detach());
        if (!parameter.requires_grad())
            continue;
        names[parameters.size()] = name;
        parameters.push_back(parameter);
    }
    c10d::verify_params_across_processes(m_state->group, parameters, std::nullopt);
    for (const at::Tensor& buffer : m_state->buffers)
        everything.push_back(buffer.detach());
    group.broadcast(everything);

    m_state->accumulators = markGradients(parameters, clock);
    // Copying a bucket's gradients by one kernel instead of one each saves launches on a GPU; a CPU has none.
    [[maybe_unused]] const bool batchedCopy = objective.device().is_cuda();
    m_state->reducer = std::make_shared<c10d::Reducer>(
        parameters, firstBuckets(parameters, options), m_state->group, std::vector<bool>(parameters.size(), false),
        asBytes(options.bucketMib), options.findUnused, options.bucketViews, names, firstBucketBytes(options),
        /*skip_all_reduce_unused_params=*/false, /*use_python_reducer=*/false,
        std::vector<std::int64_t> {} LOCKSTEP_REDUCER_TAIL(batchedCopy));
    m_state->logger = std::make_shared<c10d::Logger>(m_state->reducer);
    m_state->reducer->set_logger(m_state->logger);
    m_state->logger->set_construction_data_and_log(objective.model().name(), {}, -1, options.broadcastBuffers,
                                                   /*has_sync_bn=*/false, options.staticGraph);
    if (options.staticGraph) {
        m_state->reducer->set_static_graph();
        m_state->logger->set_static_graph();
    }
    compressGradients(*m_state->reducer, m_state->group, options.compression);
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
    State& s = *m_state;
    if (sync == Sync::Now) {
        s.logger->set_runtime_stats_and_log();
        s.reducer->prepare_for_forward();
    }
    s.reducer->rebuild_buckets(); // before the second step, and never again
    if (s.broadcastNext && s.options.broadcastBuffers)
        broadcastBuffers();
    at::Tensor loss = s.objective.loss(batch);
    s.buffersDiffer = true;
    s.broadcastNext = sync == Sync::Now; // as Python: once a step, before its first forward
    if (sync == Sync::Later)
        return loss;
    if (s.options.findUnused && !s.options.staticGraph)
        s.reducer->prepare_for_backward({loss});
    else
        s.reducer->prepare_for_backward({});
    if (s.options.staticGraph && !s.firstReduceDelayed) {
        // The first backward only counts how often each gradient comes; all are reduced at its end. Without this they
        // would never be, and the ranks drift apart. (Python's _DDPSink does the same.)
        s.firstReduceDelayed = true;
        loss.register_hook([reducer = s.reducer.get()](const at::Tensor&) {
            torch::autograd::Engine::get_default_engine().queue_callback([reducer] { reducer->delay_all_reduce(); });
        });
    }
    return loss;
}

void Ddp::broadcastBuffers()
{
    if (m_state->buffersDiffer && !m_state->buffers.empty())
        m_state->peers.broadcast(m_state->buffers);
    m_state->buffersDiffer = false;
}

void Ddp::settle()
{
    m_state->buffersDiffer = true; // a graph's replay moves them and does not come by forward()
    if (m_state->options.broadcastBuffers)
        broadcastBuffers();
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
    m_state->peers.barrier(ProcessGroup::kDiskPatience);
    std::vector<at::Tensor> tensors;
    tensors.reserve(parts.size());
    for (const at::Tensor& part : parts)
        tensors.push_back(part.detach());
    m_state->peers.broadcast(tensors);
}

at::Tensor Ddp::gradientNorms()
{
    return normsOfGradients(m_state->parameters);
}

void Ddp::anyRank(at::Tensor&) {} // the reduced gradients are the same on all ranks

Facts Ddp::facts() const
{
    const at::DDPLoggingData data = m_state->logger->get_ddp_logging_data();
    const std::vector<std::vector<std::size_t>> order = m_state->logger->get_per_bucket_variable_indices();
    std::vector<std::string> orders;
    orders.reserve(order.size());
    for (const std::vector<std::size_t>& bucket : order)
        orders.push_back(joined(bucket, ','));
    Facts facts{{"buckets", static_cast<std::int64_t>(order.size())},
                {"bucket_bytes", joined(m_state->logger->get_bucket_sizes(), ',')},
                {"bucket_order", joined(orders, ';')}};
    const auto add = [&](std::string_view key, const char* name) {
        if (const auto found = data.ints_map.find(name); found != data.ints_map.end())
            facts.emplace_back(key, static_cast<double>(found->second) / kNanosecondsPerMs);
    };
    add("ddp_forward_ms", "avg_forward_compute_time");
    add("ddp_backward_ms", "avg_backward_compute_time");
    add("ddp_communication_ms", "avg_backward_comm_time");
    add("ddp_overlap_ms", "avg_backward_compute_comm_overlap_time");
    return facts;
}

} // namespace lockstep::trainer
