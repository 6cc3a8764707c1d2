// SPDX-License-Identifier: GPL-3.0-or-later
// A finished segment of a spool, compressed: NODE.spool.000000.zst. It is zstd's "seekable format" (zstd,
// contrib/seekable_format): frames of kFrameBytes uncompressed bytes (the last one shorter), then a skippable frame,
// all numbers little-endian:
//
//   u32 0x184D2A5E  u32 bytes that follow
//   u32 compressed  u32 uncompressed          once a frame
//   u32 frames      u8 0      u32 0x8F92EAB1
//
// So `zstd -dc` shows it, its size costs one short read, and any place in it the decompression of one frame.
#pragma once

#include "core/error.h"

#include <QByteArray>

#include <vector>

namespace lockstep {

class CompressedSegment { // one thread at a time
public:
    [[nodiscard]] static Result<CompressedSegment> open(const QString& path); // reads the table, nothing else

    [[nodiscard]] qint64 size() const; // uncompressed
    // Shorter than `limit` only at the segment's end. Keeps the frame that it read a part of.
    [[nodiscard]] Result<QByteArray> read(qint64 offset, qint64 limit);

    static constexpr qint64 kFrameBytes = 256 * 1024; // costs 3 % against one frame for all

private:
    struct Frame {
        qint64 at = 0;         // in the file
        qint64 compressed = 0; // bytes there
        qint64 start = 0;      // in the segment
        qint64 size = 0;       // bytes there
    };
    explicit CompressedSegment(QString path) : m_path(std::move(path)) {}
    [[nodiscard]] Result<void> load(const Frame& frame);

    QString m_path;
    std::vector<Frame> m_frames;
    qint64 m_loaded = -1; // start of the frame in m_bytes
    QByteArray m_bytes;
};

// `plain` becomes `plain`.zst: written aside, synced, renamed, and only then `plain` goes. Slow; any thread. Does
// nothing where another desktop is at it or has done it.
[[nodiscard]] Result<void> compressSegment(const QString& plain);

} // namespace lockstep
