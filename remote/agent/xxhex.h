// SPDX-License-Identifier: GPL-3.0-or-later
// XXH3-128 as the 32 hex digits that contents are named by. Includes xxhash.h inline: for .cpp files only.
#pragma once

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <string>
#include <string_view>

namespace lockstep::agent {

[[nodiscard]] inline std::string hexOf(const XXH128_hash_t& hash)
{
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, hash);
    std::string text;
    for (const unsigned char byte : canonical.digest) {
        text.push_back("0123456789abcdef"[byte >> 4]);
        text.push_back("0123456789abcdef"[byte & 15]);
    }
    return text;
}

} // namespace lockstep::agent
