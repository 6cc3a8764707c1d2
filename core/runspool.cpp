// SPDX-License-Identifier: GPL-3.0-or-later
// Our copies of the nodes' spools. Their size is the truth: what a crash left of an append is a beginning of it, and
// the next follow resumes there.
#include "core/runstore.h"
#include "core/spoolshelf.h"

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

} // namespace lockstep
