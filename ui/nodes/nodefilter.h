// SPDX-License-Identifier: GPL-3.0-or-later
// The filter of the Nodes table: words, or a selection as everywhere ("gpu[1-4] & @h100"). Thread: GUI.
#pragma once

#include "core/nodestate.h"
#include "ui/widgets/field.h"

namespace lockstep::ui {

class DataTable;
class NodeModel;

class NodeFilter : public Field {
    Q_OBJECT

public:
    NodeFilter(Theme& theme, const NodeList& nodes, QWidget* parent = nullptr);
    void apply(DataTable& table, const NodeModel& model); // a wrong selection leaves the rows, and is said

private:
    const NodeList& m_nodes;
};

} // namespace lockstep::ui
