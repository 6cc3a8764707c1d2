// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tomltext.h"

#include "core/tomlwriter.h"

#include <algorithm>
#include <utility>

namespace lockstep {
namespace {

bool isBlank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

} // namespace

TomlText::TomlText(QByteArray text) : m_text(std::move(text))
{
    scan();
}

// The parts of a header or key: a."b c".d; stops at what is no part.
QByteArrayList TomlText::scanPath(qsizetype& at) const
{
    QByteArrayList path;
    QByteArray part;
    for (; at < m_text.size(); ++at) {
        const char c = m_text[at];
        if (c == '"' || c == '\'') {
            qsizetype close = at + 1;
            while (close < m_text.size() && m_text[close] != c)
                close += c == '"' && m_text[close] == '\\' ? 2 : 1;
            part += m_text.mid(at + 1, close - at - 1); // escapes stay: such a key is never found, which is told
            at = std::min(close, m_text.size());
        } else if (c == '.') {
            path.append(std::exchange(part, {}));
        } else if (c == '=' || c == ']' || c == '\n') {
            break;
        } else if (!isBlank(c)) {
            part += c;
        }
    }
    path.append(part);
    return path;
}

// Behind the value that begins here: strings of four kinds, brackets over several lines with comments among them.
qsizetype TomlText::scanValue(qsizetype at) const
{
    int depth = 0;
    qsizetype end = at;
    while (at < m_text.size()) {
        const char c = m_text[at];
        if (c == '"' || c == '\'') {
            const QByteArray triple(3, c);
            const bool isLong = m_text.mid(at, 3) == triple;
            at += isLong ? 3 : 1;
            while (at < m_text.size() && (isLong ? m_text.mid(at, 3) != triple : m_text[at] != c))
                at += c == '"' && m_text[at] == '\\' ? 2 : 1;
            at += isLong ? 3 : 1;
            while (isLong && at < m_text.size() &&
                   m_text[at] == c) // up to two quotes may stand before the closing ones
                ++at;
            end = at = std::min(at, m_text.size());
            continue;
        }
        if (c == '#') {
            if (depth == 0)
                break;
            at = std::max(m_text.indexOf('\n', at), at);
            if (m_text[at] != '\n')
                break;
            continue;
        }
        if (c == '\n' && depth == 0)
            break;
        depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
        ++at;
        if (!isBlank(c) && c != '\n')
            end = at;
    }
    return end;
}

void TomlText::scan()
{
    int line = 1;
    QByteArrayList table;
    for (qsizetype at = 0; at < m_text.size();) {
        Statement statement;
        statement.begin = at;
        statement.line = line;
        while (at < m_text.size() && isBlank(m_text[at]))
            ++at;
        const char c = at < m_text.size() ? m_text[at] : '\n';
        if (c == '#') {
            statement.kind = Statement::Kind::Comment;
        } else if (c == '[') {
            statement.kind = Statement::Kind::Header;
            at += m_text.mid(at, 2) == "[[" ? 2 : 1;
            statement.path = table = scanPath(at);
        } else if (c != '\n') {
            statement.kind = Statement::Kind::Value;
            statement.path = table + scanPath(at);
            ++at; // =
            while (at < m_text.size() && isBlank(m_text[at]))
                ++at;
            statement.valueBegin = at;
            at = statement.valueEnd = scanValue(at);
        }
        const qsizetype lineEnd = m_text.indexOf('\n', std::min(at, m_text.size()));
        at = lineEnd < 0 ? m_text.size() : lineEnd + 1;
        statement.end = at;
        line += static_cast<int>(m_text.mid(statement.begin, at - statement.begin).count('\n'));
        m_statements.append(statement);
    }
}

qsizetype TomlText::find(int line) const
{
    for (qsizetype i = 0; i < m_statements.size(); ++i)
        if (m_statements[i].line == line && m_statements[i].kind == Statement::Kind::Header)
            return i;
    return -1;
}

bool TomlText::hasTable(int line) const
{
    return find(line) >= 0;
}

qsizetype TomlText::endOf(qsizetype header) const
{
    const QByteArrayList& own = m_statements[header].path;
    qsizetype i = header + 1;
    for (; i < m_statements.size(); ++i) {
        const Statement& next = m_statements[i];
        if (next.kind == Statement::Kind::Header &&
            (next.path.size() <= own.size() || next.path.mid(0, own.size()) != own))
            break;
    }
    return i;
}

qsizetype TomlText::lastOf(qsizetype header, qsizetype end) const
{
    qsizetype last = header;
    for (qsizetype i = header + 1; i < end; ++i)
        if (m_statements[i].kind == Statement::Kind::Value || m_statements[i].kind == Statement::Kind::Header)
            last = i;
    return last;
}

void TomlText::cut(qsizetype first, qsizetype last)
{
    const qsizetype begin = m_statements[first].begin;
    m_changes.append({begin, m_statements[last].end - begin, {}});
}

void TomlText::add(qsizetype offset, QByteArray lines)
{
    m_changes.append({offset, 0, std::move(lines)});
}

qsizetype TomlText::findValue(qsizetype header, const QByteArrayList& path) const
{
    const qsizetype end = endOf(header);
    for (qsizetype i = header + 1; i < end; ++i)
        if (m_statements[i].kind == Statement::Kind::Value && m_statements[i].path == path)
            return i;
    return -1;
}

TomlText::Place TomlText::placeIn(qsizetype header, const QByteArray& key) const
{
    const QByteArrayList table = m_statements[header].path + QByteArrayList{key};
    const qsizetype end = endOf(header);
    Place place;
    bool inOwn = true, inTable = false; // below which header
    for (qsizetype i = header + 1; i < end; ++i) {
        const Statement& one = m_statements[i];
        if (one.kind == Statement::Kind::Header) {
            inOwn = false;
            inTable = one.path == table;
            if (inTable)
                place = {i, {}};
        } else if (one.kind == Statement::Kind::Value && inTable) {
            place.behind = i;
        } else if (one.kind == Statement::Kind::Value && inOwn && one.path.size() > table.size() && one.isIn(table)) {
            place = {i, key + '.'};
        }
    }
    return place;
}

bool TomlText::isSpread(int line, const QByteArray& key) const
{
    const qsizetype header = find(line);
    return header >= 0 && placeIn(header, key).behind >= 0;
}

void TomlText::replaceValue(qsizetype statement, const QByteArray& value)
{
    const Statement& one = m_statements[statement];
    m_changes.append({one.valueBegin, one.valueEnd - one.valueBegin, value});
}

void TomlText::set(int line, const QByteArray& key, const QByteArray& value)
{
    const qsizetype header = find(line);
    if (header < 0)
        return;
    if (const qsizetype known = findValue(header, m_statements[header].path + QByteArrayList{key}); known >= 0) {
        replaceValue(known, value);
        return;
    }
    qsizetype last = header; // of the table's own values
    for (qsizetype i = header + 1; i < m_statements.size() && m_statements[i].kind != Statement::Kind::Header; ++i)
        if (m_statements[i].kind == Statement::Kind::Value)
            last = i;
    add(m_statements[last].end, key + " = " + value + '\n');
}

void TomlText::setIn(int line, const QByteArray& table, const QByteArray& key, const QByteArray& value)
{
    const qsizetype header = find(line);
    if (header < 0)
        return;
    if (const qsizetype known = findValue(header, m_statements[header].path + QByteArrayList{table, key}); known >= 0) {
        replaceValue(known, value);
        return;
    }
    if (const Place place = placeIn(header, table); place.behind >= 0)
        add(m_statements[place.behind].end, place.prefix + TomlWriter::keyOf(key) + " = " + value + '\n');
}

bool TomlText::unset(int line, const QByteArrayList& key)
{
    const qsizetype header = find(line);
    if (header < 0)
        return false;
    const QByteArrayList path = m_statements[header].path + key;
    const qsizetype end = endOf(header);
    bool any = false;
    for (qsizetype i = header + 1; i < end; ++i) {
        if (m_statements[i].isIn(path)) {
            cut(i, i);
            any = true;
        }
    }
    return any;
}

void TomlText::remove(int line)
{
    const qsizetype header = find(line);
    if (header < 0)
        return;
    qsizetype first = header;
    while (first > 0 && m_statements[first - 1].kind == Statement::Kind::Comment)
        --first;
    if (first == 0) // the words at the top of a file are about all of it
        first = header;
    qsizetype last = lastOf(header, endOf(header));
    if (last + 1 < m_statements.size() && m_statements[last + 1].kind == Statement::Kind::Blank)
        ++last; // one of the two blank lines that would meet
    cut(first, last);
}

void TomlText::insert(const QByteArray& name, const QByteArray& block)
{
    qsizetype offset = m_text.size();
    for (qsizetype i = 0; i < m_statements.size(); ++i) {
        if (m_statements[i].kind == Statement::Kind::Header && m_statements[i].path == QByteArrayList{name})
            offset = m_statements[lastOf(i, endOf(i))].end;
    }
    add(offset, (offset > 0 ? "\n" : "") + block);
}

QByteArray TomlText::result() const
{
    QList<Change> changes = m_changes;
    std::stable_sort(changes.begin(), changes.end(),
                     [](const Change& a, const Change& b) { return a.begin < b.begin; });
    QByteArray text;
    qsizetype at = 0;
    for (const Change& change : changes) {
        if (change.begin > at)
            text += m_text.mid(at, change.begin - at);
        if (change.length == 0 && !text.isEmpty() && !text.endsWith('\n')) // the file's last line had no end
            text += '\n';
        text += change.text;
        at = std::max(at, change.begin + change.length);
    }
    return text + m_text.mid(at);
}

} // namespace lockstep
