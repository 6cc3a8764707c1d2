// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/parallel/shardexchange.h"

#include "trainer/parallel/processgrouphandle.h"
#include "trainer/torchversion.h"

#include <ATen/ATen.h>

#include <vector>

namespace lockstep::trainer {

namespace {

using Work = c10::intrusive_ptr<c10d::Work>;

constexpr int kTags = 1 << 30; // then they begin again: nothing is on its way for so long

at::Tensor shardOf(const at::Tensor& whole, int rank, int world)
{
    const std::int64_t elements = whole.numel() / world;
    return whole.narrow(0, elements * rank, elements);
}

class Collective : public ShardExchange::Pending {
public:
    Collective(Work work, at::Tensor from, at::Tensor to)
        : m_work(std::move(work)), m_from(std::move(from)), m_to(std::move(to))
    {
    }
    void wait() override { m_work->wait(); }

private:
    Work m_work;
    at::Tensor m_from; // alive as long as the work
    at::Tensor m_to;
};

class Messages : public ShardExchange::Pending {
public:
    void send(c10d::ProcessGroup& group, const at::Tensor& tensor, int to, int tag)
    {
        std::vector<at::Tensor> tensors{tensor};
        m_works.push_back(group.send(tensors, to, tag));
        m_tensors.push_back(tensor);
    }
    void receive(c10d::ProcessGroup& group, const at::Tensor& tensor, int from, int tag)
    {
        std::vector<at::Tensor> tensors{tensor};
        m_works.push_back(group.recv(tensors, from, tag));
        m_tensors.push_back(tensor);
    }
    void wait() override
    {
        for (const Work& work : m_works)
            work->wait();
    }

private:
    std::vector<Work> m_works;
    std::vector<at::Tensor> m_tensors; // alive as long as the works
};

class Mean : public Messages {
public:
    Mean(std::vector<at::Tensor> parts, at::Tensor own) : m_parts(std::move(parts)), m_own(std::move(own)) {}
    void wait() override
    {
        Messages::wait();
        const at::NoGradGuard noGrad;
        at::add_out(m_own, m_parts[0], m_parts[1]);
        for (std::size_t i = 2; i < m_parts.size(); ++i)
            m_own.add_(m_parts[i]);
        m_own.div_(static_cast<double>(m_parts.size()));
    }

private:
    std::vector<at::Tensor> m_parts; // by rank
    at::Tensor m_own;
};

class Done : public ShardExchange::Pending { // a rank alone
public:
    void wait() override {}
};

} // namespace

struct ShardExchange::State {
    int rank;
    int world;
    c10::intrusive_ptr<c10d::ProcessGroup> group;
    bool sharesMemory;
    int tag = 0;

    // NCCL's, or those of one node's memory. Gloo's would take copies: it gets messages.
    [[nodiscard]] bool hasCollectives(const at::Tensor& tensor) const { return sharesMemory || !tensor.is_cpu(); }
    [[nodiscard]] int nextTag() { return tag = (tag + 1) % kTags; }
};

ShardExchange::ShardExchange(ProcessGroup& group)
    : m_state(new State{group.rank(), group.world(), group.handle().group, group.handle().sharesMemory})
{
}

ShardExchange::~ShardExchange() = default;

std::unique_ptr<ShardExchange::Pending> ShardExchange::gather(const at::Tensor& own, const at::Tensor& whole)
{
    State& s = *m_state;
    const at::NoGradGuard noGrad;
    if (s.world > 1 && s.hasCollectives(own)) {
        at::Tensor to = whole;
        at::Tensor from = own;
        return std::make_unique<Collective>(s.group->LOCKSTEP_ALL_GATHER(to, from), from, to);
    }
    auto messages = std::make_unique<Messages>();
    const int tag = s.nextTag();
    for (int i = 1; i < s.world; ++i) { // each rank begins with its next one, so that no rank gets all at once
        const int other = (s.rank + i) % s.world;
        messages->receive(*s.group, shardOf(whole, other, s.world), other, tag);
        messages->send(*s.group, own, other, tag);
    }
    shardOf(whole, s.rank, s.world).copy_(own);
    return messages;
}

std::unique_ptr<ShardExchange::Pending> ShardExchange::mean(const at::Tensor& whole, const at::Tensor& own)
{
    State& s = *m_state;
    const at::NoGradGuard noGrad;
    if (s.world == 1) {
        own.copy_(whole);
        return std::make_unique<Done>();
    }
    if (s.hasCollectives(own)) {
        c10d::ReduceScatterOptions options;
        options.reduceOp = c10d::ReduceOp::AVG;
        at::Tensor to = own;
        at::Tensor from = whole;
        return std::make_unique<Collective>(s.group->LOCKSTEP_REDUCE_SCATTER(to, from, options), from, to);
    }
    std::vector<at::Tensor> parts;
    parts.reserve(static_cast<std::size_t>(s.world));
    for (int rank = 0; rank < s.world; ++rank)
        parts.push_back(rank == s.rank ? shardOf(whole, rank, s.world) : at::empty_like(own));
    auto messages = std::make_unique<Mean>(parts, own);
    const int tag = s.nextTag();
    for (int i = 1; i < s.world; ++i) {
        const int other = (s.rank + i) % s.world;
        messages->receive(*s.group, parts[static_cast<std::size_t>(other)], other, tag);
        messages->send(*s.group, shardOf(whole, other, s.world), other, tag);
    }
    return messages;
}

} // namespace lockstep::trainer
