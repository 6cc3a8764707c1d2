// SPDX-License-Identifier: GPL-3.0-or-later
// A network of the user's own, from a shared object that exports LOCKSTEP_MODEL (model.h).
#pragma once

#include "trainer/models/model.h"

#include <string>

namespace lockstep::trainer {

// The library stays loaded. Throws Failure(Options) that says what about the file does not fit.
[[nodiscard]] std::shared_ptr<Model> makeLibraryModel(const std::string& file, const ModelOptions& options,
                                                      const SampleShape& shape);

} // namespace lockstep::trainer
