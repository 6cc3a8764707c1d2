// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/parallel/fsdpunit.h"

#include "trainer/parallel/shardexchange.h"
#include "trainer/parallel/unitlayout.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/utils/lambda_post_hook.h>
#include <torch/csrc/autograd/variable.h>

#include <utility>

namespace lockstep::trainer {

namespace {

// The same storage with memory of another size; its contents are gone. (resize_bytes_cpu would know CPUs only.)
void reallocate(const at::Tensor& tensor, std::int64_t elements)
{
    c10::StorageImpl* storage = tensor.storage().unsafeGetStorageImpl();
    const std::size_t bytes = static_cast<std::size_t>(elements) * tensor.element_size();
    storage->set_data_ptr_noswap(storage->allocator()->allocate(bytes));
    storage->set_nbytes(bytes);
}

// intrusive_ptr in the newest versions, shared_ptr before.
using Accumulator = decltype(torch::autograd::impl::grad_accumulator(std::declval<at::Tensor>()));

struct Member : UnitLayout::Member {
    at::Tensor parameter;              // the module's own
    at::Tensor kept{};                 // gradients of earlier micro-batches, in fp32
    Accumulator accumulator = nullptr; // holds our hook; autograd keeps only a weak pointer
};

using Pending = std::unique_ptr<ShardExchange::Pending>;

} // namespace

struct FsdpUnit::State {
    std::string name;
    at::ScalarType type;
    ProcessGroup& peers;
    ShardExchange& exchange;
    Wait wait;
    std::vector<Member> members{};
    std::vector<at::Tensor> slices{};
    std::int64_t perRank = 0;
    at::Tensor shard{}; // fp32, perRank
    at::Tensor full{};  // perRank * world
    bool whole = false;
    Pending gathering{};
    std::size_t came = 0; // gradients, in this backward
    Pending reduction{};
    std::vector<at::Tensor> reduced{};
    std::vector<bool> had{};
};

FsdpUnit::FsdpUnit(std::string name, const std::vector<at::Tensor>& parameters, at::ScalarType type,
                   ProcessGroup& group, ShardExchange& exchange, Wait wait)
    : m_state(new State{.name = std::move(name),
                        .type = type,
                        .peers = group,
                        .exchange = exchange,
                        .wait = std::move(wait),
                        .had = std::vector<bool>(parameters.size())})
{
    const at::NoGradGuard noGrad;
    State& s = *m_state;
    const UnitLayout layout(parameters, group.rank(), group.world());
    for (std::size_t i = 0; i < parameters.size(); ++i)
        s.members.push_back({layout.members[i], parameters[i]});
    s.perRank = layout.perRank;
    const std::int64_t all = s.perRank * group.world();
    const at::TensorOptions options = parameters.front().options().dtype(at::kFloat).requires_grad(false);
    at::Tensor flat = at::zeros({all}, options);
    for (const Member& member : s.members)
        member.in(flat).copy_(member.parameter);
    group.broadcast({flat});
    s.shard = flat.narrow(0, s.perRank * group.rank(), s.perRank).clone();
    for (const Member& member : s.members)
        s.slices.push_back(member.sliceOf(s.shard).detach().set_requires_grad(true));
    flat.reset();

    s.full = at::empty({all}, options.dtype(type));
    for (Member& member : s.members)
        member.parameter.set_data(member.in(s.full));
    free();
}

FsdpUnit::~FsdpUnit() = default;

const std::string& FsdpUnit::name() const
{
    return m_state->name;
}

double FsdpUnit::mib() const
{
    std::int64_t elements = 0;
    for (const Member& member : m_state->members)
        elements += member.elements;
    return static_cast<double>(elements) * sizeof(float) / (1 << 20);
}

const std::vector<at::Tensor>& FsdpUnit::slices() const
{
    return m_state->slices;
}

void FsdpUnit::gather()
{
    State& s = *m_state;
    if (s.whole || s.gathering)
        return;
    const at::NoGradGuard noGrad;
    reallocate(s.full, s.full.numel());
    s.gathering = s.exchange.gather(s.shard.to(s.type), s.full); // the shard itself where the types agree
}

void FsdpUnit::await()
{
    State& s = *m_state;
    gather();
    if (s.whole)
        return;
    s.wait([&s] { s.gathering->wait(); });
    s.gathering.reset();
    s.whole = true;
}

void FsdpUnit::free()
{
    State& s = *m_state;
    if (s.gathering)
        await(); // gathered ahead, but not run
    reallocate(s.full, 0);
    s.whole = false;
}

void FsdpUnit::whenGradientsAreReady(std::function<void()> ready)
{
    State& s = *m_state;
    const auto shared = std::make_shared<std::function<void()>>(std::move(ready));
    for (Member& member : s.members) {
        // Asked for only now: it remembers type and shape.
        member.accumulator = torch::autograd::impl::grad_accumulator(member.parameter);
        member.accumulator->add_post_hook(std::make_unique<torch::autograd::utils::LambdaPostHook>(
            [&s, shared](const torch::autograd::variable_list& outputs, const torch::autograd::variable_list&) {
                if (++s.came == s.members.size()) {
                    s.came = 0;
                    (*shared)();
                }
                return outputs;
            }));
    }
}

bool FsdpUnit::someGradients() const
{
    return m_state->came > 0;
}

void FsdpUnit::keepGradients()
{
    const at::NoGradGuard noGrad;
    m_state->came = 0;
    for (Member& member : m_state->members) {
        at::Tensor& gradient = member.parameter.mutable_grad();
        if (!gradient.defined() || gradient.scalar_type() == at::kFloat)
            continue; // autograd itself adds the next ones
        if (member.kept.defined())
            member.kept.add_(gradient);
        else
            member.kept = gradient.to(at::kFloat);
        gradient.reset();
    }
}

void FsdpUnit::startReduction()
{
    State& s = *m_state;
    const at::NoGradGuard noGrad;
    at::Tensor flat = at::empty({s.full.numel()}, s.shard.options());
    std::int64_t filled = 0;
    for (std::size_t i = 0; i < s.members.size(); ++i) {
        Member& member = s.members[i];
        flat.narrow(0, filled, member.offset - filled).zero_(); // the gap before it
        filled = member.offset + member.elements;
        at::Tensor& gradient = member.parameter.mutable_grad();
        if (member.kept.defined() && gradient.defined())
            member.kept.add_(gradient);
        const at::Tensor& source = member.kept.defined() ? member.kept : gradient;
        if (source.defined())
            member.in(flat).copy_(source);
        else
            member.in(flat).zero_();
        s.had[i] = s.had[i] || source.defined();
        gradient.reset();
        member.kept.reset();
    }
    flat.narrow(0, filled, flat.numel() - filled).zero_();
    s.came = 0;

    at::Tensor own = at::empty({s.perRank}, s.shard.options());
    s.reduction = s.exchange.mean(flat, own);
    s.reduced.push_back(own);
}

bool FsdpUnit::reducing() const
{
    return static_cast<bool>(m_state->reduction);
}

void FsdpUnit::finishReduction()
{
    State& s = *m_state;
    s.wait([&s] { s.reduction->wait(); });
    s.reduction.reset();
}

const std::vector<bool>& FsdpUnit::had() const
{
    return m_state->had;
}

void FsdpUnit::addGradients(const std::vector<bool>& wanted)
{
    State& s = *m_state;
    const at::NoGradGuard noGrad;
    for (const at::Tensor& reduced : std::exchange(s.reduced, {})) {
        for (std::size_t i = 0; i < s.members.size(); ++i) {
            if (!wanted[i])
                continue;
            at::Tensor& gradient = s.slices[i].mutable_grad();
            if (gradient.defined())
                gradient.add_(s.members[i].sliceOf(reduced));
            else
                gradient = s.members[i].sliceOf(reduced);
        }
    }
    s.had.assign(s.had.size(), false);
}

std::vector<at::Tensor> FsdpUnit::wholeOf(const std::vector<at::Tensor>& parts) const
{
    const State& s = *m_state;
    const at::NoGradGuard noGrad;
    const at::TensorOptions options = parts.front().options().requires_grad(false);
    at::Tensor own = at::zeros({s.perRank}, options);
    for (std::size_t i = 0; i < s.members.size(); ++i)
        s.members[i].sliceOf(own).copy_(parts[i]);
    at::Tensor flat = at::empty({s.full.numel()}, options);
    s.exchange.gather(own, flat)->wait();
    std::vector<at::Tensor> whole;
    whole.reserve(s.members.size());
    for (const Member& member : s.members)
        whole.push_back(member.in(flat));
    return whole;
}

void FsdpUnit::scatter(std::size_t parameter, const at::Tensor& whole, const at::Tensor& part) const
{
    const State& s = *m_state;
    const at::NoGradGuard noGrad;
    Member alone = s.members[parameter];
    const std::int64_t first = s.perRank * s.peers.rank() + alone.begin - alone.offset; // of the slice in the parameter
    alone.offset = 0;
    const at::Tensor flat = at::empty({alone.elements}, part.options().requires_grad(false));
    if (whole.defined())
        alone.in(flat).copy_(whole);
    s.peers.barrier(ProcessGroup::kDiskPatience);
    s.peers.broadcast({flat});
    if (alone.length > 0)
        part.detach().copy_(flat.narrow(0, first, alone.length));
}

} // namespace lockstep::trainer
