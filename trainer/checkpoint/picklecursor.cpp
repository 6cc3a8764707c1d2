// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/checkpoint/picklecursor.h"

#include "trainer/failure.h"

#include <algorithm>
#include <bit>

namespace lockstep::trainer {

namespace {

constexpr std::size_t kLongestLine = 4096; // of a global's two
constexpr std::size_t kMostLongBytes = 8;

} // namespace

void PickleCursor::refuse(const std::string& why) const
{
    throw Failure(ExitCode::Checkpoint, "cannot read " + m_name + ": " + why);
}

std::size_t PickleCursor::skip(std::size_t bytes)
{
    if (m_bytes.size() - m_position < bytes)
        refuse("it ends in the middle");
    const std::size_t start = m_position;
    m_position += bytes;
    return start;
}

std::string PickleCursor::word(std::size_t bytes)
{
    const std::size_t start = skip(bytes);
    return {reinterpret_cast<const char*>(m_bytes.data()) + start, bytes};
}

std::string PickleCursor::line()
{
    const auto rest = m_bytes.subspan(m_position);
    const auto end = std::ranges::find(rest, std::byte{'\n'});
    const auto bytes = static_cast<std::size_t>(end - rest.begin());
    if (end == rest.end() || bytes > kLongestLine)
        refuse("it ends in the middle");
    std::string text = word(bytes);
    skip(1);
    return text;
}

std::int64_t PickleCursor::longInteger()
{
    const std::size_t bytes = number<std::uint8_t>();
    if (bytes > kMostLongBytes)
        refuse("it has a whole number beyond 64 bits");
    std::uint64_t value = 0;
    std::uint8_t last = 0;
    for (std::size_t i = 0; i < bytes; ++i) {
        last = number<std::uint8_t>();
        value |= std::uint64_t{last} << (8 * i);
    }
    if (bytes > 0 && bytes < kMostLongBytes && (last & 0x80) != 0)
        value |= ~std::uint64_t{0} << (8 * bytes);
    return static_cast<std::int64_t>(value);
}

double PickleCursor::real()
{
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < sizeof bits; ++i)
        bits = bits << 8 | number<std::uint8_t>();
    return std::bit_cast<double>(bits);
}

} // namespace lockstep::trainer
