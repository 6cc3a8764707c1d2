// SPDX-License-Identifier: GPL-3.0-or-later
// A GPT: pre-norm transformer under nanoGPT's names, with its initial weights. Without options 6 blocks of 256 and 8
// heads. The head is not tied to the embeddings. Positions are learned (wpe), or queries and keys turn (rotary.h).
#pragma once

#include "trainer/models/model.h"

namespace lockstep::trainer {

[[nodiscard]] std::shared_ptr<Model> makeGpt(const ModelOptions& options, const SampleShape& shape);

} // namespace lockstep::trainer
