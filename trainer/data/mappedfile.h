// SPDX-License-Identifier: GPL-3.0-or-later
// A file's bytes, mapped for reading: ranks of a node share them, and only what is touched is read. Nobody may shorten
// the file meanwhile (SIGBUS).
#pragma once

#include "trainer/failure.h"

#include <cstdint>
#include <span>
#include <string>

namespace lockstep::trainer {

class MappedFile {
public:
    // Throws Failure(code): not there, no file, empty.
    explicit MappedFile(const std::string& path, ExitCode code = ExitCode::Data);
    ~MappedFile();
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    [[nodiscard]] const std::string& path() const { return m_path; }
    [[nodiscard]] std::span<const std::uint8_t> bytes() const { return m_bytes; }

private:
    std::string m_path;
    std::span<const std::uint8_t> m_bytes;
};

[[noreturn]] void refuseFile(const std::string& path, const std::string& why, ExitCode code = ExitCode::Data);

} // namespace lockstep::trainer
