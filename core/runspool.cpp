// SPDX-License-Identifier: GPL-3.0-or-later
// Our copies of the nodes' spools. Their size is the truth: what a crash left of an append is a beginning of it, and
// the next follow resumes there. Beside each, how its times become ours.
#include "core/atomicfile.h"
#include "core/runstore.h"
#include "core/spoolshelf.h"

#include <QFile>

namespace lockstep {

Result<qint64> RunStore::spoolSize(const QString& id, const QString& node) const
{
    return m_spools->spool(m_folder.spoolFile(id, node), node).size();
}

Result<void> RunStore::append(const QString& id, const QString& node, qint64 offset, std::string_view bytes)
{
    SpoolFile& spool = m_spools->spool(m_folder.spoolFile(id, node), node);
    Result<void> appended = spool.append(offset, bytes);
    m_spools->compressFinished(spool);
    return appended;
}

Result<QByteArray> RunStore::readSpool(const QString& id, const QString& node, qint64 offset, qint64 limit) const
{
    SpoolFile& spool = m_spools->spool(m_folder.spoolFile(id, node), node);
    Result<QByteArray> bytes = spool.read(offset, limit);
    m_spools->compressFinished(spool); // what a crash left so
    return bytes;
}

Result<void> RunStore::append(const QString& id, const QString& node, const SpoolClock& clock)
{
    QFile file(m_folder.clocksFile(id, node));
    const std::string line = lineOf(clock);
    if (!file.open(QIODevice::Append | QIODevice::Unbuffered) ||
        file.write(line.data(), static_cast<qint64>(line.size())) != static_cast<qint64>(line.size()))
        return failure(ErrorCode::Io,
                       QStringLiteral("%1 cannot be written: %2").arg(file.fileName(), file.errorString()), node);
    return {};
}

QList<SpoolClock> RunStore::clocks(const QString& id, const QString& node) const
{
    const auto text = readWhole(m_folder.clocksFile(id, node));
    return text ? spoolClocks({text->constData(), static_cast<std::size_t>(text->size())}) : QList<SpoolClock>();
}

} // namespace lockstep
