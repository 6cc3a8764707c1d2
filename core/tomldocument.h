// SPDX-License-Identifier: GPL-3.0-or-later
// A parsed TOML file as plain values, in the order of the file and with the line of each: the only place that sees
// toml++.
#pragma once

#include "core/error.h"

#include <QByteArray>

#include <cstdint>
#include <vector>

namespace lockstep {

struct TomlEntry;

struct TomlValue {
    enum class Kind { Text, Integer, Float, Boolean, Array, Table, Other };

    Kind kind = Kind::Table;
    int line = 0;
    QByteArray text; // Text: its bytes; Other: nothing
    std::int64_t integer = 0;
    double real = 0;
    bool boolean = false;
    std::vector<TomlValue> items;   // Array
    std::vector<TomlEntry> entries; // Table, in the order of the file

    [[nodiscard]] const TomlValue* find(const QByteArray& key) const;
};

struct TomlEntry {
    QByteArray key;
    TomlValue value;
};

[[nodiscard]] const char* toString(TomlValue::Kind kind); // "a text", "a whole number" ...

// `origin` is the file's name, for messages: "demo.toml, line 3: ...".
[[nodiscard]] Result<TomlValue> parseToml(const QByteArray& text, const QString& origin);

} // namespace lockstep
