// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/checkpoint/asidefile.h"

#include "trainer/failure.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

namespace lockstep::trainer {

namespace {

constexpr mode_t kMode = 0644;
constexpr std::string_view kAside = ".new."; // then the writer's pid

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

AsideFile::AsideFile(std::string path)
    : m_path(std::move(path)), m_aside(m_path + std::string(kAside) + std::to_string(getpid()))
{
    m_descriptor = open(m_aside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kMode);
    if (m_descriptor < 0)
        refuse("cannot be opened");
}

AsideFile::~AsideFile()
{
    if (m_descriptor < 0)
        return;
    close(m_descriptor);
    unlink(m_aside.c_str());
}

void AsideFile::append(std::span<const std::byte> bytes)
{
    writeAt(m_end, bytes);
}

void AsideFile::writeAt(std::uint64_t offset, std::span<const std::byte> bytes)
{
    while (!bytes.empty()) {
        const ssize_t wrote = pwrite(m_descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0)
            refuse("takes no more");
        offset += static_cast<std::uint64_t>(wrote);
        bytes = bytes.subspan(static_cast<std::size_t>(wrote));
    }
    m_end = std::max(m_end, offset);
}

void AsideFile::commit()
{
    if (fsync(m_descriptor) != 0)
        refuse("cannot be synced");
    if (rename(m_aside.c_str(), m_path.c_str()) != 0)
        refuse("cannot be renamed");
    close(m_descriptor);
    m_descriptor = -1;
    syncFolderOf(m_path);
}

void AsideFile::removeLeftovers(const std::string& folder)
{
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
        const std::string name = entry.path().filename().string();
        const std::size_t at = name.rfind(kAside);
        if (at == std::string::npos || at == 0 || at + kAside.size() == name.size() ||
            name.find_first_not_of("0123456789", at + kAside.size()) != std::string::npos)
            continue;
        std::error_code gone;
        std::filesystem::remove(entry.path(), gone);
    }
}

void AsideFile::refuse(const char* doing) const
{
    const int error = errno;
    throw Failure(ExitCode::Checkpoint,
                  "cannot write " + m_path + ": " + m_aside + " " + doing + ": " + std::strerror(error));
}

} // namespace lockstep::trainer
