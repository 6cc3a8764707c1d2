// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/leftoversbar.h"

namespace lockstep::ui {

LeftoversBar::LeftoversBar(Theme& theme, const NodeList& nodes, QWidget* parent)
    : NoticeBar(theme, parent), m_nodes(nodes)
{
    connect(this, &NoticeBar::accepted, this, [this] { emit cleanRequested(m_leftOn); });
    connect(&nodes, &NodeList::reset, this, &LeftoversBar::offer);
    connect(&nodes, &NodeList::nodeChanged, this, &LeftoversBar::offer);
    offer();
}

void LeftoversBar::setCleaned(Cleaned how)
{
    if (how == Cleaned::All)
        return; // the node's next state says that nothing is there
    m_leftOn.clear();
    offer();
}

void LeftoversBar::offer()
{
    QStringList nodes, runs;
    int processes = 0;
    for (const NodeState& state : m_nodes.nodes())
        for (const NodeRun& run : state.runs)
            if (run.isLeftover()) {
                processes += run.processes;
                if (!nodes.contains(state.node.name))
                    nodes << state.node.name;
                if (!runs.contains(run.run))
                    runs << run.run;
            }
    if (nodes == m_leftOn)
        return;
    m_leftOn = nodes;
    setVisible(!nodes.isEmpty());
    if (nodes.isEmpty())
        return;
    showOffer(
        QStringLiteral("%1 left behind on %2")
            .arg(processes == 1 ? QStringLiteral("A process was") : QStringLiteral("%1 processes were").arg(processes),
                 nodes.join(QStringLiteral(", "))),
        QStringLiteral("Of %1, whose supervisor is gone: nobody looks after them, and a new launch there is "
                       "refused. Only what carries the run's tag is ended.")
            .arg(runs.join(QStringLiteral(", "))),
        QStringLiteral("Remove"));
}

} // namespace lockstep::ui
