// SPDX-License-Identifier: GPL-3.0-or-later
// Which parameters FSDP gathers and frees together. Each Block is a unit, or consecutive ones up to a size; what lies
// outside of all blocks (embeddings, the head) is the root unit. Parameters that need no gradient are in none: every
// rank keeps them whole.
#pragma once

#include "trainer/models/model.h"
#include "trainer/options.h"

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace lockstep::trainer {

struct FsdpOptions {
    FsdpUnits units = FsdpUnits::Blocks;
    double unitMib = 20;  // of FsdpUnits::Size, in fp32
    bool reshard = true;  // free a unit after forward
    bool prefetch = true; // one unit ahead; and one reduction may be on its way
    at::ScalarType type = at::kFloat;
    FsdpAccumulate accumulate = FsdpAccumulate::Full;
    bool findUnused = false; // else a parameter without a gradient is refused by name
    bool broadcastBuffers = true;
};

struct FsdpPlan {
    struct Unit {
        std::string name;                    // "root", "blocks.0", "blocks.0 to blocks.3"
        std::vector<std::size_t> parameters; // of `parameters` below, in order; never empty
        const Block* last = nullptr;         // of its blocks, in the model's order; none of the root unit
    };

    std::vector<at::Tensor> parameters; // that need a gradient, in the model's order
    std::vector<std::string> names;     // of those
    std::vector<at::Tensor> frozen;
    std::vector<Unit> units;
    std::unordered_map<const Block*, std::size_t> unitOf;
    std::optional<std::size_t> root;
};

// A block within a block belongs to the outer one's unit. Throws Failure(Options) that names two parameters of two
// units that are one tensor: it could be gathered by one unit only.
[[nodiscard]] FsdpPlan planFsdp(const Model& model, const FsdpOptions& options);

} // namespace lockstep::trainer
