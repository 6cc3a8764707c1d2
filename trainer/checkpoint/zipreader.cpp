// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/checkpoint/ziparchive.h"

#include "trainer/checkpoint/zipformat.h"
#include "trainer/failure.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

namespace lockstep::trainer {

namespace {

constexpr std::size_t kLongestComment = 65535;

[[noreturn]] void refuse(const std::string& path, const std::string& why)
{
    throw Failure(ExitCode::Checkpoint, "cannot read " + path + ": " + why);
}

std::vector<std::byte> readWhole(const std::string& path)
{
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(path, error); // an error for a folder too
    if (error)
        refuse(path, error.message());
    std::vector<std::byte> bytes(size);
    std::ifstream file(path, std::ios::binary);
    if (!file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size)))
        refuse(path, std::strerror(errno));
    return bytes;
}

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

} // namespace

ZipReader::ZipReader(std::string path) : m_path(std::move(path)), m_bytes(readWhole(m_path))
{
    const std::span<const std::byte> bytes(m_bytes);
    const auto end = findEndOfDirectory(bytes);
    if (!end)
        refuse(m_path, "it is no checkpoint, or its end is missing");
    const std::size_t count = zip::at<std::uint16_t>(bytes, *end + 10);
    std::size_t position = zip::at<std::uint32_t>(bytes, *end + 16);
    for (std::size_t i = 0; i < count; ++i) {
        if (position > *end || *end - position < zip::kCentralHeaderBytes ||
            zip::at<std::uint32_t>(bytes, position) != zip::kCentralHeader)
            refuse(m_path, "its directory is broken");
        const std::uint16_t method = zip::at<std::uint16_t>(bytes, position + 10);
        const std::uint32_t crc = zip::at<std::uint32_t>(bytes, position + 16);
        const std::uint32_t size = zip::at<std::uint32_t>(bytes, position + 24);
        const std::size_t nameBytes = zip::at<std::uint16_t>(bytes, position + 28);
        const std::size_t rest =
            std::size_t{zip::at<std::uint16_t>(bytes, position + 30)} + zip::at<std::uint16_t>(bytes, position + 32);
        const std::size_t local = zip::at<std::uint32_t>(bytes, position + 42);
        if (*end - position - zip::kCentralHeaderBytes < nameBytes + rest)
            refuse(m_path, "its directory is broken");
        const std::string name(reinterpret_cast<const char*>(m_bytes.data()) + position + zip::kCentralHeaderBytes,
                               nameBytes);
        if (method != zip::kStored)
            refuse(m_path, name + " is compressed, which checkpoints never are");
        if (local > *end || *end - local < zip::kLocalHeaderBytes ||
            zip::at<std::uint32_t>(bytes, local) != zip::kLocalHeader)
            refuse(m_path, name + " is not where the directory says");
        const std::size_t content = local + zip::kLocalHeaderBytes + zip::at<std::uint16_t>(bytes, local + 26) +
                                    zip::at<std::uint16_t>(bytes, local + 28);
        if (content > *end || *end - content < size)
            refuse(m_path, name + " is cut off");
        if (m_folder.empty())
            m_folder = name.substr(0, name.find('/'));
        m_entries[name] = Entry{content, size, crc};
        position += zip::kCentralHeaderBytes + nameBytes + rest;
    }
}

std::span<const std::byte> ZipReader::content(const std::string& name) const
{
    const auto found = m_entries.find(name);
    if (found == m_entries.end())
        refuse(m_path, "it has no " + name);
    const auto content = std::span<const std::byte>(m_bytes).subspan(found->second.offset, found->second.size);
    if (zip::crc(content) != found->second.crc)
        refuse(m_path, name + " is damaged (its checksum is wrong)");
    return content;
}

} // namespace lockstep::trainer
