// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/contenthash.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <vector>

namespace lockstep::trainer {

namespace {

constexpr std::uint64_t kPrime3 = 0x165667b19e3779f9;
constexpr std::uint64_t kPrime4 = 0x85ebca77c2b2ae63;
constexpr std::uint64_t kPrime5 = 0x27d4eb2f165667c5;
constexpr std::size_t kPiece = 1 << 20;

template <typename Word>
Word wordAt(const std::byte* bytes)
{
    static_assert(std::endian::native == std::endian::little);
    Word word;
    std::memcpy(&word, bytes, sizeof word);
    return word;
}

} // namespace

void ContentHash::stripe(const std::byte* bytes)
{
    for (std::size_t lane = 0; lane < m_lanes.size(); ++lane)
        m_lanes[lane] =
            std::rotl(m_lanes[lane] + wordAt<std::uint64_t>(bytes + lane * sizeof(std::uint64_t)) * kPrime2, 31) *
            kPrime1;
}

void ContentHash::add(std::span<const std::byte> bytes)
{
    m_total += bytes.size();
    if (m_restSize > 0) {
        const std::size_t taken = std::min(kStripe - m_restSize, bytes.size());
        std::copy_n(bytes.begin(), taken, m_rest.begin() + static_cast<std::ptrdiff_t>(m_restSize));
        m_restSize += taken;
        bytes = bytes.subspan(taken);
        if (m_restSize < kStripe)
            return;
        stripe(m_rest.data());
    }
    for (; bytes.size() >= kStripe; bytes = bytes.subspan(kStripe))
        stripe(bytes.data());
    std::ranges::copy(bytes, m_rest.begin());
    m_restSize = bytes.size();
}

std::uint64_t ContentHash::value() const
{
    std::uint64_t hash = kPrime5;
    if (m_total >= kStripe) {
        hash =
            std::rotl(m_lanes[0], 1) + std::rotl(m_lanes[1], 7) + std::rotl(m_lanes[2], 12) + std::rotl(m_lanes[3], 18);
        for (const std::uint64_t lane : m_lanes)
            hash = (hash ^ (std::rotl(lane * kPrime2, 31) * kPrime1)) * kPrime1 + kPrime4;
    }
    hash += m_total;
    const std::byte* at = m_rest.data();
    const std::byte* const end = at + m_restSize;
    for (; end - at >= 8; at += 8)
        hash = std::rotl(hash ^ (std::rotl(wordAt<std::uint64_t>(at) * kPrime2, 31) * kPrime1), 27) * kPrime1 + kPrime4;
    for (; end - at >= 4; at += 4)
        hash = std::rotl(hash ^ (wordAt<std::uint32_t>(at) * kPrime1), 23) * kPrime2 + kPrime3;
    for (; at != end; ++at)
        hash = std::rotl(hash ^ (std::to_integer<std::uint64_t>(*at) * kPrime5), 11) * kPrime1;
    hash = (hash ^ (hash >> 33)) * kPrime2;
    hash = (hash ^ (hash >> 29)) * kPrime3;
    return hash ^ (hash >> 32);
}

std::string ContentHash::hex() const
{
    std::array<char, 17> text{};
    std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(value()));
    return text.data();
}

std::uint64_t hashOfFile(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    std::vector<char> piece(kPiece);
    ContentHash hash;
    while (file.read(piece.data(), kPiece), file.gcount() > 0)
        hash.add(piece.data(), static_cast<std::size_t>(file.gcount()));
    return file.bad() || !file.eof() ? 0 : hash.value();
}

} // namespace lockstep::trainer
