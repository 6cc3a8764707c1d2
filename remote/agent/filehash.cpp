// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/filehash.h"

#include "remote/agent/fd.h"
#include "remote/agent/xxhex.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <vector>

namespace lockstep::agent {

namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

} // namespace

Outcome<HashedFile> hashFile(const std::string& path, std::uint64_t limit)
{
    const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file.isOpen())
        return failedSystemCall("open " + path);
    XXH3_state_t state;
    XXH3_128bits_reset(&state);
    HashedFile hashed;
    std::vector<char> piece(kPieceBytes);
    while (hashed.bytes < limit) {
        const ssize_t got =
            ::read(file.get(), piece.data(),
                   static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), limit - hashed.bytes)));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return failedSystemCall("read " + path);
        if (got == 0)
            break;
        XXH3_128bits_update(&state, piece.data(), static_cast<std::size_t>(got));
        hashed.bytes += static_cast<std::uint64_t>(got);
    }
    hashed.hash = hexOf(XXH3_128bits_digest(&state));
    return hashed;
}

} // namespace lockstep::agent
