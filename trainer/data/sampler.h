// SPDX-License-Identifier: GPL-3.0-or-later
// Which samples a rank sees in an epoch: the same indices as torch.utils.data.DistributedSampler for the same seed and
// epoch. The order of all samples is torch.randperm's under a generator seeded with seed + epoch; it is padded from its
// start (or cut, with drop_last) to a multiple of the ranks, and rank r takes r, r + world, r + 2 world ...
#pragma once

#include <cstdint>
#include <vector>

namespace lockstep::trainer {

enum class Order { AsStored, Shuffled };
enum class Remainder { Pad, Drop };

struct SamplerOptions {
    int replicas = 1;
    int rank = 0;
    Order order = Order::Shuffled;
    Remainder remainder = Remainder::Pad;
    std::int64_t seed = 0;
};

class DistributedSampler {
public:
    DistributedSampler(std::int64_t samples, const SamplerOptions& options);

    [[nodiscard]] std::int64_t perRank() const { return m_perRank; } // the same on every rank
    // This rank's share of what is left of the epoch after all ranks together have used `taken` samples of it.
    [[nodiscard]] std::vector<std::int64_t> indices(std::int64_t epoch, std::int64_t taken = 0) const;
    [[nodiscard]] std::int64_t total() const; // samples of all ranks in an epoch, padding counted

private:
    std::int64_t m_samples;
    SamplerOptions m_options;
    std::int64_t m_perRank;
};

// torch.randperm(n, generator=torch.Generator().manual_seed(seed)) on the CPU, for n below 2^32 / 20.
[[nodiscard]] std::vector<std::int64_t> randperm(std::int64_t n, std::uint64_t seed);

} // namespace lockstep::trainer
