// SPDX-License-Identifier: GPL-3.0-or-later
// The three descriptors that a program is started with. Thread: main.
#pragma once

#include <QString>

#include <optional>

namespace lockstep {

// A closed one becomes /dev/null: else the next file or connection gets its number, and what is printed goes there. In
// main, before anything is opened.
void openStandardStreams();

// Why what was printed did not get out: a full disk behind stdout. None where it did, or where its reader has left,
// who then had what it wanted.
[[nodiscard]] std::optional<QString> outputLost();

} // namespace lockstep
