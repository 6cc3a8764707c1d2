// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/wire/decoder.h"

#include "core/wire/grammar.h"

#include <charconv>
#include <cstring>

namespace lockstep::wire {

namespace {

constexpr std::size_t kMaxLineBytes = kMaxRecordBytes - 1; // without its newline

const char* findByte(const char* from, const char* end, char byte)
{
    const void* found = std::memchr(from, byte, static_cast<std::size_t>(end - from));
    return found != nullptr ? static_cast<const char*>(found) : end;
}

bool allOf(const char* from, const char* end, const std::array<bool, 256>& set)
{
    for (; from != end; ++from) {
        if (!set[static_cast<unsigned char>(*from)])
            return false;
    }
    return true;
}

template <typename T>
bool parseWhole(const char* from, const char* end, T& value)
{
    const auto result = std::from_chars(from, end, value);
    return result.ec == std::errc{} && result.ptr == end;
}

bool parseRank(const char* from, const char* end, int& rank)
{
    if (end - from == 1 && *from == '-') {
        rank = kNode;
        return true;
    }
    return from != end && *from != '-' && parseWhole(from, end, rank);
}

// `key=value`, ended by a space or the end of the line; returns what follows, nullptr: no field.
const char* parseField(const char* at, const char* end, Field& field)
{
    const char* const key = at;
    while (at != end && kKeyBytes[static_cast<unsigned char>(*at)])
        ++at;
    const auto keyBytes = static_cast<std::size_t>(at - key);
    if (at == end || *at != '=' || keyBytes == 0 || keyBytes > kMaxKeyBytes)
        return nullptr;
    const char* const value = ++at;
    while (at != end && *at != ' ')
        ++at;
    field.key = {key, keyBytes};
    field.raw = {value, static_cast<std::size_t>(at - value)};
    return at;
}

} // namespace

bool decodeLine(std::string_view line, RecordView& record, std::vector<Field>& fields)
{
    fields.clear();
    const char* const end = line.data() + line.size();

    const char* const kind = line.data();
    const char* const kindEnd = findByte(kind, end, ' ');
    const auto kindBytes = static_cast<std::size_t>(kindEnd - kind);
    if (kindEnd == end || kindBytes == 0 || kindBytes > kMaxKindBytes || *kind < 'a' || *kind > 'z' ||
        !allOf(kind, kindEnd, kKindBytes))
        return false;

    const char* const rank = kindEnd + 1;
    const char* const rankEnd = findByte(rank, end, ' ');
    if (rankEnd == end || !parseRank(rank, rankEnd, record.rank))
        return false;

    const char* const time = rankEnd + 1;
    const char* at = findByte(time, end, ' ');
    if (!parseWhole(time, at, record.timeUs))
        return false;

    while (at != end) {
        if (*at == ' ') { // several spaces are one: lines come from `echo` too
            ++at;
            continue;
        }
        Field& field = fields.emplace_back();
        if (fields.size() > kMaxFields || (at = parseField(at, end, field)) == nullptr)
            return false;
    }
    record.kind = {kind, kindBytes};
    record.fields = &fields;
    record.line = line;
    return true;
}

void Decoder::feed(std::string_view bytes, const Sink& sink)
{
    m_counts.bytes += bytes.size();
    const char* at = bytes.data();
    const char* const end = at + bytes.size();
    while (at != end) {
        const char* const newline = findByte(at, end, '\n');
        const std::string_view piece(at, static_cast<std::size_t>(newline - at));
        const bool whole = newline != end;
        const std::uint64_t lineStart = m_offset - m_partial.size();
        m_offset += piece.size() + (whole ? 1 : 0);
        at = whole ? newline + 1 : end;

        if (!m_skipping && m_partial.size() + piece.size() > kMaxLineBytes) {
            ++m_counts.oversize;
            m_skipping = true;
            m_partial.clear();
        }
        if (m_skipping) {
            m_skipping = !whole;
            continue;
        }
        if (!whole) {
            m_partial.append(piece);
            return;
        }
        if (m_partial.empty()) {
            take(piece, lineStart, sink);
        } else {
            m_partial.append(piece);
            take(m_partial, lineStart, sink);
            m_partial.clear();
        }
    }
}

void Decoder::take(std::string_view line, std::uint64_t offset, const Sink& sink)
{
    RecordView record;
    if (!decodeLine(line, record, m_fields)) {
        ++m_counts.malformed;
        return;
    }
    ++m_counts.records;
    record.offset = offset;
    sink(record);
}

} // namespace lockstep::wire
