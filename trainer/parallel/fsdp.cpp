// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/parallel/fsdp.h"

#include "trainer/parallel/fsdprunner.h"
#include "trainer/parallel/gradientnorms.h"

#include <ATen/ATen.h>

#include <array>
#include <cstdio>
#include <utility>

namespace lockstep::trainer {

namespace {

struct Where {
    std::size_t unit = 0;
    std::size_t member = 0;
};

// Of each parameter.
std::vector<Where> placesOf(const FsdpPlan& plan)
{
    std::vector<Where> places(plan.parameters.size());
    for (std::size_t unit = 0; unit < plan.units.size(); ++unit) {
        for (std::size_t member = 0; member < plan.units[unit].parameters.size(); ++member)
            places[plan.units[unit].parameters[member]] = {unit, member};
    }
    return places;
}

} // namespace

Fsdp::Fsdp(ProcessGroup& group, const Objective& objective, const FsdpOptions& options, StepClock& clock)
    : m_group(group), m_objective(objective), m_plan(planFsdp(objective.model(), options)),
      m_buffers(objective.model().buffers()), m_broadcastBuffers(options.broadcastBuffers), m_type(options.type),
      m_inner(objective.model().blockRunner())
{
    std::vector<at::Tensor> rest;
    rest.reserve(m_plan.frozen.size() + m_buffers.size());
    for (const at::Tensor& tensor : m_plan.frozen)
        rest.push_back(tensor.detach());
    for (const at::Tensor& tensor : m_buffers)
        rest.push_back(tensor.detach());
    group.broadcast(rest);
    m_runner = std::make_shared<FsdpRunner>(m_plan, options, group, clock, m_inner);
    m_objective.model().setBlockRunner(m_runner);
    for (const Where& where : placesOf(m_plan))
        m_parameters.push_back(m_runner->units()[where.unit]->slices()[where.member]);
}

Fsdp::~Fsdp()
{
    m_objective.model().setBlockRunner(m_inner);
}

const std::vector<at::Tensor>& Fsdp::parameters() const
{
    return m_parameters;
}

at::Tensor Fsdp::forward(const Batch& batch, Sync sync)
{
    if (std::exchange(m_newStep, sync == Sync::Now)) {
        for (at::Tensor& parameter : m_parameters)
            parameter.mutable_grad().reset();
        settle(); // once a step, before its first forward, as DDP
    }
    m_runner->beginForward(sync);
    Batch own = batch;
    if (own.inputs.is_floating_point())
        own.inputs = own.inputs.to(m_type);
    at::Tensor loss = m_objective.loss(own);
    m_runner->endForward();
    return loss;
}

void Fsdp::backward(const at::Tensor& loss)
{
    m_runner->beginBackward();
    loss.backward();
    m_runner->endBackward();
}

at::Tensor Fsdp::evaluate(const at::Tensor& inputs)
{
    m_runner->beginEvaluation();
    at::Tensor scores = m_objective.scores(inputs.is_floating_point() ? inputs.to(m_type) : inputs);
    m_runner->endEvaluation();
    return m_type == at::kFloat ? scores : scores.to(at::kFloat); // losses are summed from them
}

void Fsdp::settle()
{
    if (m_broadcastBuffers)
        m_group.broadcast(m_buffers);
}

void Fsdp::gather(const std::vector<at::Tensor>& parts, const Visit& visit)
{
    const std::vector<Where> places = placesOf(m_plan);
    std::vector<at::Tensor> whole; // of the unit that the parameter before lies in
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (parts[i].dim() == 0) { // a count of steps, the same on all ranks
            visit(i, parts[i].detach());
            continue;
        }
        const std::size_t unit = places[i].unit;
        if (whole.empty() || places[i - 1].unit != unit) {
            whole.clear(); // before the next is whole
            std::vector<at::Tensor> ofUnit;
            for (const std::size_t parameter : m_plan.units[unit].parameters)
                ofUnit.push_back(parts[parameter].detach());
            whole = m_runner->units()[unit]->wholeOf(ofUnit);
        }
        visit(i, whole[places[i].member]);
    }
}

void Fsdp::scatter(const Fetch& whole, const std::vector<at::Tensor>& parts)
{
    const at::NoGradGuard noGrad;
    const std::vector<Where> places = placesOf(m_plan);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const at::Tensor mine = m_group.rank() == 0 ? whole(i) : at::Tensor();
        if (parts[i].dim() > 0) {
            m_runner->units()[places[i].unit]->scatter(places[i].member, mine, parts[i]);
            continue;
        }
        if (mine.defined())
            parts[i].detach().copy_(mine);
        m_group.broadcast({parts[i].detach()});
    }
}

at::Tensor Fsdp::gradientNorms()
{
    at::Tensor sums = normsOfGradients(m_parameters).to(at::kDouble).square(); // which no float's square leaves
    m_group.sum(sums);
    return sums.sqrt().to(at::kFloat);
}

void Fsdp::anyRank(at::Tensor& flag)
{
    m_group.highest(flag);
}

Facts Fsdp::facts() const
{
    std::string sizes;
    std::string names;
    for (const auto& unit : m_runner->units()) {
        std::array<char, 32> text{};
        std::snprintf(text.data(), text.size(), "%.2f", unit->mib());
        sizes += (sizes.empty() ? "" : " ") + std::string(text.data());
        names += (names.empty() ? "" : ", ") + unit->name();
    }
    return {{"units", static_cast<std::int64_t>(m_runner->units().size())}, {"unit_mib", sizes}, {"unit_names", names}};
}

} // namespace lockstep::trainer
