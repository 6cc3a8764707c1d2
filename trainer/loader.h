// SPDX-License-Identifier: GPL-3.0-or-later
// Batches of one rank's share of an epoch as tensors on its device. The data lie in memory and a batch is one gather,
// so there is nothing to prefetch.
#pragma once

#include "trainer/dataset.h"
#include "trainer/sampler.h"

#include <ATen/core/Tensor.h>

#include <vector>

namespace lockstep::trainer {

struct Batch {
    at::Tensor images; // N×C×H×W floats
    at::Tensor labels; // N
};

class Loader {
public:
    Loader(const Dataset& dataset, std::int64_t batch, Remainder lastBatch, at::Device device);

    // The indices of the epoch. A last batch that is not full is given as it is, or left out with Remainder::Drop.
    void begin(std::vector<std::int64_t> indices);
    [[nodiscard]] std::int64_t batchesOf(std::int64_t samples) const;
    [[nodiscard]] std::int64_t batches() const { return batchesOf(static_cast<std::int64_t>(m_indices.size())); }
    [[nodiscard]] Batch batch(std::int64_t number) const;

private:
    const Dataset& m_dataset;
    std::int64_t m_batch;
    Remainder m_lastBatch;
    at::Device m_device;
    std::vector<std::int64_t> m_indices;
};

} // namespace lockstep::trainer
