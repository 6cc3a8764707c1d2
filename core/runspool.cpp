// SPDX-License-Identifier: GPL-3.0-or-later
// Our copies of the nodes' spools. The file's size is the truth: what a crash left of an append is a beginning of it,
// and the next follow resumes there.
#include "core/runstore.h"

#include <QFile>

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lockstep {
namespace {

constexpr qint64 kMostReadBytes = 64LL << 20;

class Descriptor {
public:
    Descriptor(const QString& path, int flags)
        : m_fd(::open(QFile::encodeName(path).constData(), flags | O_CLOEXEC, 0600))
    {
    }
    ~Descriptor()
    {
        if (m_fd >= 0)
            ::close(m_fd);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    [[nodiscard]] int get() const { return m_fd; }

private:
    int m_fd;
};

std::unexpected<Error> ioFailure(const QString& what, const QString& path, const QString& node)
{
    return failure(ErrorCode::Io,
                   QStringLiteral("%1 %2: %3.").arg(what, path, QString::fromLocal8Bit(std::strerror(errno))), node);
}

} // namespace

Result<qint64> RunStore::spoolSize(const QString& id, const QString& node) const
{
    struct stat status {};
    const QString path = m_folder.spoolFile(id, node);
    if (::stat(QFile::encodeName(path).constData(), &status) == 0)
        return status.st_size;
    if (errno == ENOENT)
        return 0;
    return ioFailure(QStringLiteral("The size can't be read of"), path, node);
}

Result<void> RunStore::append(const QString& id, const QString& node, qint64 offset, std::string_view bytes)
{
    const QString path = m_folder.spoolFile(id, node);
    const Descriptor file(path, O_WRONLY | O_APPEND | O_CREAT);
    struct stat status {};
    if (file.get() < 0 || ::fstat(file.get(), &status) != 0)
        return ioFailure(QStringLiteral("This can't be opened for what %1 sent:").arg(node), path, node);
    if (status.st_size != offset)
        return failure(ErrorCode::Protocol,
                       QStringLiteral("The spool of %1 is %2 bytes long here, and bytes from %3 were offered: taken, "
                                      "they would make a %4. Follow again from %2.")
                           .arg(node)
                           .arg(status.st_size)
                           .arg(offset)
                           .arg(offset > status.st_size ? QStringLiteral("gap") : QStringLiteral("double")),
                       node);
    while (!bytes.empty()) {
        const ssize_t written = ::write(file.get(), bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return ioFailure(QStringLiteral("What %1 sent can't be kept in").arg(node), path, node);
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return {};
}

Result<QByteArray> RunStore::readSpool(const QString& id, const QString& node, qint64 offset, qint64 limit) const
{
    const QString path = m_folder.spoolFile(id, node);
    const Descriptor file(path, O_RDONLY);
    if (file.get() < 0) {
        if (errno == ENOENT)
            return QByteArray();
        return ioFailure(QStringLiteral("This can't be read:"), path, node);
    }
    struct stat status {};
    if (::fstat(file.get(), &status) != 0)
        return ioFailure(QStringLiteral("This can't be read:"), path, node);
    const qint64 there = std::max<qint64>(0, status.st_size - std::max<qint64>(0, offset));
    QByteArray bytes(std::min({there, std::max<qint64>(0, limit), kMostReadBytes}), Qt::Uninitialized);
    qsizetype have = 0;
    while (have < bytes.size()) {
        const ssize_t got =
            ::pread(file.get(), bytes.data() + have, static_cast<std::size_t>(bytes.size() - have), offset + have);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return ioFailure(QStringLiteral("This can't be read:"), path, node);
        if (got == 0)
            break;
        have += got;
    }
    bytes.truncate(have);
    return bytes;
}

} // namespace lockstep
