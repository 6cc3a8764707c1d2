// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/spoolshelf.h"

#include <QLoggingCategory>

namespace lockstep {
namespace {

Q_LOGGING_CATEGORY(lcPress, "lockstep.store")

constexpr std::size_t kMostSpools = 512; // each holds a table and at most one frame; what is dropped is found again

} // namespace

SpoolShelf::SpoolShelf(qint64 segmentBytes) : m_segmentBytes(segmentBytes)
{
    m_press.setMaxThreadCount(1);
}

SpoolShelf::~SpoolShelf()
{
    m_press.clear();
    m_press.waitForDone();
}

SpoolFile& SpoolShelf::spool(const QString& tail, const QString& node)
{
    const auto known = m_spools.find(tail);
    if (known != m_spools.end())
        return known->second;
    if (m_spools.size() >= kMostSpools)
        m_spools.clear();
    return m_spools.try_emplace(tail, tail, node, m_segmentBytes).first->second;
}

void SpoolShelf::compressFinished(SpoolFile& spool)
{
    for (const QString& plain : spool.takePlainSegments()) {
        m_press.start([plain] {
            if (const Result<void> done = compressSegment(plain); !done) // it stays as it is, and readable
                qCWarning(lcPress).noquote() << done.error().text;
        });
    }
}

} // namespace lockstep
