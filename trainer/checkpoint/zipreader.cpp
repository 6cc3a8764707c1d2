// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/checkpoint/ziparchive.h"

#include "trainer/checkpoint/zipformat.h"

#include <optional>

namespace lockstep::trainer {

namespace {

constexpr std::size_t kLongestComment = 65535;

std::optional<std::size_t> findEndOfDirectory(std::span<const std::byte> bytes)
{
    if (bytes.size() < zip::kEndOfDirectoryBytes)
        return std::nullopt;
    const std::size_t last = bytes.size() - zip::kEndOfDirectoryBytes;
    const std::size_t first = last > kLongestComment ? last - kLongestComment : 0;
    for (std::size_t at = last + 1; at-- > first;) {
        if (zip::at<std::uint32_t>(bytes, at) == zip::kEndOfDirectory)
            return at;
    }
    return std::nullopt;
}

// The zip64 extra field's values, taken one after another by the fields that point there.
class Values64 {
public:
    explicit Values64(std::span<const std::byte> extra)
    {
        while (extra.size() >= zip::kExtraHeaderBytes) {
            const std::size_t bytes = zip::at<std::uint16_t>(extra, 2);
            const auto rest = extra.subspan(zip::kExtraHeaderBytes);
            if (rest.size() < bytes)
                return;
            if (zip::at<std::uint16_t>(extra, 0) == zip::kField64)
                m_left = rest.first(bytes);
            extra = rest.subspan(bytes);
        }
    }

    [[nodiscard]] std::optional<std::uint64_t> value(std::uint32_t field)
    {
        if (field != zip::kIn64)
            return field;
        if (m_left.size() < sizeof(std::uint64_t))
            return std::nullopt;
        const auto number = zip::at<std::uint64_t>(m_left, 0);
        m_left = m_left.subspan(sizeof number);
        return number;
    }

private:
    std::span<const std::byte> m_left;
};

} // namespace

void ZipReader::refuse(const std::string& why) const
{
    throw Failure(ExitCode::Checkpoint, "cannot read " + m_path + ": " + why);
}

ZipReader::ZipReader(std::string path)
    : m_path(std::move(path)), m_file(m_path, ExitCode::Checkpoint), m_bytes(std::as_bytes(m_file.bytes()))
{
    const Directory directory = findDirectory();
    std::uint64_t position = directory.start;
    for (std::uint64_t i = 0; i < directory.count; ++i)
        position = readEntry(position, directory.end);
}

ZipReader::Directory ZipReader::findDirectory() const
{
    const auto end = findEndOfDirectory(m_bytes);
    if (!end)
        refuse("it is no checkpoint, or its end is missing");
    const auto count = zip::at<std::uint16_t>(m_bytes, *end + 10);
    const auto start = zip::at<std::uint32_t>(m_bytes, *end + 16);
    if (count != zip::kCountIn64 && start != zip::kIn64)
        return {start, count, *end};
    if (*end < zip::kLocator64Bytes || zip::at<std::uint32_t>(m_bytes, *end - zip::kLocator64Bytes) != zip::kLocator64)
        return {start, count, *end}; // these are the numbers themselves
    const auto place = zip::at<std::uint64_t>(m_bytes, *end - zip::kLocator64Bytes + 8);
    if (*end < zip::kEndOfDirectory64Bytes || place > *end - zip::kEndOfDirectory64Bytes ||
        zip::at<std::uint32_t>(m_bytes, place) != zip::kEndOfDirectory64)
        refuse("its directory is broken");
    return {zip::at<std::uint64_t>(m_bytes, place + 48), zip::at<std::uint64_t>(m_bytes, place + 32), place};
}

std::uint64_t ZipReader::readEntry(std::uint64_t position, std::uint64_t end)
{
    if (position > end || end - position < zip::kCentralHeaderBytes ||
        zip::at<std::uint32_t>(m_bytes, position) != zip::kCentralHeader)
        refuse("its directory is broken");
    const auto nameBytes = zip::at<std::uint16_t>(m_bytes, position + 28);
    const auto extraBytes = zip::at<std::uint16_t>(m_bytes, position + 30);
    const std::size_t rest =
        std::size_t{nameBytes} + extraBytes + zip::at<std::uint16_t>(m_bytes, position + 32); // and a comment
    if (end - position - zip::kCentralHeaderBytes < rest)
        refuse("its directory is broken");
    const std::size_t nameAt = position + zip::kCentralHeaderBytes;
    const std::string name(reinterpret_cast<const char*>(m_bytes.data()) + nameAt, nameBytes);
    if (zip::at<std::uint16_t>(m_bytes, position + 10) != zip::kStored)
        refuse(name + " is compressed, which checkpoints never are");

    Values64 values(m_bytes.subspan(nameAt + nameBytes, extraBytes));
    const auto size = values.value(zip::at<std::uint32_t>(m_bytes, position + 24));
    const auto stored = values.value(zip::at<std::uint32_t>(m_bytes, position + 20));
    const auto local = values.value(zip::at<std::uint32_t>(m_bytes, position + 42));
    if (!size || !stored || !local || *size != *stored)
        refuse("its directory is broken");
    if (*local > end || end - *local < zip::kLocalHeaderBytes ||
        zip::at<std::uint32_t>(m_bytes, *local) != zip::kLocalHeader)
        refuse(name + " is not where the directory says");
    const std::uint64_t content = *local + zip::kLocalHeaderBytes + zip::at<std::uint16_t>(m_bytes, *local + 26) +
                                  zip::at<std::uint16_t>(m_bytes, *local + 28);
    if (content > end || end - content < *size)
        refuse(name + " is cut off");
    if (m_folder.empty())
        m_folder = name.substr(0, name.find('/'));
    m_entries[name] = Entry{content, *size, zip::at<std::uint32_t>(m_bytes, position + 16)};
    return nameAt + rest;
}

std::span<const std::byte> ZipReader::content(const std::string& name) const
{
    const auto found = m_entries.find(name);
    if (found == m_entries.end())
        refuse("it has no " + name);
    const auto content = m_bytes.subspan(found->second.offset, found->second.size);
    if (!found->second.checked && zip::crc(content) != found->second.crc)
        refuse(name + " is damaged (its checksum is wrong)");
    found->second.checked = true;
    return content;
}

} // namespace lockstep::trainer
