// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runclaim.h"

#include <cerrno>

namespace lockstep {
namespace {

QString lockFile(const QString& runFolder)
{
    return runFolder + QStringLiteral("/driver.lock");
}

// Of the open file, not of the process: two sessions of one window are two.
struct flock wholeFile()
{
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    return lock;
}

} // namespace

std::shared_ptr<RunClaim> RunClaim::take(const QString& runFolder)
{
    OpenFile file(lockFile(runFolder), O_RDWR | O_CREAT);
    if (!file.isOpen())
        return nullptr;
    struct flock lock = wholeFile();
    if (::fcntl(file.get(), F_OFD_SETLK, &lock) != 0 && (errno == EAGAIN || errno == EACCES))
        return nullptr;
    return std::shared_ptr<RunClaim>(new RunClaim(std::move(file)));
}

bool RunClaim::isHeld(const QString& runFolder)
{
    const OpenFile file(lockFile(runFolder), O_RDONLY);
    if (!file.isOpen())
        return false;
    struct flock lock = wholeFile();
    return ::fcntl(file.get(), F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

} // namespace lockstep
