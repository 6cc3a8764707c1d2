// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tomlwriter.h"

#include <QStringDecoder>

#include <algorithm>
#include <cmath>

namespace lockstep {
namespace {

bool isUtf8(const QByteArray& bytes)
{
    QStringDecoder decoder(QStringDecoder::Utf8, QStringDecoder::Flag::Stateless);
    const QString decoded = decoder(bytes);
    return !decoder.hasError() && decoded.toUtf8() == bytes;
}

} // namespace

QByteArray TomlWriter::quoted(const QByteArray& bytes)
{
    if (!isUtf8(bytes))
        return "{ base64 = \"" + bytes.toBase64() + "\" }";
    QByteArray out = "\"";
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\')
            (out += '\\') += c;
        else if (c == '\n')
            out += "\\n";
        else if (c == '\t')
            out += "\\t";
        else if (byte < 0x20 || byte == 0x7f)
            out += "\\u" + QByteArray::number(byte, 16).rightJustified(4, '0');
        else
            out += c;
    }
    return out + '"';
}

QByteArray TomlWriter::keyOf(const QByteArray& name)
{
    const bool bare = !name.isEmpty() && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    });
    return bare ? name : quoted(name);
}

void TomlWriter::table(const QByteArray& name)
{
    m_out += (m_out.isEmpty() ? "[" : "\n[") + name + "]\n";
}

void TomlWriter::element(const QByteArray& name)
{
    m_out += (m_out.isEmpty() ? "[[" : "\n[[") + name + "]]\n";
}

void TomlWriter::comment(const QByteArray& line)
{
    m_out += "# " + line + '\n';
}

void TomlWriter::raw(const QByteArray& key, const QByteArray& value)
{
    m_out += keyOf(key) + " = " + value + '\n';
}

void TomlWriter::text(const QByteArray& key, const QByteArray& bytes)
{
    raw(key, quoted(bytes));
}

void TomlWriter::integer(const QByteArray& key, qint64 value)
{
    raw(key, QByteArray::number(value));
}

void TomlWriter::real(const QByteArray& key, double value)
{
    if (std::isnan(value))
        raw(key, "nan");
    else if (std::isinf(value))
        raw(key, value > 0 ? "inf" : "-inf");
    else {
        QByteArray text = QByteArray::number(value, 'g', 17);
        if (!text.contains('.') && !text.contains('e'))
            text += ".0";
        raw(key, text);
    }
}

void TomlWriter::boolean(const QByteArray& key, bool value)
{
    raw(key, value ? "true" : "false");
}

void TomlWriter::texts(const QByteArray& key, const QList<QByteArray>& values)
{
    QByteArray list = "[";
    for (const QByteArray& value : values)
        list += (list.size() > 1 ? ", " : "") + quoted(value);
    raw(key, list + ']');
}

void TomlWriter::texts(const QByteArray& key, const QStringList& values)
{
    QList<QByteArray> bytes;
    for (const QString& value : values)
        bytes.append(value.toUtf8());
    texts(key, bytes);
}

void TomlWriter::integers(const QByteArray& key, const QList<int>& values)
{
    QByteArray list = "[";
    for (const int value : values)
        list += (list.size() > 1 ? ", " : "") + QByteArray::number(value);
    raw(key, list + ']');
}

} // namespace lockstep
