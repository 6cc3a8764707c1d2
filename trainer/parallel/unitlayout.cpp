// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/parallel/unitlayout.h"

#include <algorithm>

namespace lockstep::trainer {

namespace {

// Every parameter begins at a multiple of 64 bytes in fp32 and bf16, as one that is allocated alone does: kernels that
// choose their way by alignment then take the same one, and give the same bits.
constexpr std::int64_t kAlign = 32;

std::int64_t aligned(std::int64_t elements)
{
    return (elements + kAlign - 1) / kAlign * kAlign;
}

} // namespace

at::Tensor UnitLayout::Member::in(const at::Tensor& flat) const
{
    return flat.as_strided(sizes, strides, offset);
}

at::Tensor UnitLayout::Member::sliceOf(const at::Tensor& shard) const
{
    return shard.narrow(0, begin, length);
}

UnitLayout::UnitLayout(const std::vector<at::Tensor>& parameters, int rank, int world)
{
    std::int64_t end = 0;
    for (const at::Tensor& parameter : parameters) {
        const at::Tensor dense = parameter.is_non_overlapping_and_dense() ? parameter : parameter.contiguous();
        members.push_back({end, parameter.numel(), dense.sizes().vec(), dense.strides().vec()});
        end = aligned(end + parameter.numel());
    }
    perRank = aligned((end + world - 1) / world);
    const std::int64_t own = perRank * rank;
    for (Member& member : members) {
        const std::int64_t begin = std::clamp(member.offset - own, std::int64_t{0}, perRank);
        const std::int64_t last = std::clamp(member.offset + member.elements - own, std::int64_t{0}, perRank);
        member.begin = begin;
        member.length = last - begin;
    }
}

} // namespace lockstep::trainer
