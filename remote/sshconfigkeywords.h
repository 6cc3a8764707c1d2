// SPDX-License-Identifier: GPL-3.0-or-later
// The keywords of ssh_config(5), and how the arguments of those that matter here are read.
#pragma once

#include <QByteArray>

#include <optional>

namespace lockstep {

enum class ConfigKeyword {
    Host,
    Match,
    Include,
    IgnoreUnknown,
    String,  // one word, the first one given counts
    Flag,    // yes or no
    Choice,  // one word of a few
    Port,    // 1 to 65535, or a service
    Number,  // not negative
    Seconds, // 90, 2m, none
    File,    // one word; all of them count
    Files,   // words; the first line that has some counts
    Command, // the rest of the line
    Jump,    // ProxyJump
    Agent,   // IdentityAgent
    Other,   // known to ssh, of no meaning here
};

struct ConfigKeywordRow {
    const char* name; // lower case, as ssh -G writes it
    ConfigKeyword kind;
    const char* choices = ""; // of Choice, with blanks around each
};

// nullptr: ssh does not know it either. Old names give the row of the new one.
[[nodiscard]] const ConfigKeywordRow* configKeyword(const QByteArray& lowered);

} // namespace lockstep
