// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/parallel/fsdprunner.h"

#include "trainer/failure.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace lockstep::trainer {

namespace {

std::vector<std::string> namesOf(const FsdpPlan& plan)
{
    std::vector<std::string> names;
    names.reserve(plan.units.size());
    for (const FsdpPlan::Unit& unit : plan.units)
        names.push_back(unit.name);
    return names;
}

std::vector<at::Tensor> tensorsOf(const FsdpPlan& plan, const FsdpPlan::Unit& unit)
{
    std::vector<at::Tensor> tensors;
    tensors.reserve(unit.parameters.size());
    for (const std::size_t parameter : unit.parameters)
        tensors.push_back(plan.parameters[parameter]);
    return tensors;
}

} // namespace

FsdpRunner::FsdpRunner(const FsdpPlan& plan, const FsdpOptions& options, ProcessGroup& group, StepClock& clock,
                       std::shared_ptr<BlockRunner> inner)
    : m_plan(plan), m_options(options), m_group(group), m_exchange(group), m_clock(clock), m_inner(std::move(inner)),
      m_order(namesOf(plan)), m_ready(plan.units.size())
{
    for (const FsdpPlan::Unit& unit : plan.units) {
        const std::size_t index = m_units.size();
        m_units.push_back(std::make_unique<FsdpUnit>(unit.name, tensorsOf(plan, unit), options.type, group, m_exchange,
                                                     [this](const std::function<void()>& wait) { timed(wait); }));
        m_units.back()->whenGradientsAreReady([this, index] { ready(index); });
    }
    for (const at::Tensor& parameter : plan.frozen) {
        if (parameter.is_floating_point() && parameter.scalar_type() != options.type)
            m_frozen.push_back({parameter, parameter.detach(), parameter.detach().to(options.type)});
    }
}

FsdpRunner::~FsdpRunner() = default;

// A wait inside forward or backward is no part of their own time. (Evaluation is no part of a step.)
void FsdpRunner::timed(const std::function<void()>& wait)
{
    using Mark = StepClock::Mark;
    const bool ofStep = m_phase == Phase::Forward || m_phase == Phase::Backward;
    if (ofStep)
        m_clock.mark(m_phase == Phase::Forward ? Mark::ForwardDone : Mark::LastGradient);
    wait();
    if (ofStep)
        m_clock.mark(Mark::BackwardDone);
}

Tensors FsdpRunner::cast(const Tensors& tensors) const
{
    if (m_options.type == at::kFloat)
        return tensors;
    Tensors result;
    for (const at::Tensor& tensor : tensors)
        result.push_back(tensor.defined() && tensor.is_floating_point() ? tensor.to(m_options.type) : tensor);
    return result;
}

void FsdpRunner::ahead(std::optional<std::size_t> unit)
{
    if (unit && m_options.prefetch)
        m_units[*unit]->gather();
}

// Before the first forward's order is known: all ranks must come to the same unit (nullopt: to the end), as each gather
// is all ranks'. A rank that goes another way later is refused by the order.
void FsdpRunner::agreeOnFirstForward(std::optional<std::size_t> unit)
{
    if (m_order.known() || m_group.world() == 1)
        return;
    const auto nameOf = [this](std::int64_t index) {
        const auto i = static_cast<std::size_t>(index);
        return i < m_units.size() ? m_units[i]->name() : "the end of the forward";
    };
    const auto own = static_cast<std::int64_t>(unit.value_or(m_units.size()));
    std::vector<at::Tensor> all;
    timed([&] { all = m_group.allGather(at::tensor({own}, at::kLong)); });
    const auto first = all.front().item<std::int64_t>();
    for (std::size_t rank = 1; rank < all.size(); ++rank) {
        if (const auto other = all[rank].item<std::int64_t>(); other != first)
            throw Failure(ExitCode::Options,
                          "--strategy fsdp gathers each block on all ranks together, but in the first forward rank 0 "
                          "came to " +
                              nameOf(first) + " and rank " + std::to_string(rank) + " to " + nameOf(other) +
                              "; a network in which ranks use different blocks is one for --strategy ddp with "
                              "--find-unused-parameters yes");
    }
}

Tensors FsdpRunner::run(Block& block, const Tensors& inputs)
{
    const auto found = m_plan.unitOf.find(&block);
    if (found == m_plan.unitOf.end() || m_phase == Phase::Idle)
        return m_inner->run(block, cast(inputs));
    FsdpUnit& unit = *m_units[found->second];
    const bool isLast = m_plan.units[found->second].last == &block;
    if (m_phase == Phase::Backward) { // computed again by a checkpoint around us: free once its gradients are there
        unit.await();
        return m_inner->run(block, cast(inputs));
    }

    const bool trains = m_phase == Phase::Forward;
    if (trains)
        agreeOnFirstForward(found->second);
    const auto position = trains ? std::optional(m_order.enter(found->second)) : m_order.look(found->second);
    unit.await();
    if (position)
        ahead(m_order.after(*position));
    Tensors outputs = m_inner->run(block, cast(inputs));

    const bool staysWhole = trains && (!m_options.reshard || m_order.isLast(*position));
    const bool goesOn = position && m_order.goesOn(*position);
    if (isLast && !goesOn && !staysWhole)
        unit.free();
    if (trains) {
        for (const at::Tensor& output : outputs) {
            const bool passedOn = std::ranges::any_of(inputs, [&](const at::Tensor& in) { return in.is_same(output); });
            if (output.defined() && output.requires_grad() && !passedOn)
                output.register_hook([this, at = *position](const at::Tensor&) { gradientComes(at); });
        }
    }
    return outputs;
}

void FsdpRunner::begin(Phase phase)
{
    for (Frozen& frozen : m_frozen)
        frozen.parameter.set_data(frozen.inType);
    m_phase = phase;
    m_order.begin();
    if (m_plan.root)
        m_units[*m_plan.root]->gather();
    ahead(m_order.first());
    if (m_plan.root)
        m_units[*m_plan.root]->await();
}

void FsdpRunner::end()
{
    for (const auto& unit : m_units)
        unit->free();
    for (Frozen& frozen : m_frozen)
        frozen.parameter.set_data(frozen.own);
    m_phase = Phase::Idle;
}

void FsdpRunner::beginForward(Sync sync)
{
    m_sync = sync;
    begin(Phase::Forward);
}

void FsdpRunner::endForward()
{
    agreeOnFirstForward(std::nullopt);
    m_order.end();
    if (!m_reductions.empty())
        return;
    m_reductions = m_order.backwards();
    for (std::size_t unit = 0; unit < m_units.size(); ++unit) { // never run, and then the root, which is complete last
        if (unit != m_plan.root && std::ranges::find(m_reductions, unit) == m_reductions.end())
            m_reductions.push_back(unit);
    }
    if (m_plan.root)
        m_reductions.push_back(*m_plan.root);
}

void FsdpRunner::beginEvaluation()
{
    begin(Phase::Evaluation);
}

void FsdpRunner::endEvaluation()
{
    end();
}

void FsdpRunner::beginBackward()
{
    m_phase = Phase::Backward;
    m_ready.assign(m_units.size(), false);
    m_nextReduction = 0;
}

void FsdpRunner::gradientComes(std::size_t position)
{
    if (m_phase != Phase::Backward)
        return;
    m_units[m_order.unitAt(position)]->await();
    ahead(m_order.before(position));
}

void FsdpRunner::ready(std::size_t unit)
{
    if (m_phase != Phase::Backward)
        return;
    m_units[unit]->free();
    if (m_sync == Sync::Later && m_options.accumulate == FsdpAccumulate::Full) {
        m_units[unit]->keepGradients();
        return;
    }
    m_ready[unit] = true;
    const auto turn = std::ranges::find(m_reductions, unit) - m_reductions.begin();
    if (static_cast<std::size_t>(turn) < m_nextReduction)
        reduce(unit); // once more: a block used twice under activation checkpointing has its gradients in two parts
    else
        reduceInTurn();
}

void FsdpRunner::reduceInTurn()
{
    while (m_nextReduction < m_reductions.size() && m_ready[m_reductions[m_nextReduction]])
        reduce(m_reductions[m_nextReduction++]);
}

void FsdpRunner::reduce(std::size_t unit)
{
    while (m_units[unit]->reducing())
        finishReductions(m_reducing.size() - 1);
    m_units[unit]->startReduction();
    m_reducing.push_back(unit);
    finishReductions(m_options.prefetch ? 1 : 0); // each holds whole gradients
}

void FsdpRunner::finishReductions(std::size_t left)
{
    for (; m_reducing.size() > left; m_reducing.pop_front())
        m_units[m_reducing.front()]->finishReduction();
}

void FsdpRunner::endBackward()
{
    m_clock.mark(StepClock::Mark::LastGradient);
    if (m_sync == Sync::Later && m_options.accumulate == FsdpAccumulate::Full) {
        for (const auto& unit : m_units) {
            if (unit->someGradients())
                unit->keepGradients();
        }
    } else {
        m_ready.assign(m_units.size(), true); // of the others no more gradients come
        reduceInTurn();
        finishReductions(0);
        addGradients();
    }
    end();
}

void FsdpRunner::addGradients()
{
    at::Tensor had = at::zeros({static_cast<std::int64_t>(m_plan.parameters.size())}, at::kInt);
    auto* flags = had.mutable_data_ptr<int>();
    for (std::size_t i = 0; i < m_units.size(); ++i) {
        for (std::size_t k = 0; k < m_plan.units[i].parameters.size(); ++k)
            flags[m_plan.units[i].parameters[k]] = m_units[i]->had()[k] ? 1 : 0;
    }
    if (m_options.findUnused)
        timed([&] { m_group.highest(had); }); // on the CPU, also where the model is on a GPU
    for (std::size_t i = 0; i < m_units.size(); ++i) {
        std::vector<bool> wanted;
        for (const std::size_t parameter : m_plan.units[i].parameters) {
            if (flags[parameter] == 0 && !m_options.findUnused)
                throw Failure(ExitCode::Options, m_plan.names[parameter] +
                                                     " got no gradient in this step; if it may have no part in the "
                                                     "loss, add --find-unused-parameters yes");
            wanted.push_back(flags[parameter] != 0);
        }
        m_units[i]->addGradients(wanted);
    }
}

} // namespace lockstep::trainer
