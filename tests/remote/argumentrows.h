// SPDX-License-Identifier: GPL-3.0-or-later
// The words that must reach a program unchanged, whatever the shell on the way (cases/remote.md, Arguments).
#pragma once

#include <QByteArray>
#include <QList>

namespace lockstep::test {

inline QList<QByteArray> argumentWords()
{
    QList<QByteArray> words = {
        "a b",
        "$HOME",
        "`id`",
        "$(id)",
        "\"x\"",
        "'y'",
        "it's",
        "a&b",
        "a;b",
        "a|b",
        "(1)",
        "*",
        "~",
        "!x",
        "\\",
        "%d",
        "#c",
        "",
        "{",
        "--lr=1e-4",
        "     ",
        "-",
        "--",
        "na\xc3\xafve",
        "\xe5\xad\xa6\xe4\xb9\xa0",
        "1\n2",
        "\tt",
        "{\"a\": [1, 2]}",
        "ends\n",
        "\n\n",
        "\\n\\0101",
        "%s%n",
        "a'b\"c\\d",
        "<>",
        "[a-z]?",
        "\x01\x7f\x80\xff",
        "^a^b",
        "${x}",
        "x=~/y",
        "\r",
    };
    QByteArray everyByte;
    for (int byte = 1; byte < 256; ++byte)
        everyByte += static_cast<char>(byte);
    words += everyByte;
    return words;
}

} // namespace lockstep::test
