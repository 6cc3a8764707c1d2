// SPDX-License-Identifier: GPL-3.0-or-later
// A run on made nodes (madenodes.h): its spec, and what a session says of it.
#pragma once

#include "remote/runsession.h"

#include <map>
#include <optional>

namespace lockstep::test {

// Options are of the made trainer: steps, delay, fail_rank ... Grace: 1 s.
[[nodiscard]] RunSpec madeSpec(int ranksPerNode, const QList<std::pair<QString, QByteArray>>& options);

struct Seen { // of one session, from here on
    explicit Seen(RunSession& session);

    std::map<std::pair<int, int>, QList<int>> steps; // attempt, rank -> steps in the order they came
    QStringList said, lines;
    QList<RunPhase> phases;
    std::optional<Error> refusal;

    [[nodiscard]] QString words() const { return said.join(u'\n'); }
};

[[nodiscard]] QList<int> upTo(int count); // 0, 1 ... count - 1

} // namespace lockstep::test
