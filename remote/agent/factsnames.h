// SPDX-License-Identifier: GPL-3.0-or-later
// How this node resolves its own name, and what its hosts file says of it and of localhost.
#pragma once

#include "core/wire/encoder.h"

#include <string>
#include <string_view>
#include <vector>

namespace lockstep::agent {

// self/N/addr as the resolver answers, or self_error; hosts/N/addr: of the own name in the hosts file;
// localhost/N/addr: of localhost there.
void appendNames(wire::Encoder& record, const std::string& etcRoot);

[[nodiscard]] std::vector<std::string> addressesInHosts(const std::string& file, std::string_view name);

} // namespace lockstep::agent
