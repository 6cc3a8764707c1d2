// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/parallel/dataparallel.h"

#include "trainer/models/randomstate.h"

#include <ATen/ATen.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/csrc/autograd/autograd.h>

#include <chrono>
#include <functional>
#include <future>
#include <utility>

namespace lockstep::trainer {

namespace {

// From its construction to the end of its scope, the devices' own work included: without waiting for them a copy would
// seem to cost what it takes to ask for it.
class Stopwatch {
public:
    Stopwatch(double& milliseconds, const std::vector<Objective>& devices) : m_sum(milliseconds), m_devices(devices) {}
    ~Stopwatch()
    {
        for (const Objective& objective : m_devices) {
            if (!objective.device().is_cpu())
                c10::impl::VirtualGuardImpl(objective.device().type()).synchronizeDevice(objective.device().index());
        }
        m_sum += std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - m_start).count();
    }
    Stopwatch(const Stopwatch&) = delete;
    Stopwatch& operator=(const Stopwatch&) = delete;

private:
    double& m_sum;
    const std::vector<Objective>& m_devices;
    std::chrono::steady_clock::time_point m_start = std::chrono::steady_clock::now();
};

std::vector<at::Tensor> detached(const std::vector<at::Tensor>& tensors)
{
    std::vector<at::Tensor> result;
    result.reserve(tensors.size());
    for (const at::Tensor& tensor : tensors)
        result.push_back(tensor.detach());
    return result;
}

} // namespace

DataParallel::DataParallel(const Objective& objective, StepClock& clock, std::vector<Replica> others)
    : Single(objective, clock), m_others(std::move(others)), m_objectives{objective}
{
    for (const Replica& other : m_others)
        m_objectives.emplace_back(objective, *other.model, other.device);
}

// The first on this thread, the others each on one of its own, or all in turn. Throws what any of them threw.
void DataParallel::onEach(std::size_t devices, const std::function<void(std::size_t)>& work)
{
    std::vector<std::future<void>> others;
    for (std::size_t i = 1; i < devices && !m_inTurn; ++i)
        others.push_back(std::async(std::launch::async, work, i));
    work(0);
    for (std::size_t i = 1; i < devices && m_inTurn; ++i)
        work(i);
    for (std::future<void>& other : others)
        other.get();
}

void DataParallel::replicate()
{
    const Stopwatch time(m_costs.replicate, m_objectives);
    const std::vector<at::Tensor> parameters = detached(objective().model().parameters());
    const std::vector<at::Tensor> buffers = objective().model().buffers();
    for (const Replica& other : m_others) {
        const std::vector<at::Tensor> theirs = detached(other.model->parameters());
        for (std::size_t i = 0; i < theirs.size(); ++i)
            theirs[i].copy_(parameters[i]);
        const std::vector<at::Tensor> theirBuffers = other.model->buffers();
        for (std::size_t i = 0; i < theirBuffers.size(); ++i)
            theirBuffers[i].copy_(buffers[i]);
    }
}

at::Tensor DataParallel::forward(const Batch& batch, Sync sync)
{
    if (std::exchange(m_newStep, sync == Sync::Now))
        m_costs = {};
    replicate();
    std::vector<at::Tensor> inputs;
    {
        const Stopwatch time(m_costs.scatter, m_objectives);
        inputs = batch.inputs.chunk(static_cast<std::int64_t>(m_objectives.size()));
        for (std::size_t i = 0; i < inputs.size(); ++i) // fewer than devices when the batch is small
            inputs[i] = inputs[i].to(m_objectives[i].device());
    }
    scoreEach(inputs);
    {
        const Stopwatch time(m_costs.gather, m_objectives);
        std::vector<at::Tensor> arrived;
        arrived.reserve(m_scores.size());
        for (const at::Tensor& scores : m_scores)
            arrived.push_back(scores.detach().to(objective().device()));
        m_gathered = at::cat(arrived).set_requires_grad(true);
    }
    return objective().loss(m_gathered, batch.targets);
}

void DataParallel::scoreEach(const std::vector<at::Tensor>& inputs)
{
    const bool watched = objective().device().is_cpu() && (!m_sawForward || !m_inTurn);
    if (watched && !m_sawForward)
        m_inTurn = true;
    const RandomState before = RandomState::now(at::kCPU);
    m_scores.assign(inputs.size(), {});
    onEach(inputs.size(), [&](std::size_t i) {
        const c10::DeviceGuard guard(m_objectives[i].device());
        m_scores[i] = m_objectives[i].scores(inputs[i]);
    });
    if (watched)
        m_inTurn = !(RandomState::now(at::kCPU) == before);
    m_sawForward = true;
}

void DataParallel::backward(const at::Tensor& loss)
{
    loss.backward();
    std::vector<std::int64_t> sizes;
    sizes.reserve(m_scores.size());
    for (const at::Tensor& scores : m_scores)
        sizes.push_back(scores.size(0));
    std::vector<at::Tensor> gradients = m_gathered.grad().split_with_sizes(sizes);
    {
        const Stopwatch time(m_costs.scatter, m_objectives);
        for (std::size_t i = 0; i < gradients.size(); ++i)
            gradients[i] = gradients[i].to(m_objectives[i].device());
    }
    onEach(gradients.size(), [&](std::size_t i) {
        const c10::DeviceGuard guard(m_objectives[i].device());
        m_scores[i].backward(gradients[i]);
    });
    m_gathered.reset();
    m_scores.clear();
    clock().mark(StepClock::Mark::LastGradient);
    reduce();
}

void DataParallel::reduce()
{
    const Stopwatch time(m_costs.reduce, m_objectives);
    const at::NoGradGuard noGrad;
    std::vector<at::Tensor> own = objective().model().parameters();
    for (const Replica& other : m_others) {
        std::vector<at::Tensor> theirs = other.model->parameters();
        for (std::size_t i = 0; i < theirs.size(); ++i) {
            at::Tensor& gradient = theirs[i].mutable_grad();
            if (!gradient.defined())
                continue;
            at::Tensor& sum = own[i].mutable_grad();
            if (sum.defined())
                sum.add_(gradient.to(sum.device()));
            else
                sum = gradient.to(own[i].device());
            gradient.reset();
        }
    }
}

Facts DataParallel::facts() const
{
    return {{"dp_devices", static_cast<std::int64_t>(m_objectives.size())}};
}

Facts DataParallel::metrics() const
{
    return {{"replicate_ms", m_costs.replicate},
            {"scatter_ms", m_costs.scatter},
            {"gather_ms", m_costs.gather},
            {"reduce_ms", m_costs.reduce}};
}

} // namespace lockstep::trainer
