// SPDX-License-Identifier: GPL-3.0-or-later
// SHA-256 (FIPS 180-4), for bytes that come over a connection that is not our SSH one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep::agent {

class Sha256 {
public:
    void add(std::string_view bytes);
    [[nodiscard]] std::string hex(); // once, at the end

private:
    void block(const unsigned char* bytes);

    std::array<std::uint32_t, 8> m_state{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::array<unsigned char, 64> m_pending{};
    std::size_t m_pendingBytes = 0;
    std::uint64_t m_bytes = 0;
};

} // namespace lockstep::agent
