// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/remote/maderun.h"

namespace lockstep::test {

RunSpec madeSpec(int ranksPerNode, const QList<std::pair<QString, QByteArray>>& options)
{
    RunSpec spec;
    spec.name = QStringLiteral("made");
    spec.ranksPerNode = ranksPerNode;
    spec.graceS = 1;
    spec.trainer.clear();
    for (const auto& [name, value] : options)
        spec.setOption(name, value);
    return spec;
}

Seen::Seen(RunSession& session)
{
    QObject::connect(&session, &RunSession::updated, &session, [this](const RunUpdate& update) {
        for (const auto& [key, points] : update.points)
            if (key.metric == QLatin1String("loss"))
                for (const Point& point : points)
                    steps[{key.attempt, key.rank}].append(static_cast<int>(point.step));
        for (const LogLine& line : update.lines)
            lines.append(line.text);
    });
    QObject::connect(&session, &RunSession::said, &session, [this](const QString& text) { said.append(text); });
    QObject::connect(&session, &RunSession::refused, &session, [this](const Error& error) { refusal = error; });
    QObject::connect(&session, &RunSession::stateChanged, &session, [this](const RunState& state) {
        if (phases.isEmpty() || phases.last() != state.phase)
            phases.append(state.phase);
    });
}

QList<int> upTo(int count)
{
    QList<int> numbers;
    for (int i = 0; i < count; ++i)
        numbers.append(i);
    return numbers;
}

} // namespace lockstep::test
