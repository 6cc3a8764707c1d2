// SPDX-License-Identifier: GPL-3.0-or-later
// Batches of one rank's share of an epoch. Worker threads, kept for the whole run, prepare them ahead in memory that is
// used again and again (pinned where the device is a GPU); they come out in order, whichever thread was first.
#pragma once

#include "trainer/data/dataset.h"
#include "trainer/data/sampler.h"

#include "trainer/device.h"

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

namespace lockstep::trainer {

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

    [[nodiscard]] std::int64_t batchesOf(std::int64_t samples) const;

    void begin(std::vector<std::int64_t> indices, const Draw& draw);      // an epoch, or what is left of it
    [[nodiscard]] std::int64_t left() const;                              // batches that next() has still to give
    [[nodiscard]] std::int64_t samplesOfNext(std::int64_t batches) const; // in so many batches from here on
    // Waits for the batch; its memory is the loader's and is valid until the call after the next one. Throws what
    // Dataset::read threw.
    [[nodiscard]] Batch next();

private:
    struct State;
    std::unique_ptr<State> m_state;
};

[[nodiscard]] Batch toDevice(Batch batch, const Device& device); // does not wait for a GPU

[[nodiscard]] std::int64_t workersFor(std::int64_t asked, int ranksOnThisNode); // -1: min(8, cores / ranks)

} // namespace lockstep::trainer
