// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/data/loader.h"

#include "trainer/data/batchworkers.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <deque>
#include <span>
#include <utility>

namespace lockstep::trainer {

namespace {

constexpr std::int64_t kStandIn = 0; // the sample of a batch that counts for nothing

Batch emptyBatch(const SampleShape& shape, std::int64_t rows, bool pinned)
{
    const auto memory = at::TensorOptions().pinned_memory(pinned);
    if (shape.kind == SampleKind::Image)
        return {at::empty({rows, shape.channels, shape.height, shape.width}, memory.dtype(at::kFloat)),
                at::empty({rows}, memory.dtype(at::kLong))};
    return {at::empty({rows, shape.context}, memory.dtype(at::kLong)),
            at::empty({rows, shape.context}, memory.dtype(at::kLong))};
}

BatchMemory memoryOf(const Batch& batch, SampleKind kind)
{
    BatchMemory memory;
    if (kind == SampleKind::Image)
        memory.images = batch.inputs.mutable_data_ptr<float>();
    else
        memory.tokens = batch.inputs.mutable_data_ptr<std::int64_t>();
    memory.targets = batch.targets.mutable_data_ptr<std::int64_t>();
    return memory;
}

} // namespace

struct Loader::State {
    const Dataset& dataset;
    LoaderOptions options;
    EpochShare share;
    Draw draw;
    std::int64_t given = 0;     // rounds whose samples next() has given
    std::int64_t submitted = 0; // rounds that are given or on their way
    std::deque<Batch> underway{};
    BatchWorkers workers{dataset, options.workers}; // last: its threads end before what they write to
};

Loader::Loader(const Dataset& dataset, const LoaderOptions& options) : m_state(new State{dataset, options, {}, {}}) {}

Loader::~Loader() = default;

void Loader::begin(EpochShare share, const Draw& draw)
{
    m_state->workers.giveUp();
    m_state->underway.clear();
    m_state->share = std::move(share);
    m_state->draw = draw;
    m_state->given = 0;
    m_state->submitted = 0;
    prefetch();
}

std::int64_t Loader::batchesOf(std::int64_t rounds) const
{
    const std::int64_t batch = m_state->options.batch;
    return m_state->options.lastBatch == Remainder::Drop ? rounds / batch : (rounds + batch - 1) / batch;
}

std::int64_t Loader::left() const
{
    return batchesOf(m_state->share.rounds() - m_state->given);
}

std::int64_t Loader::samplesOfNext(std::int64_t batches) const
{
    const EpochShare& share = m_state->share;
    const auto samplesUntil = [&share](std::int64_t rounds) { return std::min(share.total, rounds * share.replicas); };
    return samplesUntil(m_state->given + batches * m_state->options.batch) - samplesUntil(m_state->given);
}

void Loader::submit()
{
    State& state = *m_state;
    const std::int64_t rounds = std::min(state.options.batch, state.share.rounds() - state.submitted);
    const auto own = static_cast<std::int64_t>(state.share.indices.size());
    const std::int64_t samples = std::clamp<std::int64_t>(own - state.submitted, 0, rounds);
    const std::int64_t rows = std::max<std::int64_t>(1, samples);
    const SampleShape& shape = state.dataset.shape();

    Batch& batch = state.underway.emplace_back(emptyBatch(shape, rows, state.options.device.is_cuda()));
    batch.samples = samples;
    batch.tokens = samples * shape.context;
    std::span<const std::int64_t> indices(&kStandIn, 1);
    if (samples > 0)
        indices = std::span(state.share.indices)
                      .subspan(static_cast<std::size_t>(state.submitted), static_cast<std::size_t>(samples));
    state.workers.submit({indices, state.draw, memoryOf(batch, shape.kind)});
    state.submitted += rounds;
}

void Loader::prefetch()
{
    const State& state = *m_state;
    const auto ahead = static_cast<std::size_t>(state.options.workers * state.options.prefetch);
    while (state.underway.size() < ahead && batchesOf(state.share.rounds() - state.submitted) > 0)
        submit();
}

Batch Loader::next()
{
    State& state = *m_state;
    if (state.underway.empty())
        submit();
    Batch batch = std::move(state.underway.front());
    state.underway.pop_front();
    state.workers.finishOldest();
    state.given = std::min(state.share.rounds(), state.given + state.options.batch);
    prefetch();
    return batch;
}

Batch toDevice(Batch batch, const Device& device)
{
    if (!device.tensors.is_cpu()) {
        batch.inputs = batch.inputs.to(device.tensors, /*non_blocking=*/true);
        batch.targets = batch.targets.to(device.tensors, /*non_blocking=*/true);
    }
    return batch;
}

} // namespace lockstep::trainer
