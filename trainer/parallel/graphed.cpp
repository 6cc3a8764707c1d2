// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/parallel/graphed.h"

#include "trainer/cuda/cudaapi.h"
#include "trainer/failure.h"

#include <vector>

namespace lockstep::trainer {

namespace {

// PyTorch's "CUDA graphs with DistributedDataParallel": its buckets are rebuilt and its logger asks the device for
// times in the first ten iterations, neither of which a graph may hold.
constexpr int kStepsBefore = 11;

class Graphed : public Strategy {
public:
    Graphed(const CudaApi& cuda, StepClock& clock, std::unique_ptr<Strategy> inner)
        : m_inner(std::move(inner)), m_clock(clock), m_forward(cuda.makeGraph(nullptr)),
          m_backward(cuda.makeGraph(m_forward.get()))
    {
    }

    at::Tensor forward(const Batch& batch, Sync sync) override
    {
        if (m_steps == 0)
            m_usual = {batch.inputs.clone(), batch.targets.clone(), batch.samples, batch.tokens};
        const bool usual = batch.inputs.sizes() == m_usual.inputs.sizes() && batch.samples == m_usual.samples;
        m_replaying = usual && m_steps++ >= kStepsBefore;
        if (!m_replaying)
            return m_inner->forward(batch, sync);
        m_usual.inputs.copy_(batch.inputs, /*non_blocking=*/true);
        m_usual.targets.copy_(batch.targets, /*non_blocking=*/true);
        if (!m_loss.defined()) {
            const Recording recording(*m_forward, m_clock);
            m_loss = m_inner->forward(m_usual, sync);
        }
        m_forward->replay();
        return m_loss;
    }

    void backward(const at::Tensor& loss) override
    {
        if (!m_replaying) {
            m_inner->backward(loss);
            return;
        }
        TORCH_CHECK(loss.is_same(m_loss), "a graph's backward begins at its own loss");
        if (m_gradients.empty()) {
            {
                const Recording recording(*m_backward, m_clock);
                m_inner->backward(loss);
            }
            for (const at::Tensor& parameter : parameters())
                m_gradients.push_back(parameter.grad());
        }
        for (std::size_t i = 0; i < m_gradients.size(); ++i) // the step before has let go of them
            parameters()[i].mutable_grad() = m_gradients[i];
        m_backward->replay();
    }

    [[nodiscard]] const std::vector<at::Tensor>& parameters() const override { return m_inner->parameters(); }
    [[nodiscard]] at::Tensor evaluate(const at::Tensor& inputs) override { return m_inner->evaluate(inputs); }
    void settle() override { m_inner->settle(); }
    void gather(const std::vector<at::Tensor>& parts, const Visit& visit) override { m_inner->gather(parts, visit); }
    void scatter(const Fetch& whole, const std::vector<at::Tensor>& parts) override { m_inner->scatter(whole, parts); }
    [[nodiscard]] at::Tensor gradientNorms() override { return m_inner->gradientNorms(); }
    void anyRank(at::Tensor& flag) override { m_inner->anyRank(flag); }
    [[nodiscard]] Facts facts() const override { return m_inner->facts(); }
    [[nodiscard]] Facts metrics() const override { return m_inner->metrics(); }

private:
    class Recording {
    public:
        Recording(CudaGraph& graph, StepClock& clock) : m_graph(graph), m_clock(clock)
        {
            m_clock.hold();
            m_graph.begin();
        }
        ~Recording() noexcept(false)
        {
            m_graph.end();
            m_clock.release();
        }
        Recording(const Recording&) = delete;
        Recording& operator=(const Recording&) = delete;

    private:
        CudaGraph& m_graph;
        StepClock& m_clock;
    };

    std::unique_ptr<Strategy> m_inner;
    StepClock& m_clock;
    Batch m_usual; // where the graphs read
    at::Tensor m_loss;
    std::vector<at::Tensor> m_gradients; // where the graphs write, of each parameter
    int m_steps = 0;                     // of the usual shape
    bool m_replaying = false;
    std::unique_ptr<CudaGraph> m_forward;
    std::unique_ptr<CudaGraph> m_backward;
};

} // namespace

std::string noGraphs(const Options& options, const Device& device, int world)
{
    if (device.cuda == nullptr)
        return "they are for GPUs";
    if (options.strategy == StrategyKind::Fsdp || options.strategy == StrategyKind::Dp)
        return "--strategy fsdp and dp allocate and decide anew in each step";
    if (world > 1 && device.backend != BackendUsed::Nccl)
        return "Gloo's all-reduce runs on the CPU; a graph holds NCCL's";
    if (options.precision == Precision::Fp16)
        return "fp16 changes its loss scale from step to step";
    if (options.accumulate > 1)
        return "with --accumulate the forwards of a step are not all alike";
    if (options.findUnused == Switch::Yes)
        return "--find-unused-parameters walks the graph of each step";
    if (options.activationCheckpointing == Switch::Yes)
        return "--activation-checkpointing puts the random state back on the CPU";
    if (options.compression != Compression::None)
        return "--gradient-compression hooks run on the CPU";
    if (options.uneven == Uneven::Join)
        return "with --uneven join a forward's weight changes";
    if (options.onNan == OnNan::Skip)
        return "--nan skip decides anew in each step";
    return {};
}

std::unique_ptr<Strategy> withGraphs(const Options& options, const Device& device, int world, StepClock& clock,
                                     std::unique_ptr<Strategy> inner)
{
    if (options.cudaGraphs == Switch::No)
        return inner;
    if (const std::string why = noGraphs(options, device, world); !why.empty())
        throw Failure(ExitCode::Options, "--cuda-graphs yes cannot hold here: " + why);
    return std::make_unique<Graphed>(*device.cuda, clock, std::move(inner));
}

} // namespace lockstep::trainer
