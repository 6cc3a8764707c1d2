// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/data/sampler.h"

#include "trainer/failure.h"

#include <numeric>
#include <random>
#include <utility>

namespace lockstep::trainer {

namespace {

// From here on torch.randperm draws 64-bit numbers in another scheme (ATen/native/TensorFactories.cpp).
constexpr std::int64_t kMostSamples = 0xffffffffLL / 20;

std::int64_t perRankOf(std::int64_t samples, const SamplerOptions& options)
{
    const std::int64_t replicas = options.replicas;
    const bool drop = options.remainder == Remainder::Drop && samples % replicas != 0;
    return drop ? samples / replicas : (samples + replicas - 1) / replicas;
}

} // namespace

DistributedSampler::DistributedSampler(std::int64_t samples, const SamplerOptions& options)
    : m_samples(samples), m_options(options), m_perRank(perRankOf(samples, options))
{
    if (samples <= 0 || samples >= kMostSamples)
        throw Failure(ExitCode::Data, "a data set of " + std::to_string(samples) + " samples: from 1 to " +
                                          std::to_string(kMostSamples - 1) + " can be sampled");
    if (m_perRank == 0)
        throw Failure(ExitCode::Data, std::to_string(samples) + " samples are too few for " +
                                          std::to_string(options.replicas) + " ranks without padding");
}

std::int64_t DistributedSampler::total() const
{
    return m_perRank * m_options.replicas;
}

std::vector<std::int64_t> DistributedSampler::indices(std::int64_t epoch, std::int64_t taken) const
{
    std::vector<std::int64_t> all(static_cast<std::size_t>(m_samples));
    if (m_options.order == Order::Shuffled)
        all = randperm(m_samples, static_cast<std::uint64_t>(m_options.seed + epoch));
    else
        std::iota(all.begin(), all.end(), std::int64_t{0});

    std::vector<std::int64_t> mine;
    mine.reserve(static_cast<std::size_t>(m_perRank));
    for (std::int64_t position = taken + m_options.rank; position < total(); position += m_options.replicas) {
        mine.push_back(
            all[static_cast<std::size_t>(position % m_samples)]); // the padding repeats the list from its start
    }
    return mine;
}

std::vector<std::int64_t> randperm(std::int64_t n, std::uint64_t seed)
{
    std::vector<std::int64_t> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), std::int64_t{0});
    std::mt19937 random(
        static_cast<std::uint32_t>(seed)); // at::mt19937 is the same generator and takes the low 32 bits
    for (std::int64_t i = 0; i < n - 1; ++i) {
        const auto other = i + static_cast<std::int64_t>(random()) % (n - i);
        std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(other)]);
    }
    return order;
}

} // namespace lockstep::trainer
