// SPDX-License-Identifier: GPL-3.0-or-later
// The first steps of every deploy to made nodes (madenodes.h).
#pragma once

#include "remote/bundle.h"
#include "remote/nodelink.h"
#include "tests/remote/madenodes.h"

// `name` is the value of a Result, or the test fails with its sentence.
#define GET(name, expression)                                                                                          \
    auto name##Result = expression;                                                                                    \
    QVERIFY2(name##Result.has_value(), name##Result ? "" : qPrintable(name##Result.error().text));                     \
    auto& name = *name##Result

namespace lockstep::test {

[[nodiscard]] QByteArray contentOf(const QString& path); // empty: not there
void writeFile(const QString& path, const QByteArray& bytes);

[[nodiscard]] Result<NodeLink> open(const MadeNodes& made, int index = 0);
[[nodiscard]] Result<Bundle> readBundle(const MadeNodes& made);

} // namespace lockstep::test
