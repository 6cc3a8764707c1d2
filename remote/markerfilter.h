// SPDX-License-Identifier: GPL-3.0-or-later
// Drops what a login shell's start-up files print: all bytes up to and including the marker and its newline, wherever
// the pieces are cut.
#pragma once

#include <QByteArray>

namespace lockstep {

class MarkerFilter {
public:
    explicit MarkerFilter(const QByteArray& marker) : m_marker(marker + '\n') {}

    [[nodiscard]] QByteArray feed(const char* bytes, qsizetype size)
    {
        if (m_found)
            return {bytes, size};
        m_before.append(bytes, size);
        m_seenBytes += size;
        if (const qsizetype at = m_before.indexOf(m_marker); at >= 0) {
            m_found = true;
            QByteArray rest = m_before.mid(at + m_marker.size());
            m_before.clear();
            return rest;
        }
        if (m_before.size() > kKeptBytes)
            m_before.remove(0, m_before.size() - kKeptBytes);
        return {};
    }
    [[nodiscard]] bool found() const { return m_found; }
    [[nodiscard]] bool isEndless() const { return !m_found && m_seenBytes > kMostBytes; } // no marker comes any more
    // The end of what came without a marker: the login shell's own words when it refused to start the program.
    [[nodiscard]] QByteArray before() const { return m_before; }

private:
    static constexpr qsizetype kKeptBytes = 16 * 1024; // more than a marker
    static constexpr qint64 kMostBytes = 4 << 20;      // a welcome has some kilobytes

    QByteArray m_marker, m_before;
    qint64 m_seenBytes = 0;
    bool m_found = false;
};

} // namespace lockstep
