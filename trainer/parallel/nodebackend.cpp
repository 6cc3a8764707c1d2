// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/parallel/nodebackend.h"

#include "trainer/parallel/nodeexchange.h"
#include "trainer/torchversion.h"

#include <ATen/ATen.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace lockstep::trainer {

namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;
using Tensors = std::vector<at::Tensor>;

constexpr std::size_t kSlotBytes = std::size_t{2} << 20; // of a rank: a share of it stays in its core's cache

class NodeWork : public c10d::Work {
public:
    NodeWork(int rank, c10d::OpType type, Tensors results)
        : Work(rank, type), m_results(std::move(results)),
          m_future(c10::make_intrusive<c10::ivalue::Future>(c10::ListType::create(c10::TensorType::get())))
    {
    }

    c10::intrusive_ptr<c10::ivalue::Future> getFuture() override { return m_future; }
    Tensors result() override { return m_results; }

    void end(std::exception_ptr error)
    {
        if (error)
            m_future->setError(error);
        else
            m_future->markCompleted(c10::IValue(m_results));
        finish(std::move(error));
    }

private:
    Tensors m_results;
    c10::intrusive_ptr<c10::ivalue::Future> m_future;
};

using Exchange = std::function<void(NodeExchange&, const NodeExchange::Patience&)>;

class SharedMemory : public c10d::Backend {
public:
    SharedMemory(c10::intrusive_ptr<c10d::Backend> gloo, std::unique_ptr<NodePages> pages, milliseconds timeout)
        : Backend(gloo->getRank(), gloo->getSize()), m_gloo(std::move(gloo)), m_pages(std::move(pages)),
          m_timeout(timeout), m_thread([this] { work(); })
    {
    }

    ~SharedMemory() override
    {
        {
            const std::lock_guard lock(m_mutex);
            m_stop = true;
        }
        m_more.notify_one();
        m_thread.join();
    }

    const std::string getBackendName() const override { return "shared-memory"; }

    c10::intrusive_ptr<c10d::Work> allreduce(Tensors& tensors, const c10d::AllreduceOptions& options) override
    {
        if (options.reduceOp != c10d::ReduceOp::SUM || !fits(tensors))
            return m_gloo->allreduce(tensors, options);
        return put(c10d::OpType::ALLREDUCE, options.timeout, tensors,
                   [tensor = tensors[0]](NodeExchange& exchange, const NodeExchange::Patience& patience) {
                       const at::Tensor dense = tensor.contiguous();
                       exchange.sum(dense, patience);
                       if (!dense.is_same(tensor))
                           at::Tensor(tensor).copy_(dense);
                   });
    }

    c10::intrusive_ptr<c10d::Work> LOCKSTEP_ALL_GATHER(at::Tensor& whole, at::Tensor& own,
                                                       const c10d::AllgatherOptions& options) override
    {
        return put(c10d::OpType::_ALLGATHER_BASE, options.timeout, {whole},
                   [whole, own](NodeExchange& exchange, const NodeExchange::Patience& patience) {
                       exchange.gather(own, whole, patience);
                   });
    }

    // The mean (AVG) too, which Gloo does not know: the sum is divided at its end.
    c10::intrusive_ptr<c10d::Work> LOCKSTEP_REDUCE_SCATTER(at::Tensor& own, at::Tensor& whole,
                                                           const c10d::ReduceScatterOptions& options) override
    {
        TORCH_CHECK(options.reduceOp == c10d::ReduceOp::SUM || options.reduceOp == c10d::ReduceOp::AVG,
                    "reduce-scatter through shared memory adds or averages only");
        const bool mean = options.reduceOp == c10d::ReduceOp::AVG;
        return put(
            c10d::OpType::_REDUCE_SCATTER_BASE, options.timeout, {own},
            [whole, own, mean, world = getSize()](NodeExchange& exchange, const NodeExchange::Patience& patience) {
                exchange.scatterSum(whole, own, patience);
                if (mean)
                    at::Tensor(own).div_(static_cast<double>(world));
            });
    }

    c10::intrusive_ptr<c10d::Work> broadcast(Tensors& tensors, const c10d::BroadcastOptions& options) override
    {
        return m_gloo->broadcast(tensors, options);
    }
    c10::intrusive_ptr<c10d::Work> allgather(std::vector<Tensors>& all, Tensors& own,
                                             const c10d::AllgatherOptions& options) override
    {
        return m_gloo->allgather(all, own, options);
    }
    c10::intrusive_ptr<c10d::Work> barrier(const c10d::BarrierOptions& options) override
    {
        return m_gloo->barrier(options);
    }
    c10::intrusive_ptr<c10d::Work> send(Tensors& tensors, int to, int tag) override
    {
        return m_gloo->send(tensors, to, tag);
    }
    c10::intrusive_ptr<c10d::Work> recv(Tensors& tensors, int from, int tag) override
    {
        return m_gloo->recv(tensors, from, tag);
    }

private:
    struct Task {
        Exchange exchange;
        Clock::time_point deadline;
        c10::intrusive_ptr<NodeWork> work;
    };

    static bool fits(const Tensors& tensors)
    {
        return tensors.size() == 1 && tensors[0].layout() == at::kStrided &&
               NodeExchange::sums(tensors[0].scalar_type());
    }

    c10::intrusive_ptr<c10d::Work> put(c10d::OpType type, milliseconds timeout, Tensors results, Exchange exchange)
    {
        auto work = c10::make_intrusive<NodeWork>(getRank(), type, std::move(results));
        const auto patience = timeout == c10d::kUnsetTimeout ? m_timeout : timeout;
        {
            const std::lock_guard lock(m_mutex);
            m_tasks.push_back({std::move(exchange), Clock::now() + patience, work});
        }
        m_more.notify_one();
        return work;
    }

    void work()
    {
        NodeExchange exchange(*m_pages, getRank(), getSize());
        std::exception_ptr broken; // once out of step with the others, for good
        for (;;) {
            std::unique_lock lock(m_mutex);
            m_more.wait(lock, [this] { return m_stop || !m_tasks.empty(); });
            if (m_tasks.empty())
                return;
            Task task = std::move(m_tasks.front());
            m_tasks.pop_front();
            lock.unlock();
            try {
                if (!broken)
                    task.exchange(exchange, {task.deadline, m_stop});
            } catch (...) {
                broken = std::current_exception();
            }
            task.work->end(broken);
        }
    }

    c10::intrusive_ptr<c10d::Backend> m_gloo;
    std::unique_ptr<NodePages> m_pages;
    milliseconds m_timeout;
    std::mutex m_mutex;
    std::condition_variable m_more;
    std::deque<Task> m_tasks;
    std::atomic<bool> m_stop = false;
    std::thread m_thread; // the last: it uses all the others
};

at::Tensor toTensor(const NodePages::Origin& origin)
{
    return at::tensor({origin.pid, origin.fd, origin.token}, at::kLong);
}

NodePages::Origin toOrigin(const at::Tensor& tensor)
{
    const auto* values = tensor.const_data_ptr<std::int64_t>();
    return {values[0], values[1], values[2]};
}

// This rank's part; the others wait for it whatever happens here. Its own origin has fd -1 where it has none.
std::unique_ptr<NodePages> map(c10d::Backend& gloo, std::string& why)
{
    const int rank = gloo.getRank();
    std::unique_ptr<NodePages> pages;
    try {
        if (rank == 0)
            pages = NodePages::create(rank, gloo.getSize(), kSlotBytes);
    } catch (const std::system_error& error) {
        why = error.what();
    }
    Tensors origin{toTensor(pages ? pages->origin() : NodePages::Origin{})};
    gloo.broadcast(origin, {})->wait();
    try {
        if (rank != 0)
            pages = NodePages::open(toOrigin(origin[0]), rank, gloo.getSize(), kSlotBytes);
    } catch (const std::system_error& error) {
        why = error.what();
    }
    return pages;
}

bool watchAll(c10d::Backend& gloo, NodePages* pages)
{
    std::vector<Tensors> origins(1);
    for (int rank = 0; rank < gloo.getSize(); ++rank)
        origins[0].push_back(at::empty({3}, at::kLong));
    Tensors own{toTensor(pages ? pages->origin() : NodePages::Origin{})};
    gloo.allgather(origins, own, {})->wait();
    bool all = pages != nullptr;
    for (int rank = 0; rank < gloo.getSize() && all; ++rank)
        all = pages->watch(rank, toOrigin(origins[0][static_cast<std::size_t>(rank)]));
    Tensors agreed{at::tensor({all ? 1 : 0}, at::kInt)};
    c10d::AllreduceOptions least;
    least.reduceOp = c10d::ReduceOp::MIN;
    gloo.allreduce(agreed, least)->wait();
    return agreed[0].item<int>() == 1;
}

} // namespace

NodeBackend shareMemory(const c10::intrusive_ptr<c10d::Backend>& gloo, milliseconds timeout)
{
    std::string why;
    std::unique_ptr<NodePages> pages = map(*gloo, why);
    if (!watchAll(*gloo, pages.get()))
        return {{}, why.empty() ? "not all ranks see one another's processes" : why};
    return {c10::make_intrusive<SharedMemory>(gloo, std::move(pages), timeout), {}};
}

} // namespace lockstep::trainer
