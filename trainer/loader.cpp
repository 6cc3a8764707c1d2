// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/loader.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <span>

namespace lockstep::trainer {

Loader::Loader(const Dataset& dataset, std::int64_t batch, Remainder lastBatch, at::Device device)
    : m_dataset(dataset), m_batch(batch), m_lastBatch(lastBatch), m_device(device)
{
}

void Loader::begin(std::vector<std::int64_t> indices)
{
    m_indices = std::move(indices);
}

std::int64_t Loader::batchesOf(std::int64_t samples) const
{
    return m_lastBatch == Remainder::Drop ? samples / m_batch : (samples + m_batch - 1) / m_batch;
}

Batch Loader::batch(std::int64_t number) const
{
    const auto first = static_cast<std::size_t>(number * m_batch);
    const std::size_t size = std::min(static_cast<std::size_t>(m_batch), m_indices.size() - first);
    const auto n = static_cast<std::int64_t>(size);
    // Pinned, so that the copy to the device does not wait.
    const auto pinned = at::TensorOptions().pinned_memory(m_device.is_cuda());
    Batch batch{at::empty({n, m_dataset.channels(), m_dataset.height(), m_dataset.width()}, pinned.dtype(at::kFloat)),
                at::empty({n}, pinned.dtype(at::kLong))};
    m_dataset.gather(std::span(m_indices).subspan(first, size), batch.images.mutable_data_ptr<float>(),
                     batch.labels.mutable_data_ptr<std::int64_t>());
    if (!m_device.is_cpu()) {
        batch.images = batch.images.to(m_device, /*non_blocking=*/true);
        batch.labels = batch.labels.to(m_device, /*non_blocking=*/true);
    }
    return batch;
}

} // namespace lockstep::trainer
