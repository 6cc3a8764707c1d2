// SPDX-License-Identifier: GPL-3.0-or-later
// What a person typed to be let in: moved, never copied by accident, wiped when it goes.
#pragma once

#include <QByteArray>

#include <cstring>
#include <utility>

namespace lockstep {

class Secret {
public:
    Secret() = default;
    explicit Secret(QByteArray bytes) : m_bytes(bytes.constData(), bytes.size()) { wipe(bytes); }
    Secret(Secret&& other) noexcept : m_bytes(std::exchange(other.m_bytes, {})) {}
    Secret& operator=(Secret&& other) noexcept
    {
        wipe(m_bytes);
        m_bytes = std::exchange(other.m_bytes, {});
        return *this;
    }
    Secret(const Secret&) = delete;
    Secret& operator=(const Secret&) = delete;
    ~Secret() { wipe(m_bytes); }

    [[nodiscard]] Secret copy() const { return Secret(QByteArray(m_bytes.constData(), m_bytes.size())); }
    [[nodiscard]] const char* text() const { return m_bytes.constData(); } // ends with NUL
    [[nodiscard]] bool isEmpty() const { return m_bytes.isEmpty(); }

private:
    static void wipe(QByteArray& bytes)
    {
        if (!bytes.isEmpty())
            explicit_bzero(bytes.data(), static_cast<std::size_t>(bytes.size()));
    }

    QByteArray m_bytes; // the only owner: data() never makes a copy
};

} // namespace lockstep
