// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/diskroom.h"

#include <sys/statvfs.h>

namespace lockstep::agent {

namespace {

constexpr std::uint64_t kMegabyte = 1'000'000;

Outcome<struct statvfs> lookAt(const std::string& folder)
{
    struct statvfs room {};
    if (::statvfs(folder.c_str(), &room) != 0)
        return failedSystemCall("look at the disk of " + folder);
    return room;
}

} // namespace

Outcome<void> needRoom(const std::string& folder, std::uint64_t bytes, const std::string& what)
{
    const auto room = lookAt(folder);
    if (!room)
        return std::unexpected(room.error());
    const std::uint64_t free = std::uint64_t{room->f_bavail} * room->f_frsize;
    if (free >= bytes)
        return {};
    return failed("disk", folder + " has " + std::to_string(free / kMegabyte) + " MB free and " +
                              std::to_string((bytes + kMegabyte - 1) / kMegabyte) + " MB are needed" + what);
}

Outcome<void> needFiles(const std::string& folder, std::uint64_t files, const std::string& what)
{
    const auto room = lookAt(folder);
    if (!room)
        return std::unexpected(room.error());
    if (room->f_files == 0 || room->f_favail >= files)
        return {};
    return failed("disk", folder + " has room for " + std::to_string(room->f_favail) + " more files and " +
                              std::to_string(files) + " are needed" + what);
}

} // namespace lockstep::agent
