// SPDX-License-Identifier: GPL-3.0-or-later
// Lets a node fetch a torch with its own pip, into its cache (`lockstep-agent fetch-torch`). Worker thread.
#pragma once

#include "core/bundleabout.h"
#include "remote/nodelink.h"

#include <functional>

namespace lockstep {

// The folder .../torch there. `progressed`: "fetching torch: 1.2 of 3.5 GB", each second.
[[nodiscard]] Result<QByteArray> fetchTorch(const NodeLink& link, const BundleAbout& about,
                                            const std::function<void(const QString&)>& progressed,
                                            std::stop_token stop);

} // namespace lockstep
