// SPDX-License-Identifier: GPL-3.0-or-later
// XXH64 with seed 0: whether ranks hold the same bytes, parameters or programs, at the speed of memory. It tells
// accidents, not attackers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace lockstep::trainer {

class ContentHash {
public:
    // In as many pieces as one likes.
    void add(std::span<const std::byte> bytes);
    void add(const void* bytes, std::size_t size) { add({static_cast<const std::byte*>(bytes), size}); }
    [[nodiscard]] std::uint64_t value() const; // of all so far
    [[nodiscard]] std::string hex() const;     // 16 digits

private:
    static constexpr std::size_t kStripe = 32;
    static constexpr std::uint64_t kPrime1 = 0x9e3779b185ebca87;
    static constexpr std::uint64_t kPrime2 = 0xc2b2ae3d27d4eb4f;

    void stripe(const std::byte* bytes);

    std::array<std::uint64_t, 4> m_lanes{kPrime1 + kPrime2, kPrime2, 0, 0 - kPrime1};
    std::array<std::byte, kStripe> m_rest{};
    std::size_t m_restSize = 0;
    std::uint64_t m_total = 0;
};

// Of a file's bytes; 0 when it cannot be read.
[[nodiscard]] std::uint64_t hashOfFile(const std::string& path);

} // namespace lockstep::trainer
