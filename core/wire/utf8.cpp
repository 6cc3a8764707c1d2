// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/wire/utf8.h"

namespace lockstep::wire {

namespace {

unsigned char byteAt(std::string_view bytes, std::size_t i)
{
    return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0;
}

bool isContinuation(unsigned char byte)
{
    return (byte & 0xc0) == 0x80;
}

} // namespace

// Table 3-7 of the Unicode standard.
std::size_t utf8SequenceLength(std::string_view bytes)
{
    const unsigned char first = byteAt(bytes, 0);
    const unsigned char second = byteAt(bytes, 1);
    if (bytes.empty())
        return 0;
    if (first < 0x80)
        return 1;
    if (first < 0xc2 || first > 0xf4 || !isContinuation(second))
        return 0;
    if (first < 0xe0)
        return 2;
    if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) || (first == 0xf0 && second < 0x90) ||
        (first == 0xf4 && second > 0x8f) || !isContinuation(byteAt(bytes, 2)))
        return 0;
    if (first < 0xf0)
        return 3;
    return isContinuation(byteAt(bytes, 3)) ? 4 : 0;
}

} // namespace lockstep::wire
