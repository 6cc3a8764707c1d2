// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/checkpoint/ziparchive.h"

#include "trainer/checkpoint/zipformat.h"

#include <zlib.h>

namespace lockstep::trainer {

std::uint32_t zip::crc(std::span<const std::byte> bytes)
{
    return static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

ZipWriter::ZipWriter(std::string path, std::uint64_t zip64From) : m_file(std::move(path)), m_zip64From(zip64From) {}

void ZipWriter::append(std::string_view bytes)
{
    m_file.append(std::as_bytes(std::span(bytes.data(), bytes.size())));
}

void ZipWriter::add(const std::string& name, std::span<const std::byte> content)
{
    const Entry entry{name, zip::crc(content), content.size(), m_file.end()};
    const bool large = entry.size >= m_zip64From;
    std::string extra;
    if (large) {
        zip::append(extra, zip::kField64);
        zip::append(extra, static_cast<std::uint16_t>(2 * sizeof entry.size));
        zip::append(extra, entry.size);
        zip::append(extra, entry.size);
    }
    const std::uint64_t bare =
        entry.offset + zip::kLocalHeaderBytes + name.size() + extra.size() + zip::kExtraHeaderBytes;
    const std::uint64_t padding = (zip::kAlignment - bare % zip::kAlignment) % zip::kAlignment;
    zip::append(extra, zip::kPaddingField);
    zip::append(extra, static_cast<std::uint16_t>(padding));
    extra.append(padding, 'Z');

    std::string header;
    zip::append(header, zip::kLocalHeader);
    zip::append(header, large ? zip::kVersion64 : zip::kVersion);
    zip::append(header, std::uint16_t{0}); // flags
    zip::append(header, zip::kStored);
    zip::append(header, std::uint32_t{0}); // time and date: two equal states make two equal files
    zip::append(header, entry.crc);
    for (int compressedThenNot = 0; compressedThenNot < 2; ++compressedThenNot)
        zip::append(header, large ? zip::kIn64 : static_cast<std::uint32_t>(entry.size));
    zip::append(header, static_cast<std::uint16_t>(name.size()));
    zip::append(header, static_cast<std::uint16_t>(extra.size()));
    append(header + name + extra);
    m_file.append(content);
    m_entries.push_back(entry);
}

std::string ZipWriter::centralHeader(const Entry& entry) const
{
    const bool large = entry.size >= m_zip64From;
    const bool far = entry.offset >= m_zip64From;
    std::string values;
    if (large) {
        zip::append(values, entry.size);
        zip::append(values, entry.size);
    }
    if (far)
        zip::append(values, entry.offset);
    std::string extra;
    if (!values.empty()) {
        zip::append(extra, zip::kField64);
        zip::append(extra, static_cast<std::uint16_t>(values.size()));
        extra += values;
    }

    const std::uint16_t version = extra.empty() ? zip::kVersion : zip::kVersion64;
    std::string header;
    zip::append(header, zip::kCentralHeader);
    zip::append(header, version);
    zip::append(header, version);
    zip::append(header, std::uint16_t{0});
    zip::append(header, zip::kStored);
    zip::append(header, std::uint32_t{0});
    zip::append(header, entry.crc);
    for (int compressedThenNot = 0; compressedThenNot < 2; ++compressedThenNot)
        zip::append(header, large ? zip::kIn64 : static_cast<std::uint32_t>(entry.size));
    zip::append(header, static_cast<std::uint16_t>(entry.name.size()));
    zip::append(header, static_cast<std::uint16_t>(extra.size()));
    header.append(10, '\0'); // no comment, disk 0, attributes 0
    zip::append(header, far ? zip::kIn64 : static_cast<std::uint32_t>(entry.offset));
    return header + entry.name + extra;
}

std::string ZipWriter::endOfDirectory(std::uint64_t start, std::uint64_t bytes) const
{
    const std::uint64_t count = m_entries.size();
    const bool many = count >= zip::kCountIn64;
    const bool far = start >= m_zip64From || bytes >= m_zip64From;
    std::string end;
    if (many || far) {
        zip::append(end, zip::kEndOfDirectory64);
        zip::append(end, std::uint64_t{zip::kEndOfDirectory64Bytes - 12}); // without the two fields so far
        zip::append(end, zip::kVersion64);
        zip::append(end, zip::kVersion64);
        zip::append(end, std::uint64_t{0}); // two disk numbers
        zip::append(end, count);
        zip::append(end, count);
        zip::append(end, bytes);
        zip::append(end, start);
        zip::append(end, zip::kLocator64);
        zip::append(end, std::uint32_t{0});
        zip::append(end, start + bytes);
        zip::append(end, std::uint32_t{1}); // disks
    }
    zip::append(end, zip::kEndOfDirectory);
    zip::append(end, std::uint32_t{0});
    for (int onThisDiskThenInAll = 0; onThisDiskThenInAll < 2; ++onThisDiskThenInAll)
        zip::append(end, many ? zip::kCountIn64 : static_cast<std::uint16_t>(count));
    zip::append(end, far ? zip::kIn64 : static_cast<std::uint32_t>(bytes));
    zip::append(end, far ? zip::kIn64 : static_cast<std::uint32_t>(start));
    zip::append(end, std::uint16_t{0});
    return end;
}

void ZipWriter::commit()
{
    const std::uint64_t start = m_file.end();
    std::string directory;
    for (const Entry& entry : m_entries)
        directory += centralHeader(entry);
    append(directory + endOfDirectory(start, directory.size()));
    m_file.commit();
}

} // namespace lockstep::trainer
