// SPDX-License-Identifier: GPL-3.0-or-later
// The offer to end what dead runs have left behind on nodes. Made for what was found, and again when it was taken and
// something is still there; a new launch there is refused until then. Thread: GUI. `nodes` outlives it.
#pragma once

#include "core/nodestate.h"
#include "ui/shell/noticebar.h"

namespace lockstep::ui {

class LeftoversBar : public NoticeBar {
    Q_OBJECT

public:
    LeftoversBar(Theme& theme, const NodeList& nodes, QWidget* parent = nullptr);

    enum class Cleaned { All, NotAll };
    void setCleaned(Cleaned how); // the answer to cleanRequested, of one of its nodes

signals:
    void cleanRequested(const QStringList& nodes);

private:
    void offer();

    const NodeList& m_nodes;
    QStringList m_leftOn; // nodes of the offer that was made last, taken or not
};

} // namespace lockstep::ui
