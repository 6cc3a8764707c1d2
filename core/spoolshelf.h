// SPDX-License-Identifier: GPL-3.0-or-later
// The spools that a store has in use, and the one thread that compresses their finished segments: that takes half a
// second a segment, and neither a node's stream nor a page waits for it. Thread: the store thread (or a test's own).
#pragma once

#include "core/spoolfile.h"

#include <QString>
#include <QThreadPool>

#include <map>

namespace lockstep {

class SpoolShelf {
public:
    explicit SpoolShelf(qint64 segmentBytes);
    ~SpoolShelf(); // ends the segment in work; others are compressed when their spool is used next
    SpoolShelf(const SpoolShelf&) = delete;
    SpoolShelf& operator=(const SpoolShelf&) = delete;

    // Good until the next call.
    [[nodiscard]] SpoolFile& spool(const QString& tail, const QString& node);
    void compressFinished(SpoolFile& spool);

private:
    qint64 m_segmentBytes;
    std::map<QString, SpoolFile> m_spools;
    QThreadPool m_press;
};

} // namespace lockstep
