// SPDX-License-Identifier: GPL-3.0-or-later
// What a command says and leaves with. Data goes to stdout, words about it to stderr.
#pragma once

#include "app/options.h"
#include "core/error.h"

#include <QJsonValue>

namespace lockstep {

inline constexpr int kExitDone = 0;
inline constexpr int kExitFailed = 1;   // it was tried and did not work
inline constexpr int kExitBadInput = 2; // an option, a file, a name that cannot be meant

void print(const QString& text);                            // stdout, as it is
void printJson(const QJsonValue& value);                    // stdout, one value and a newline
void note(const QString& text);                             // stderr, one line
[[nodiscard]] int leave(const Error& error, Output output); // says it and gives the exit code

} // namespace lockstep
