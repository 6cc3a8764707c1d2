// SPDX-License-Identifier: GPL-3.0-or-later
// splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014): neighbouring inputs give
// unrelated numbers.
#pragma once

#include <cstdint>

namespace lockstep::trainer {

inline constexpr std::uint64_t kSplitmixStep = 0x9e3779b97f4a7c15U; // 2^64 divided by the golden ratio

[[nodiscard]] constexpr std::uint64_t splitmix(std::uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

} // namespace lockstep::trainer
