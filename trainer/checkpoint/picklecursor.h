// SPDX-License-Identifier: GPL-3.0-or-later
// Reads a pickle's bytes from front to back: numbers, words, lines. Lengths are checked against what is there before
// anything is allocated; what doesn't fit ends in refuse().
#pragma once

#include "trainer/checkpoint/zipformat.h"

#include <cstdint>
#include <span>
#include <string>

namespace lockstep::trainer {

class PickleCursor {
public:
    // Both must outlive the cursor; `name` is for the sentence of a refusal.
    PickleCursor(std::span<const std::byte> bytes, const std::string& name) : m_bytes(bytes), m_name(name) {}

    [[noreturn]] void refuse(const std::string& why) const; // throws Failure(Checkpoint)

    template <typename Number>
    [[nodiscard]] Number number()
    {
        return zip::at<Number>(m_bytes, skip(sizeof(Number)));
    }

    [[nodiscard]] std::string word(std::size_t bytes);
    [[nodiscard]] std::string line();         // without its end
    [[nodiscard]] std::int64_t longInteger(); // a byte's worth of length, then two's complement
    [[nodiscard]] double real();              // big-endian, alone among pickle's numbers
    std::size_t skip(std::size_t bytes);      // where they start

private:
    std::span<const std::byte> m_bytes;
    const std::string& m_name;
    std::size_t m_position = 0;
};

} // namespace lockstep::trainer
