// SPDX-License-Identifier: GPL-3.0-or-later
// The zip archive around a PyTorch checkpoint: stored entries (never compressed), a CRC each, contents aligned to 64
// bytes as torch.save does; zip64 where an entry, its place or their number needs it.
#pragma once

#include "trainer/checkpoint/asidefile.h"
#include "trainer/data/mappedfile.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::trainer {

// Both throw Failure(Checkpoint) with the file's name and what is wrong with it.
class ZipWriter {
public:
    static constexpr std::uint64_t kMost32 = 0xffffffff;

    // Numbers from `zip64From` on are written in zip64's form; a test that wants no 4 GiB gives a smaller one.
    explicit ZipWriter(std::string path, std::uint64_t zip64From = kMost32);

    void add(const std::string& name, std::span<const std::byte> content); // written at once
    void commit();
    [[nodiscard]] std::uint64_t bytes() const { return m_file.end(); }

private:
    struct Entry {
        std::string name;
        std::uint32_t crc;
        std::uint64_t size;
        std::uint64_t offset;
    };

    void append(std::string_view bytes);
    [[nodiscard]] std::string centralHeader(const Entry& entry) const;
    [[nodiscard]] std::string endOfDirectory(std::uint64_t start, std::uint64_t bytes) const;

    AsideFile m_file;
    std::uint64_t m_zip64From;
    std::vector<Entry> m_entries;
};

class ZipReader {
public:
    explicit ZipReader(std::string path); // maps the file

    [[nodiscard]] bool has(const std::string& name) const { return m_entries.contains(name); }
    // Checks the CRC, the first time. Valid as long as the reader.
    [[nodiscard]] std::span<const std::byte> content(const std::string& name) const;
    // The folder all entries lie in ("archive"), as PyTorch finds it: the first entry's name up to its first slash.
    [[nodiscard]] const std::string& folder() const { return m_folder; }

private:
    struct Entry {
        std::uint64_t offset; // of the content
        std::uint64_t size;
        std::uint32_t crc;
        mutable bool checked = false;
    };
    struct Directory {
        std::uint64_t start;
        std::uint64_t count;
        std::uint64_t end; // where entries and directory end
    };

    [[noreturn]] void refuse(const std::string& why) const;
    [[nodiscard]] Directory findDirectory() const;
    std::uint64_t readEntry(std::uint64_t position, std::uint64_t end); // of the directory; returns the next position

    std::string m_path;
    MappedFile m_file;
    std::span<const std::byte> m_bytes;
    std::map<std::string, Entry> m_entries;
    std::string m_folder;
};

} // namespace lockstep::trainer
