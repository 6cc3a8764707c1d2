// SPDX-License-Identifier: GPL-3.0-or-later
// Batches of one rank's share of an epoch, as tensors. Worker threads, kept for the whole run, prepare them ahead.
// Their memory is LibTorch's, which gives the same blocks out again: pinned where the device is a GPU, and then only
// when the copy to it is over.
#pragma once

#include "trainer/data/dataset.h"
#include "trainer/data/sampler.h"

#include "trainer/device.h"

#include <ATen/core/Tensor.h>

#include <memory>

namespace lockstep::trainer {

// `samples` 0: this rank has none left for a forward that others still make (--uneven join). The tensors then hold one
// sample all the same, so that the forward can be made; it counts for nothing.
struct Batch {
    at::Tensor inputs;  // N×C×H×W floats, or N×context tokens
    at::Tensor targets; // N, or N×context
    std::int64_t samples = 0;
    std::int64_t tokens = 0; // 0 for images
};

struct LoaderOptions {
    std::int64_t batch = 64;
    Remainder lastBatch = Remainder::Pad; // a last batch that is not full is given as it is, or left out with Drop
    std::int64_t workers = 0;             // 0: next() prepares the batch itself
    std::int64_t prefetch = 2;            // batches a worker
    at::Device device = at::Device(at::kCPU);
};

class Loader {
public:
    Loader(const Dataset& dataset, const LoaderOptions& options);
    ~Loader();

    [[nodiscard]] std::int64_t batchesOf(std::int64_t rounds) const;

    void begin(EpochShare share, const Draw& draw); // an epoch, or what is left of it
    [[nodiscard]] std::int64_t left() const;        // batches that next() has still to give, the same on every rank
    [[nodiscard]] std::int64_t samplesOfNext(std::int64_t batches) const; // of all ranks, in so many from here on
    [[nodiscard]] Batch next(); // waits for it; throws what Dataset::read threw

private:
    void submit();
    void prefetch();

    struct State;
    std::unique_ptr<State> m_state;
};

[[nodiscard]] Batch toDevice(Batch batch, const Device& device); // does not wait for a GPU

} // namespace lockstep::trainer
