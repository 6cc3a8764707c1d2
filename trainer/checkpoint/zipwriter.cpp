// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/checkpoint/ziparchive.h"

#include "trainer/checkpoint/zipformat.h"
#include "trainer/failure.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <limits>

namespace lockstep::trainer {

namespace {

constexpr mode_t kMode = 0644;
constexpr std::uint64_t kMostBytes = std::numeric_limits<std::uint32_t>::max();

[[noreturn]] void refuse(const std::string& path, const std::string& why)
{
    throw Failure(ExitCode::Checkpoint, "cannot write " + path + ": " + why);
}

void syncFolderOf(const std::string& path)
{
    const auto folder = std::filesystem::absolute(path).parent_path();
    const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0)
        return; // readable for nobody: the rename has happened all the same
    fsync(descriptor);
    close(descriptor);
}

} // namespace

std::uint32_t zip::crc(std::span<const std::byte> bytes)
{
    return static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

ZipWriter::ZipWriter(std::string path) : m_path(std::move(path)), m_aside(m_path + ".new." + std::to_string(getpid()))
{
    m_descriptor = open(m_aside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kMode);
    if (m_descriptor < 0)
        refuse(m_aside, std::strerror(errno));
}

ZipWriter::~ZipWriter()
{
    if (m_descriptor < 0)
        return;
    close(m_descriptor);
    unlink(m_aside.c_str());
}

void ZipWriter::add(const std::string& name, std::span<const std::byte> content)
{
    const std::uint64_t bare = m_position + zip::kLocalHeaderBytes + name.size() + 4; // 4: the extra field's own header
    const std::uint64_t padding = (zip::kAlignment - bare % zip::kAlignment) % zip::kAlignment;
    if (bare + padding + content.size() > kMostBytes)
        refuse(m_path, "it would be larger than 4 GiB");
    const Entry entry{name, zip::crc(content), static_cast<std::uint32_t>(content.size()),
                      static_cast<std::uint32_t>(m_position)};
    std::string header;
    zip::append(header, zip::kLocalHeader);
    zip::append(header, zip::kVersion);
    zip::append(header, std::uint16_t{0}); // flags
    zip::append(header, zip::kStored);
    zip::append(header, std::uint32_t{0}); // time and date: two equal states make two equal files
    zip::append(header, entry.crc);
    zip::append(header, entry.size);
    zip::append(header, entry.size);
    zip::append(header, static_cast<std::uint16_t>(name.size()));
    zip::append(header, static_cast<std::uint16_t>(4 + padding));
    header += name;
    zip::append(header, zip::kPaddingField);
    zip::append(header, static_cast<std::uint16_t>(padding));
    header.append(padding, 'Z');
    writeAll(header);
    writeAll({reinterpret_cast<const char*>(content.data()), content.size()});
    m_entries.push_back(entry);
}

void ZipWriter::commit()
{
    const std::uint64_t start = m_position;
    std::string directory;
    for (const Entry& entry : m_entries) {
        zip::append(directory, zip::kCentralHeader);
        zip::append(directory, zip::kVersion);
        zip::append(directory, zip::kVersion);
        zip::append(directory, std::uint16_t{0});
        zip::append(directory, zip::kStored);
        zip::append(directory, std::uint32_t{0});
        zip::append(directory, entry.crc);
        zip::append(directory, entry.size);
        zip::append(directory, entry.size);
        zip::append(directory, static_cast<std::uint16_t>(entry.name.size()));
        directory.append(12, '\0'); // no extra field, no comment, disk 0, attributes 0
        zip::append(directory, entry.offset);
        directory += entry.name;
    }
    const auto count = static_cast<std::uint16_t>(m_entries.size());
    const std::size_t bytes = directory.size();
    zip::append(directory, zip::kEndOfDirectory);
    zip::append(directory, std::uint32_t{0});
    zip::append(directory, count);
    zip::append(directory, count);
    zip::append(directory, static_cast<std::uint32_t>(bytes));
    zip::append(directory, static_cast<std::uint32_t>(start));
    zip::append(directory, std::uint16_t{0});
    if (m_entries.size() > std::numeric_limits<std::uint16_t>::max() || start + directory.size() > kMostBytes)
        refuse(m_path, "it would be larger than 4 GiB or have more than 65535 tensors");
    writeAll(directory);
    if (fsync(m_descriptor) != 0)
        refuse(m_aside, std::strerror(errno));
    if (rename(m_aside.c_str(), m_path.c_str()) != 0)
        refuse(m_path, std::strerror(errno));
    close(m_descriptor);
    m_descriptor = -1;
    syncFolderOf(m_path);
}

void ZipWriter::writeAll(std::string_view bytes)
{
    m_position += bytes.size();
    while (!bytes.empty()) {
        const ssize_t wrote = write(m_descriptor, bytes.data(), bytes.size());
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0)
            refuse(m_aside, std::strerror(errno));
        bytes.remove_prefix(static_cast<std::size_t>(wrote));
    }
}

} // namespace lockstep::trainer
