// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/data/sampler.h"

#include "trainer/failure.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>

namespace lockstep::trainer {

namespace {

constexpr std::int64_t kMostSamples = std::int64_t{1} << 33; // their order takes 64 GiB then

// at::mt19937 is the same generator and takes the low 32 bits of the seed.
std::mt19937 generator(std::uint64_t seed)
{
    return std::mt19937(static_cast<std::uint32_t>(seed));
}

} // namespace

DistributedSampler::DistributedSampler(std::int64_t samples, const SamplerOptions& options)
    : m_samples(samples), m_options(options)
{
    if (samples <= 0 || samples >= kMostSamples)
        throw Failure(ExitCode::Data, "a data set of " + std::to_string(samples) + " samples: from 1 to " +
                                          std::to_string(kMostSamples - 1) + " can be sampled");
    if (total() == 0)
        throw Failure(ExitCode::Data, std::to_string(samples) + " samples are too few for " +
                                          std::to_string(options.replicas) + " ranks without padding");
}

std::int64_t DistributedSampler::totalAfter(std::int64_t taken) const
{
    const std::int64_t left = std::max<std::int64_t>(0, m_samples - taken);
    const std::int64_t replicas = m_options.replicas;
    switch (m_options.remainder) {
    case Remainder::Pad:
        return (left + replicas - 1) / replicas * replicas;
    case Remainder::Drop:
        return left / replicas * replicas;
    case Remainder::Join:
        return left;
    }
    return left;
}

std::int64_t DistributedSampler::total() const
{
    return totalAfter(0);
}

std::int64_t DistributedSampler::perRank(std::int64_t taken) const
{
    return EpochShare{{}, totalAfter(taken), m_options.replicas}.rounds();
}

EpochShare DistributedSampler::share(std::int64_t epoch, std::int64_t taken) const
{
    std::vector<std::int64_t> all;
    if (m_options.order == Order::Shuffled) {
        all = randperm(m_samples, static_cast<std::uint64_t>(m_options.seed + epoch));
    } else {
        all.resize(static_cast<std::size_t>(m_samples));
        std::iota(all.begin(), all.end(), std::int64_t{0});
    }

    EpochShare share{{}, totalAfter(taken), m_options.replicas};
    share.indices.reserve(static_cast<std::size_t>(share.rounds()));
    for (std::int64_t i = m_options.rank; i < share.total; i += m_options.replicas)
        share.indices.push_back(
            all[static_cast<std::size_t>((taken + i) % m_samples)]); // padding: again from the start
    return share;
}

// ATen/native/TensorFactories.cpp, randperm_cpu, which keeps an older scheme for few samples. In the newer one, numbers
// of 64 bits are two of 32, the high half first (CPUGeneratorImpl::random64).
std::vector<std::int64_t> randperm(std::int64_t n, std::uint64_t seed)
{
    if (n >= kManySamples)
        return randpermOfMany(n, seed);
    std::vector<std::int64_t> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), std::int64_t{0});
    std::mt19937 random = generator(seed);
    for (std::int64_t i = 0; i < n - 1; ++i) {
        const auto other = i + static_cast<std::int64_t>(random()) % (n - i);
        std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(other)]);
    }
    return order;
}

std::vector<std::int64_t> randpermOfMany(std::int64_t n, std::uint64_t seed)
{
    std::vector<std::int64_t> order(static_cast<std::size_t>(n));
    std::mt19937 random = generator(seed);
    for (std::size_t i = 0; i < order.size(); ++i) {
        const std::uint64_t high = random();
        const std::uint64_t drawn = high << 32 | random();
        const auto other = static_cast<std::size_t>(drawn % (i + 1));
        order[i] = order[other];
        order[other] = static_cast<std::int64_t>(i);
    }
    return order;
}

} // namespace lockstep::trainer
