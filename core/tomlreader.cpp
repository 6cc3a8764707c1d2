// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tomlreader.h"

#include "core/nearestname.h"

#include <limits>

namespace lockstep {

TomlReader::TomlReader(const TomlValue& table, QString origin) : m_table(table), m_origin(std::move(origin)) {}

int TomlReader::line(const QByteArray& key) const
{
    const TomlValue* value = m_table.find(key);
    return value ? value->line : m_table.line;
}

const TomlValue* TomlReader::find(const QByteArray& key)
{
    m_asked.insert(key);
    return m_table.find(key);
}

void TomlReader::fail(int line, const QString& what)
{
    if (!m_error)
        m_error = Error{ErrorCode::BadInput, QStringLiteral("%1, line %2: %3").arg(m_origin).arg(line).arg(what), {}};
}

void TomlReader::take(const Result<void>& inner)
{
    if (!inner && !m_error)
        m_error = inner.error();
}

void TomlReader::wrongType(const QByteArray& key, const TomlValue& value, const char* wanted)
{
    fail(value.line, QStringLiteral("%1 wants %2, not %3.")
                         .arg(QString::fromUtf8(key), QLatin1String(wanted), QLatin1String(toString(value.kind))));
}

std::optional<QByteArray> TomlReader::bytesOf(const TomlValue& value)
{
    if (value.kind == TomlValue::Kind::Text)
        return value.text;
    if (value.kind != TomlValue::Kind::Table || value.entries.size() != 1)
        return std::nullopt;
    const auto& [key, coded] = value.entries.front();
    if (key != "base64" || coded.kind != TomlValue::Kind::Text)
        return std::nullopt;
    const auto decoded = QByteArray::fromBase64Encoding(coded.text, QByteArray::AbortOnBase64DecodingErrors);
    return decoded ? std::optional(*decoded) : std::nullopt;
}

QByteArray TomlReader::bytes(const QByteArray& key)
{
    const TomlValue* value = find(key);
    if (!value)
        return {};
    if (const auto found = bytesOf(*value))
        return *found;
    wrongType(key, *value, "a text");
    return {};
}

QString TomlReader::text(const QByteArray& key, const QString& fallback)
{
    return has(key) ? QString::fromUtf8(bytes(key)) : fallback;
}

qint64 TomlReader::integer(const QByteArray& key, qint64 fallback, qint64 least, qint64 most)
{
    const TomlValue* value = find(key);
    if (!value)
        return fallback;
    if (value->kind != TomlValue::Kind::Integer) {
        wrongType(key, *value, "a whole number");
        return fallback;
    }
    if (value->integer < least || value->integer > most) {
        fail(value->line, QStringLiteral("%1 = %2 is out of range: %3 to %4 is possible.")
                              .arg(QString::fromUtf8(key))
                              .arg(value->integer)
                              .arg(least)
                              .arg(most));
        return fallback;
    }
    return value->integer;
}

double TomlReader::real(const QByteArray& key, double fallback)
{
    const TomlValue* value = find(key);
    if (!value)
        return fallback;
    if (value->kind == TomlValue::Kind::Integer)
        return static_cast<double>(value->integer);
    if (value->kind == TomlValue::Kind::Float)
        return value->real;
    wrongType(key, *value, "a number");
    return fallback;
}

bool TomlReader::boolean(const QByteArray& key)
{
    const TomlValue* value = find(key);
    if (!value)
        return false;
    if (value->kind != TomlValue::Kind::Boolean)
        wrongType(key, *value, "true or false");
    return value->boolean;
}

QList<QByteArray> TomlReader::byteTexts(const QByteArray& key)
{
    QList<QByteArray> texts;
    const TomlValue* value = find(key);
    if (!value)
        return texts;
    if (value->kind != TomlValue::Kind::Array)
        wrongType(key, *value, "a list of texts");
    for (const TomlValue& item : value->items) {
        const auto text = bytesOf(item);
        if (!text)
            wrongType(key, item, "a list of texts");
        texts.append(text.value_or(QByteArray()));
    }
    return texts;
}

QStringList TomlReader::texts(const QByteArray& key)
{
    QStringList texts;
    const QList<QByteArray> found = byteTexts(key);
    for (const QByteArray& text : found)
        texts.append(QString::fromUtf8(text));
    return texts;
}

QList<int> TomlReader::integers(const QByteArray& key, int least)
{
    QList<int> numbers;
    const TomlValue* value = find(key);
    if (!value)
        return numbers;
    if (value->kind != TomlValue::Kind::Array)
        wrongType(key, *value, "a list of whole numbers");
    for (const TomlValue& item : value->items) {
        if (item.kind != TomlValue::Kind::Integer)
            wrongType(key, item, "a list of whole numbers");
        else if (item.integer < least || item.integer > std::numeric_limits<int>::max())
            fail(item.line,
                 QStringLiteral("%1 is no possible entry of %2.").arg(item.integer).arg(QString::fromUtf8(key)));
        else
            numbers.append(static_cast<int>(item.integer));
    }
    return numbers;
}

const TomlValue* TomlReader::table(const QByteArray& key)
{
    const TomlValue* value = find(key);
    if (!value)
        return nullptr;
    if (value->kind == TomlValue::Kind::Table)
        return value;
    wrongType(key, *value, "a table");
    return nullptr;
}

QList<const TomlValue*> TomlReader::tables(const QByteArray& key)
{
    QList<const TomlValue*> tables;
    const TomlValue* value = find(key);
    if (!value)
        return tables;
    if (value->kind != TomlValue::Kind::Array)
        wrongType(key, *value, "tables written [[...]]");
    for (const TomlValue& item : value->items) {
        if (item.kind == TomlValue::Kind::Table)
            tables.append(&item);
        else
            wrongType(key, item, "tables written [[...]]");
    }
    return tables;
}

Result<void> TomlReader::finish(QList<ImportedLine>& others)
{
    QStringList known;
    for (const QByteArray& key : std::as_const(m_asked))
        known.append(QString::fromUtf8(key));
    known.sort();
    for (const auto& [key, value] : m_table.entries) {
        if (m_asked.contains(key))
            continue;
        const QString name = QString::fromUtf8(key);
        const QString meant = nearestName(name, known);
        if (meant.isEmpty())
            others.append({value.line, QStringLiteral("the key \"%1\" is not known here; it is kept").arg(name), {}});
        else
            fail(value.line, QStringLiteral("the key \"%1\" is not known here; did you mean %2?").arg(name, meant));
    }
    if (m_error)
        return std::unexpected(*m_error);
    return {};
}

Result<void> TomlReader::finish()
{
    for (const auto& [key, value] : m_table.entries) {
        if (!m_asked.contains(key))
            fail(value.line, QStringLiteral("the key \"%1\" is not known here.").arg(QString::fromUtf8(key)));
    }
    if (m_error)
        return std::unexpected(*m_error);
    return {};
}

} // namespace lockstep
