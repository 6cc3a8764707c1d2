// SPDX-License-Identifier: GPL-3.0-or-later
// Data made from the seed, of any size and of any number: a sample is a pure function of (seed, index), and nothing but
// some noise is kept. A model learns them, so a bug in the training shows.
#pragma once

#include "trainer/data/bytescale.h"
#include "trainer/data/dataset.h"

#include <vector>

namespace lockstep::trainer {

// A bright bar under noise, lying or standing: its direction and place are the class (as far as there are places; with
// more classes than those, some look alike).
class SyntheticImages : public Dataset {
public:
    SyntheticImages(std::int64_t count, const SampleShape& shape, std::uint64_t seed);

    [[nodiscard]] std::int64_t count() const override { return m_count; }
    [[nodiscard]] const SampleShape& shape() const override { return m_shape; }
    void read(std::span<const std::int64_t> indices, const Draw& draw, const BatchMemory& memory) const override;

private:
    void drawBar(std::int64_t label, std::int64_t wiggle, const std::uint8_t* noise, float* into) const;

    std::int64_t m_count;
    SampleShape m_shape;
    std::uint64_t m_seed;
    std::vector<std::uint8_t> m_noise; // an image's is a stretch of it
    ByteScale m_scale;
};

// A sequence in which a token decides the next one, seven times out of eight.
class SyntheticTokens : public Dataset {
public:
    SyntheticTokens(std::int64_t count, const SampleShape& shape, std::uint64_t seed);

    [[nodiscard]] std::int64_t count() const override { return m_count; }
    [[nodiscard]] const SampleShape& shape() const override { return m_shape; }
    void read(std::span<const std::int64_t> indices, const Draw& draw, const BatchMemory& memory) const override;

private:
    std::int64_t m_count;
    SampleShape m_shape;
    std::uint64_t m_seed;
};

[[nodiscard]] DataSplit syntheticData(const Options& options); // tokens for --model gpt, images for the others

} // namespace lockstep::trainer
