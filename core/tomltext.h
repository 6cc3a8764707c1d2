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
    // Whether the key's own values stand one a line, below [table.key] or as key.x = ...: these are set one by one.
    [[nodiscard]] bool isSpread(int line, const QByteArray& key) const;
    // `value` is TOML already; a comment behind the old one stays.
    void set(int line, const QByteArray& key, const QByteArray& value);
    void setIn(int line, const QByteArray& table, const QByteArray& key,
               const QByteArray& value); // of one that is spread
    // The lines of the key, or of table and key; false: none was found.
    [[nodiscard]] bool unset(int line, const QByteArrayList& key);
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
        QByteArrayList path; // of a header, or of a key with its header's before it
        qsizetype valueBegin = 0, valueEnd = 0;

        [[nodiscard]] bool isIn(const QByteArrayList& table) const { return path.mid(0, table.size()) == table; }
    };
    struct Change {
        qsizetype begin = 0, length = 0;
        QByteArray text;
    };

    struct Place {             // for one more value of a table that is spread
        qsizetype behind = -1; // this statement; -1: the table is not spread
        QByteArray prefix;     // of its key
    };

    void scan();
    [[nodiscard]] QByteArrayList scanPath(qsizetype& at) const;
    [[nodiscard]] qsizetype scanValue(qsizetype at) const;
    [[nodiscard]] qsizetype find(int line) const;                          // index of the header; -1: none
    [[nodiscard]] qsizetype endOf(qsizetype header) const;                 // behind its sub-tables
    [[nodiscard]] qsizetype lastOf(qsizetype header, qsizetype end) const; // its last header or value
    [[nodiscard]] qsizetype findValue(qsizetype header, const QByteArrayList& path) const; // -1: none
    [[nodiscard]] Place placeIn(qsizetype header, const QByteArray& key) const;
    void replaceValue(qsizetype statement, const QByteArray& value);
    void cut(qsizetype first, qsizetype last);
    void add(qsizetype offset, QByteArray lines);

    QByteArray m_text;
    QList<Statement> m_statements;
    QList<Change> m_changes;
};

} // namespace lockstep
