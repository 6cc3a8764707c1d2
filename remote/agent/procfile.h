// SPDX-License-Identifier: GPL-3.0-or-later
// Reading the kernel's small text files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep::agent {

inline constexpr std::size_t kMaxProcFileBytes = std::size_t{256} * 1024;

// The file from its start, at most `limit` bytes; false: it could not be read. The descriptor stays usable for the next
// time.
[[nodiscard]] bool preadAll(int fd, std::string& into, std::size_t limit = kMaxProcFileBytes);
// Empty when it cannot be read.
[[nodiscard]] std::string readText(const std::string& path, std::size_t limit = kMaxProcFileBytes);
// readText without white space at its end.
[[nodiscard]] std::string readWord(const std::string& path);
[[nodiscard]] std::string bootId(); // empty: unknown
[[nodiscard]] std::optional<std::int64_t> readNumber(const std::string& path);
// A descriptor to read with preadAll; -1 when there is no such file.
[[nodiscard]] int openForReading(const std::string& path);

[[nodiscard]] std::string_view trimmed(std::string_view text);
// The next line without its newline; `rest` moves on. nullopt at the end.
[[nodiscard]] std::optional<std::string_view> nextLine(std::string_view& rest);
// The next word between blanks; empty at the end.
[[nodiscard]] std::string_view nextWord(std::string_view& rest);
// The number that `text` starts with, after blanks; nullopt: none.
[[nodiscard]] std::optional<std::int64_t> leadingInteger(std::string_view text);
[[nodiscard]] std::optional<double> leadingNumber(std::string_view text);

struct MemInfo {
    std::int64_t total = 0; // bytes
    std::int64_t available = 0;
};
[[nodiscard]] std::optional<MemInfo> parseMemInfo(std::string_view text);

} // namespace lockstep::agent
