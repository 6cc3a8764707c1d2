// SPDX-License-Identifier: GPL-3.0-or-later
// The kinds of objects that a state dictionary is made of beyond pickle's own, and how their values are put together.
// Nothing of Python's is ever called: each kind's meaning is written here.
#pragma once

#include "trainer/checkpoint/pickle.h"

#include <optional>

namespace lockstep::trainer::picklekind {

[[nodiscard]] bool isKnown(std::string_view name); // module.name of a global that may stand in a file

// Nothing when the values are not of the form that PyTorch writes.
[[nodiscard]] std::optional<PickleDocument::Storage> storage(const PickleDocument::List& id);
[[nodiscard]] std::optional<StoredTensor> tensor(const PickleDocument::List& arguments);

} // namespace lockstep::trainer::picklekind
