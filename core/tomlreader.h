// SPDX-License-Identifier: GPL-3.0-or-later
// Reads one table of a TOML file strictly: a wrong type, a value out of range, a key nobody asked for are errors with
// their line. The first error is kept; readers go on with defaults and look at finish() once.
#pragma once

#include "core/importednodes.h"
#include "core/tomldocument.h"

#include <QList>
#include <QSet>
#include <QStringList>

#include <optional>

namespace lockstep {

class TomlReader {
public:
    TomlReader(const TomlValue& table, QString origin);

    [[nodiscard]] bool has(const QByteArray& key) const { return m_table.find(key) != nullptr; }
    [[nodiscard]] int line(const QByteArray& key) const; // of the key; the table's own when there is none
    QString text(const QByteArray& key, const QString& fallback = {});
    QByteArray bytes(const QByteArray& key);
    qint64 integer(const QByteArray& key, qint64 fallback, qint64 least, qint64 most);
    double real(const QByteArray& key, double fallback);
    bool boolean(const QByteArray& key);
    QStringList texts(const QByteArray& key);
    QList<QByteArray> byteTexts(const QByteArray& key);
    QList<int> integers(const QByteArray& key, int least);
    const TomlValue* table(const QByteArray& key);         // null: missing
    QList<const TomlValue*> tables(const QByteArray& key); // [[key]]

    void fail(int line, const QString& what); // only the first one counts
    void take(const Result<void>& inner);     // the finish() of an inner table
    [[nodiscard]] Result<void> finish();
    // For files that others may add to: a key that is no slip of a known one is put into `others`.
    [[nodiscard]] Result<void> finish(QList<ImportedLine>& others);

    // Texts are bytes; what is not valid UTF-8 is written { base64 = "..." } (TomlWriter).
    [[nodiscard]] static std::optional<QByteArray> bytesOf(const TomlValue& value);

private:
    const TomlValue* find(const QByteArray& key);
    void wrongType(const QByteArray& key, const TomlValue& value, const char* wanted);

    const TomlValue& m_table;
    QString m_origin;
    QSet<QByteArray> m_asked;
    std::optional<Error> m_error;
};

} // namespace lockstep
