// SPDX-License-Identifier: GPL-3.0-or-later
// Which samples a rank sees in an epoch: the same indices as torch.utils.data.DistributedSampler for the same seed and
// epoch. The order of all samples is torch.randperm's under a generator seeded with seed + epoch; it is padded from its
// start (or cut, with drop_last) to a multiple of the ranks, and rank r takes r, r + world, r + 2 world ...
#pragma once

#include <cstdint>
#include <vector>

namespace lockstep::trainer {

enum class Order { AsStored, Shuffled };
// What happens to samples that do not fill all ranks: some are repeated, they are left out, or they are taken as they
// are, and some ranks have one sample fewer.
enum class Remainder { Pad, Drop, Join };

struct SamplerOptions {
    int replicas = 1;
    int rank = 0;
    Order order = Order::Shuffled;
    Remainder remainder = Remainder::Pad;
    std::int64_t seed = 0;
};

// One rank's part of an epoch, or of what is left of one. The samples go round: with each round every rank takes one,
// but in the last round of Join, which only the first ranks may have.
struct EpochShare {
    std::vector<std::int64_t> indices; // of this rank: as many as there are rounds, or one fewer
    std::int64_t total = 0;            // samples of all ranks
    int replicas = 1;

    [[nodiscard]] std::int64_t rounds() const { return (total + replicas - 1) / replicas; }
};

class DistributedSampler {
public:
    // Throws Failure(Data) for an empty data set, and with Drop for one that has no sample for every rank.
    DistributedSampler(std::int64_t samples, const SamplerOptions& options);

    // This rank's share of what is left of the epoch after all ranks together have used `taken` samples of it. They may
    // have been another number of ranks: what is left is then padded or cut anew.
    [[nodiscard]] EpochShare share(std::int64_t epoch, std::int64_t taken = 0) const;
    [[nodiscard]] std::int64_t total() const; // samples of all ranks in an epoch, padding counted
    [[nodiscard]] std::int64_t perRank(std::int64_t taken = 0) const; // of the rank that has most: share()'s rounds

private:
    [[nodiscard]] std::int64_t totalAfter(std::int64_t taken) const;

    std::int64_t m_samples;
    SamplerOptions m_options;
};

// torch.randperm(n, generator=torch.Generator().manual_seed(seed)) on the CPU: two schemes, the second from
// kManySamples on.
inline constexpr std::int64_t kManySamples = 0xffffffffLL / 20;
[[nodiscard]] std::vector<std::int64_t> randperm(std::int64_t n, std::uint64_t seed);
[[nodiscard]] std::vector<std::int64_t> randpermOfMany(std::int64_t n, std::uint64_t seed); // its second, for any n

} // namespace lockstep::trainer
