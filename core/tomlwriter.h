// SPDX-License-Identifier: GPL-3.0-or-later
// Writes TOML line by line, in the caller's order. Any bytes survive: what is not valid UTF-8 becomes { base64 = "..."
// }.
#pragma once

#include <QByteArray>
#include <QList>
#include <QString>
#include <QStringList>

namespace lockstep {

class TomlWriter {
public:
    void table(const QByteArray& name);   // [name]
    void element(const QByteArray& name); // [[name]]
    void comment(const QByteArray& line);
    void text(const QByteArray& key, const QByteArray& bytes);
    void text(const QByteArray& key, const QString& text) { this->text(key, text.toUtf8()); }
    void integer(const QByteArray& key, qint64 value);
    void real(const QByteArray& key, double value);
    void boolean(const QByteArray& key, bool value);
    void raw(const QByteArray& key, const QByteArray& value); // value is TOML already
    void texts(const QByteArray& key, const QList<QByteArray>& values);
    void texts(const QByteArray& key, const QStringList& values);
    void integers(const QByteArray& key, const QList<int>& values);

    [[nodiscard]] const QByteArray& result() const { return m_out; }

    [[nodiscard]] static QByteArray quoted(const QByteArray& bytes);
    [[nodiscard]] static QByteArray keyOf(const QByteArray& name); // bare where it can be

private:
    QByteArray m_out;
};

} // namespace lockstep
