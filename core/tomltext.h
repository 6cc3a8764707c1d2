// SPDX-License-Identifier: GPL-3.0-or-later
// A TOML file as a person wrote it: single values and tables are changed, every other byte stays — comments, order,
// blanks, keys of others. The text must be one that parseToml reads. Tables are named by the line of their [header], as
// parseToml counts in the text that was given, however many changes have been made since.
#pragma once

#include <QByteArray>
#include <QByteArrayList>
#include <QList>

namespace lockstep {

class TomlText {
public:
    explicit TomlText(QByteArray text);

    [[nodiscard]] bool hasTable(int line) const; // false: written inline, which is for hands only
    // `value` is TOML already. What stood for the key, be it a [table.key] or table.key.x = ..., is replaced; a comment
    // behind the value stays.
    void set(int line, const QByteArray& key, const QByteArray& value);
    void unset(int line, const QByteArray& key);
    // The table, its sub-tables and a comment that stands right above it.
    void remove(int line);
    // Behind the last table of this name; at the end when there is none. `block` is whole lines with the header.
    void insert(const QByteArray& name, const QByteArray& block);

    [[nodiscard]] QByteArray result() const;

private:
    struct Statement {
        enum class Kind { Blank, Comment, Header, Value };
        Kind kind = Kind::Blank;
        qsizetype begin = 0, end = 0; // of its lines, with the line break
        int line = 0;
        QByteArrayList path; // of a header, or of a key
        qsizetype valueBegin = 0, valueEnd = 0;
    };
    struct Change {
        qsizetype begin = 0, length = 0;
        QByteArray text;
    };

    void scan();
    [[nodiscard]] QByteArrayList scanPath(qsizetype& at) const;
    [[nodiscard]] qsizetype scanValue(qsizetype at) const;
    [[nodiscard]] qsizetype find(int line) const;                          // index of the header; -1: none
    [[nodiscard]] qsizetype endOf(qsizetype header) const;                 // behind its sub-tables
    [[nodiscard]] qsizetype lastOf(qsizetype header, qsizetype end) const; // its last header or value
    bool dropOthers(qsizetype header, const QByteArray& key);              // true: a plain `key = value` stays
    void cut(qsizetype first, qsizetype last);
    void add(qsizetype offset, QByteArray lines);

    QByteArray m_text;
    QList<Statement> m_statements;
    QList<Change> m_changes;
};

} // namespace lockstep
