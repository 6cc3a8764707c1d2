// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/checkpoint/safetensorsheader.h"

#include "trainer/checkpoint/zipformat.h"
#include "trainer/failure.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <set>

namespace lockstep::trainer {

namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json; // looks for a key by going through all of them: not for foreign headers

constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kAlignment = 8; // of the first tensor
constexpr std::size_t kMostDimensions = 64;
constexpr char kMetadata[] = "__metadata__";

struct Type {
    std::string_view name;
    std::uint64_t bytes;
};
constexpr std::array kTypes{Type{"F64", 8}, Type{"F32", 4},  Type{"F16", 2},     Type{"BF16", 2},
                            Type{"I64", 8}, Type{"I32", 4},  Type{"I16", 2},     Type{"I8", 1},
                            Type{"U8", 1},  Type{"BOOL", 1}, Type{"U16", 2},     Type{"U32", 4},
                            Type{"U64", 8}, Type{"C64", 8},  Type{"F8_E4M3", 1}, Type{"F8_E5M2", 1}};

class HeaderReader {
public:
    HeaderReader(std::span<const std::byte> file, const std::string& name) : m_file(file), m_name(name) {}

    std::vector<SafetensorsEntry> read()
    {
        if (m_file.size() < kLengthBytes)
            refuse("it is too short for safetensors");
        const auto length = zip::at<std::uint64_t>(m_file, 0);
        if (length > kMostSafetensorsHeader)
            refuse("its header says it is longer than the 100 MB that safetensors allows");
        if (length > m_file.size() - kLengthBytes)
            refuse("its header is cut off");
        m_start = kLengthBytes + length;
        const std::vector<SafetensorsEntry> entries = parse(m_file.subspan(kLengthBytes, length));
        checkThatAllIsCovered(entries);
        return entries;
    }

private:
    [[noreturn]] void refuse(const std::string& why) const
    {
        throw Failure(ExitCode::Checkpoint, "cannot read " + m_name + ": " + why);
    }

    // Each entry is taken as it is complete and not kept as JSON: a header of millions of names costs no more time and
    // memory than its length.
    std::vector<SafetensorsEntry> parse(std::span<const std::byte> bytes) const
    {
        using Event = Json::parse_event_t;
        const auto* first = reinterpret_cast<const char*>(bytes.data());
        if (bytes.empty() || *first != '{')
            refuse("its header does not begin with {");
        std::set<std::string> seen;
        std::string name;
        std::vector<SafetensorsEntry> entries;
        const auto take = [&](int depth, Event event, Json& value) {
            if (depth != 1 || event == Event::object_start || event == Event::array_start)
                return true;
            if (event == Event::key) {
                name = value.get<std::string>();
                if (!seen.insert(name).second)
                    refuse("its header names " + name + " twice");
                return true;
            }
            if (name != kMetadata)
                entries.push_back(entry(name, value));
            return false;
        };
        try {
            [[maybe_unused]] const Json nothingIsKept = Json::parse(first, first + bytes.size(), take);
        } catch (const Json::exception& error) {
            refuse(std::string("its header is no JSON: ") + error.what());
        }
        return entries;
    }

    static bool isCount(const Json& value) { return value.is_number_unsigned(); }

    SafetensorsEntry entry(const std::string& key, const Json& value) const
    {
        const auto bad = [&] { refuse(key + " is not described as safetensors demands"); };
        if (!value.is_object() || value.size() != 3 || !value.contains("dtype") || !value.contains("shape") ||
            !value.contains("data_offsets"))
            bad();
        const Json& type = value["dtype"];
        const Json& shape = value["shape"];
        const Json& offsets = value["data_offsets"];
        if (!type.is_string() || !shape.is_array() || !std::ranges::all_of(shape, isCount) ||
            shape.size() > kMostDimensions || !offsets.is_array() || offsets.size() != 2 ||
            !std::ranges::all_of(offsets, isCount))
            bad();
        SafetensorsEntry found{key, type.get<std::string>(), {}, 0, 0};
        const std::uint64_t element = bytesOfSafetensorsType(found.type);
        if (element == 0)
            refuse(key + " has the type " + found.type + ", which is not known");
        const auto begin = offsets[0].get<std::uint64_t>();
        const auto end = offsets[1].get<std::uint64_t>();
        if (begin > end || end > m_file.size() - m_start)
            refuse(key + " is cut off, or lies outside the file");
        std::uint64_t bytes = element;
        for (const Json& size : shape) {
            if (__builtin_mul_overflow(bytes, size.get<std::uint64_t>(), &bytes))
                refuse(key + " is too large");
            found.shape.push_back(static_cast<std::int64_t>(size.get<std::uint64_t>()));
        }
        if (bytes != end - begin)
            refuse(key + " has " + std::to_string(end - begin) + " bytes, its shape needs " + std::to_string(bytes));
        if (std::ranges::any_of(found.shape, [](std::int64_t size) { return size < 0; })) // of an empty tensor
            bad();
        found.begin = m_start + begin;
        found.end = m_start + end;
        return found;
    }

    void checkThatAllIsCovered(const std::vector<SafetensorsEntry>& entries) const
    {
        std::vector<const SafetensorsEntry*> byPlace;
        byPlace.reserve(entries.size());
        for (const SafetensorsEntry& entry : entries)
            byPlace.push_back(&entry);
        std::ranges::sort(byPlace, {}, [](const auto* entry) { return std::pair(entry->begin, entry->end); });
        std::uint64_t covered = m_start;
        for (const SafetensorsEntry* entry : byPlace) {
            if (entry->begin != covered)
                refuse(entry->name + (entry->begin < covered ? " overlaps another tensor" : " follows unnamed bytes"));
            covered = entry->end;
        }
        if (covered != m_file.size())
            refuse("it has bytes that belong to no tensor");
    }

    std::span<const std::byte> m_file;
    const std::string& m_name;
    std::uint64_t m_start = 0; // of the tensors' bytes
};

} // namespace

std::uint64_t bytesOfSafetensorsType(std::string_view type)
{
    const auto found = std::ranges::find(kTypes, type, &Type::name);
    return found == kTypes.end() ? 0 : found->bytes;
}

std::vector<SafetensorsEntry> readSafetensorsHeader(std::span<const std::byte> file, const std::string& name)
{
    return HeaderReader(file, name).read();
}

std::string makeSafetensorsHeader(std::vector<SafetensorsEntry>& entries)
{
    // Wide elements first: each tensor then begins at a multiple of its element.
    std::vector<SafetensorsEntry*> byWidth;
    byWidth.reserve(entries.size());
    for (SafetensorsEntry& entry : entries)
        byWidth.push_back(&entry);
    std::ranges::stable_sort(byWidth, std::greater{},
                             [](const auto* entry) { return bytesOfSafetensorsType(entry->type); });
    OrderedJson header;
    header[kMetadata] = {{"format", "pt"}};
    std::uint64_t place = 0;
    for (SafetensorsEntry* entry : byWidth) {
        std::uint64_t bytes = bytesOfSafetensorsType(entry->type);
        for (const std::int64_t size : entry->shape)
            bytes *= static_cast<std::uint64_t>(size);
        entry->begin = place;
        entry->end = place += bytes;
        header[entry->name] = {
            {"dtype", entry->type}, {"shape", entry->shape}, {"data_offsets", {entry->begin, entry->end}}};
    }
    std::string text = header.dump();
    text.append((kAlignment - text.size() % kAlignment) % kAlignment, ' ');
    if (text.size() > kMostSafetensorsHeader)
        throw Failure(ExitCode::Checkpoint, "so many tensors do not fit the 100 MB of a safetensors header");
    std::string out;
    zip::append(out, static_cast<std::uint64_t>(text.size()));
    out += text;
    for (SafetensorsEntry& entry : entries) {
        entry.begin += out.size();
        entry.end += out.size();
    }
    return out;
}

} // namespace lockstep::trainer
