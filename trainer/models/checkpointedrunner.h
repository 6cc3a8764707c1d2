// SPDX-License-Identifier: GPL-3.0-or-later
// Activation checkpointing, as torch.utils.checkpoint with use_reentrant=False does it: of a block's forward only its
// inputs are kept. What its graph saves for backward is left out, and the first node that asks for it has the block
// computed again, with the same random numbers and autocast. The graph itself is an ordinary one, so reducer, unused
// parameters and static graph see no difference.
//
// Innermost of all runners: a runner that has other work around a block (gathering its parameters) wraps this one.
#pragma once

#include "trainer/models/block.h"

namespace lockstep::trainer {

class CheckpointedRunner : public BlockRunner {
public:
    CheckpointedRunner(); // from here on the process's autograd engine asks this class what to save
    [[nodiscard]] Tensors run(Block& block, const Tensors& inputs) override;
};

} // namespace lockstep::trainer
