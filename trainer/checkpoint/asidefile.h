// SPDX-License-Identifier: GPL-3.0-or-later
// A file that is there whole or not at all: written aside, synced, renamed, its folder synced. A reader sees the old
// file or the new one, whenever the machine goes down; a disk that is full leaves the old one as it was.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace lockstep::trainer {

// All throw Failure(Checkpoint) with the file's name and what was wrong.
class AsideFile {
public:
    explicit AsideFile(std::string path);
    ~AsideFile(); // without commit(): nothing was written
    AsideFile(const AsideFile&) = delete;
    AsideFile& operator=(const AsideFile&) = delete;

    [[nodiscard]] const std::string& path() const { return m_path; }
    [[nodiscard]] std::uint64_t end() const { return m_end; }
    void append(std::span<const std::byte> bytes);
    void writeAt(std::uint64_t offset, std::span<const std::byte> bytes); // may leave a hole before it
    void commit();

    // What processes that died while they wrote have left in a folder. Nobody may be writing there.
    static void removeLeftovers(const std::string& folder);

private:
    [[noreturn]] void refuse(const char* doing) const;

    std::string m_path;
    std::string m_aside;
    int m_descriptor = -1;
    std::uint64_t m_end = 0;
};

} // namespace lockstep::trainer
