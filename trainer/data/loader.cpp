// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/data/loader.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <span>
#include <thread>

namespace lockstep::trainer {

namespace {

constexpr std::int64_t kMostWorkers = 8;

} // namespace

struct Loader::State {
    const Dataset& dataset;
    LoaderOptions options;
    std::vector<std::int64_t> indices;
    Draw draw;
    std::size_t taken = 0; // samples
};

Loader::Loader(const Dataset& dataset, const LoaderOptions& options) : m_state(new State{dataset, options, {}, {}, 0})
{
}

Loader::~Loader() = default;

void Loader::begin(std::vector<std::int64_t> indices, const Draw& draw)
{
    m_state->indices = std::move(indices);
    m_state->draw = draw;
    m_state->taken = 0;
}

std::int64_t Loader::batchesOf(std::int64_t samples) const
{
    const std::int64_t batch = m_state->options.batch;
    return m_state->options.lastBatch == Remainder::Drop ? samples / batch : (samples + batch - 1) / batch;
}

std::int64_t Loader::left() const
{
    return batchesOf(static_cast<std::int64_t>(m_state->indices.size() - m_state->taken));
}

std::int64_t Loader::samplesOfNext(std::int64_t batches) const
{
    const auto rest = static_cast<std::int64_t>(m_state->indices.size() - m_state->taken);
    return std::min(rest, batches * m_state->options.batch);
}

Batch Loader::next()
{
    const auto size = static_cast<std::size_t>(samplesOfNext(1));
    const auto n = static_cast<std::int64_t>(size);
    const SampleShape& shape = m_state->dataset.shape();
    const auto memory = at::TensorOptions().pinned_memory(m_state->options.device.is_cuda());
    Batch batch;
    batch.samples = n;
    BatchMemory into;
    if (shape.kind == SampleKind::Image) {
        batch.inputs = at::empty({n, shape.channels, shape.height, shape.width}, memory.dtype(at::kFloat));
        batch.targets = at::empty({n}, memory.dtype(at::kLong));
        into.images = batch.inputs.mutable_data_ptr<float>();
    } else {
        batch.inputs = at::empty({n, shape.context}, memory.dtype(at::kLong));
        batch.targets = at::empty({n, shape.context}, memory.dtype(at::kLong));
        batch.tokens = n * shape.context;
        into.tokens = batch.inputs.mutable_data_ptr<std::int64_t>();
    }
    into.targets = batch.targets.mutable_data_ptr<std::int64_t>();
    m_state->dataset.read(std::span(m_state->indices).subspan(m_state->taken, size), m_state->draw, into);
    m_state->taken += size;
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

std::int64_t workersFor(std::int64_t asked, int ranksOnThisNode)
{
    if (asked >= 0)
        return asked;
    const auto cores = static_cast<std::int64_t>(std::thread::hardware_concurrency());
    return std::clamp<std::int64_t>(cores / ranksOnThisNode, 1, kMostWorkers);
}

} // namespace lockstep::trainer
