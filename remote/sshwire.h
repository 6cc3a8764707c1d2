// SPDX-License-Identifier: GPL-3.0-or-later
// The data types of SSH messages (RFC 4251, section 5), read from bytes of others: what is short or too long makes the
// reader fail, never read beyond.
#pragma once

#include <QByteArray>
#include <QtEndian>

namespace lockstep {

class WireReader {
public:
    explicit WireReader(QByteArray bytes) : m_bytes(std::move(bytes)) {}

    [[nodiscard]] QByteArray take(qsizetype size)
    {
        if (size < 0 || size > m_bytes.size() - m_position) {
            m_failed = true;
            return {};
        }
        const QByteArray taken = m_bytes.mid(m_position, size);
        m_position += size;
        return taken;
    }
    [[nodiscard]] quint32 number()
    {
        const QByteArray word = take(4);
        return m_failed ? 0 : qFromBigEndian<quint32>(word.constData());
    }
    [[nodiscard]] quint64 bigNumber()
    {
        const QByteArray word = take(8);
        return m_failed ? 0 : qFromBigEndian<quint64>(word.constData());
    }
    [[nodiscard]] QByteArray string() { return take(number()); }
    [[nodiscard]] qsizetype position() const { return m_position; }
    [[nodiscard]] bool failed() const { return m_failed; }
    [[nodiscard]] bool atEnd() const { return m_position == m_bytes.size(); }

private:
    QByteArray m_bytes;
    qsizetype m_position = 0;
    bool m_failed = false;
};

[[nodiscard]] inline QByteArray wireNumber(qsizetype number)
{
    QByteArray bytes(4, '\0');
    qToBigEndian(static_cast<quint32>(number), bytes.data());
    return bytes;
}

[[nodiscard]] inline QByteArray wireString(const QByteArray& bytes)
{
    return wireNumber(bytes.size()) + bytes;
}

} // namespace lockstep
