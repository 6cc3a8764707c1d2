// SPDX-License-Identifier: GPL-3.0-or-later
// The desktop's copy of one node's spool, a sequence of segments:
//
//   NODE.spool                the tail: it grows
//   NODE.spool.000000         a finished segment: a tail that had reached its size, synced and renamed
//   NODE.spool.000000.zst     the same, compressed; while both are there, they are the same bytes
//
// Offsets count uncompressed bytes from the spool's beginning; the files' sizes are the truth. A crash at any moment
// leaves a beginning of what was offered, once. Several desktops may use one copy: a lock on the tail keeps their
// appends apart. Thread: the store thread (or a test's own).
#pragma once

#include "core/compressedsegment.h"
#include "core/openfile.h"

#include <QStringList>

#include <optional>
#include <string_view>

namespace lockstep {

class SpoolFile {
public:
    static constexpr qint64 kSegmentBytes = 64LL << 20;

    SpoolFile(QString tail, QString node, qint64 segmentBytes = kSegmentBytes);

    [[nodiscard]] Result<qint64> size();
    // Refuses bytes whose offset is not size().
    [[nodiscard]] Result<void> append(qint64 offset, std::string_view bytes);
    // Up to `limit` bytes (and at most 64 MiB), fewer only at the spool's end.
    [[nodiscard]] Result<QByteArray> read(qint64 offset, qint64 limit);

    // Finished segments that are not compressed yet, each one named once: for compressSegment().
    [[nodiscard]] QStringList takePlainSegments();

private:
    enum class Use { Read, Append };
    struct Tail {
        OpenFile file; // not open: there is none yet
        qint64 start = 0, size = 0;
    };
    [[nodiscard]] QString segmentPath(int index) const;
    [[nodiscard]] Result<void> findSegments();
    [[nodiscard]] Result<Tail> openTail(Use use);
    void finishTail(const Tail& tail);
    [[nodiscard]] Result<QByteArray> readSegment(qint64 offset, qint64 limit);

    QString m_tail, m_node;
    qint64 m_segmentBytes;
    QList<qint64> m_ends; // offset at the end of each finished segment that was found
    QStringList m_plain;
    int m_opened = -1; // the compressed segment last read from
    std::optional<CompressedSegment> m_segment;
    bool m_complained = false;
};

} // namespace lockstep
