// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/wire/escape.h"

#include "core/wire/utf8.h"

#include <array>

namespace lockstep::wire {

namespace {

constexpr char kHexDigits[] = "0123456789abcdef";

// 0: stands as it is; 1: part of a multi-byte sequence, to be checked; 2: \xHH; else the letter after the backslash.
constexpr std::array<char, 256> makeEscapeTable()
{
    std::array<char, 256> table{};
    for (std::size_t i = 0; i < table.size(); ++i)
        table[i] = i < 0x20 || i == 0x7f ? '\2' : i >= 0x80 ? '\1' : '\0';
    table[' '] = 's';
    table['\n'] = 'n';
    table['\t'] = 't';
    table['\r'] = 'r';
    table['\\'] = '\\';
    return table;
}
constexpr std::array<char, 256> kEscapeTable = makeEscapeTable();

void appendHex(std::string& out, unsigned char byte)
{
    const char text[4] = {'\\', 'x', kHexDigits[byte >> 4], kHexDigits[byte & 15]};
    out.append(text, sizeof text);
}

int hexValue(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

} // namespace

void appendEscaped(std::string& out, std::string_view bytes)
{
    std::size_t plain = 0; // start of the stretch that stands as it is
    std::size_t i = 0;
    while (i < bytes.size()) {
        const auto byte = static_cast<unsigned char>(bytes[i]);
        const char action = kEscapeTable[byte];
        std::size_t width = 1;
        if (action == '\0' || (action == '\1' && (width = utf8SequenceLength(bytes.substr(i))) != 0)) {
            i += width;
            continue;
        }
        out.append(bytes, plain, i - plain);
        if (action == '\1' || action == '\2') {
            appendHex(out, byte);
        } else {
            out.push_back('\\');
            out.push_back(action);
        }
        plain = ++i;
    }
    out.append(bytes, plain, bytes.size() - plain);
}

std::optional<std::string> unescaped(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c != '\\') {
            if (static_cast<unsigned char>(c) <= 0x20 || c == 0x7f)
                return std::nullopt;
            out.push_back(c);
            continue;
        }
        if (++i == text.size())
            return std::nullopt;
        switch (text[i]) {
        case 's':
            out.push_back(' ');
            break;
        case 'n':
            out.push_back('\n');
            break;
        case 't':
            out.push_back('\t');
            break;
        case 'r':
            out.push_back('\r');
            break;
        case '\\':
            out.push_back('\\');
            break;
        case 'x': {
            if (text.size() - i < 3)
                return std::nullopt;
            const int high = hexValue(text[i + 1]);
            const int low = hexValue(text[i + 2]);
            if (high < 0 || low < 0)
                return std::nullopt;
            out.push_back(static_cast<char>(high * 16 + low));
            i += 2;
            break;
        }
        default: // any other letter is not an escape of this format
            return std::nullopt;
        }
    }
    return out;
}

} // namespace lockstep::wire
