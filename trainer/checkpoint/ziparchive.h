// SPDX-License-Identifier: GPL-3.0-or-later
// The zip archive around a PyTorch checkpoint: stored entries (never compressed), a CRC each, contents aligned to 64
// bytes as torch.save does, no zip64 (files up to 4 GiB). The writer writes aside, syncs and renames: a reader sees the
// old file or the whole new one.
#pragma once

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
    explicit ZipWriter(std::string path);
    ~ZipWriter(); // without commit(): nothing was written
    ZipWriter(const ZipWriter&) = delete;
    ZipWriter& operator=(const ZipWriter&) = delete;

    void add(const std::string& name, std::span<const std::byte> content);
    void commit();

private:
    struct Entry {
        std::string name;
        std::uint32_t crc;
        std::uint32_t size;
        std::uint32_t offset;
    };

    void writeAll(std::string_view bytes);

    std::string m_path;
    std::string m_aside;
    int m_descriptor = -1;
    std::uint64_t m_position = 0;
    std::vector<Entry> m_entries;
};

class ZipReader {
public:
    explicit ZipReader(std::string path); // reads the whole file

    [[nodiscard]] bool has(const std::string& name) const { return m_entries.contains(name); }
    [[nodiscard]] std::span<const std::byte> content(const std::string& name) const; // valid as long as the reader
    // The folder all entries lie in ("archive"), as PyTorch finds it: the first entry's name up to its first slash.
    [[nodiscard]] const std::string& folder() const { return m_folder; }

private:
    struct Entry {
        std::uint64_t offset; // of the content
        std::uint64_t size;
        std::uint32_t crc;
    };

    std::string m_path;
    std::vector<std::byte> m_bytes;
    std::map<std::string, Entry> m_entries;
    std::string m_folder;
};

} // namespace lockstep::trainer
