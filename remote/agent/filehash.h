// SPDX-License-Identifier: GPL-3.0-or-later
// XXH3-128 of a file, as 32 hex digits.
#pragma once

#include "remote/agent/outcome.h"

#include <cstdint>
#include <string>

namespace lockstep::agent {

struct HashedFile {
    std::string hash;
    std::uint64_t bytes = 0;
};

// At most `limit` bytes from the start.
[[nodiscard]] Outcome<HashedFile> hashFile(const std::string& path, std::uint64_t limit = ~std::uint64_t{0});

} // namespace lockstep::agent
