// SPDX-License-Identifier: GPL-3.0-or-later
// Where the parameters of an FSDP unit lie in its flat row, and which part of each is a rank's: the row is cut into
// equal shards, one a rank, wherever a parameter may end.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace lockstep::trainer {

struct UnitLayout {
    struct Member { // a parameter
        std::int64_t offset = 0;
        std::int64_t elements = 0;
        std::vector<std::int64_t> sizes;
        std::vector<std::int64_t> strides; // dense, in the module's memory format
        std::int64_t begin = 0;            // this rank's slice, from the start of its shard
        std::int64_t length = 0;           // perhaps 0

        [[nodiscard]] at::Tensor in(const at::Tensor& flat) const;       // a view with the parameter's shape
        [[nodiscard]] at::Tensor sliceOf(const at::Tensor& shard) const; // one dimension
    };

    UnitLayout(const std::vector<at::Tensor>& parameters, int rank, int world);

    std::vector<Member> members;
    std::int64_t perRank = 0; // elements of a shard
};

} // namespace lockstep::trainer
