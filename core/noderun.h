// SPDX-License-Identifier: GPL-3.0-or-later
// A run as a node knows it, whichever desktop of its user launched it. A value.
#pragma once

#include <QString>

namespace lockstep {

struct NodeRun {
    enum class Standing {
        Running, // its supervisor lives
        Ended,   // with its last record
        Lost,    // neither: the supervisor was killed, or the node went down
    };

    QString run;
    QString node; // its name in the plan
    int attempt = 1;
    Standing standing = Standing::Lost;
    qint64 supervisor = 0; // pid, 0: none
    qint64 spoolBytes = 0;
    int processes = 0; // of the run, the supervisor and its helpers not counted

    bool operator==(const NodeRun&) const = default;

    // Nobody looks after these processes: a new launch there is refused until they are removed.
    [[nodiscard]] bool isLeftover() const { return standing != Standing::Running && processes > 0; }
};

[[nodiscard]] inline QString words(NodeRun::Standing standing)
{
    switch (standing) {
    case NodeRun::Standing::Running:
        return QStringLiteral("running");
    case NodeRun::Standing::Ended:
        return QStringLiteral("ended");
    case NodeRun::Standing::Lost:
        return QStringLiteral("lost");
    }
    return {};
}

} // namespace lockstep
