// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/nodes/nodefilter.h"

#include "ui/nodes/nodemodel.h"
#include "ui/widgets/datatable.h"

#include <QRegularExpression>
#include <QSet>

namespace lockstep::ui {

NodeFilter::NodeFilter(Theme& theme, const NodeList& nodes, QWidget* parent)
    : Field(theme, QStringLiteral("Filter"), Icon::Search, QStringLiteral("/"), parent), m_nodes(nodes)
{
}

void NodeFilter::apply(DataTable& table, const NodeModel& model)
{
    static const QRegularExpression kAlgebra(QStringLiteral("[@\\[&!,*?(]"));
    const QString typed = text().trimmed();
    setWrong({});
    if (!typed.contains(kAlgebra)) {
        table.setRowFilter({});
        table.setFilter(typed);
        return;
    }
    Inventory inventory;
    for (const NodeState& state : m_nodes.nodes())
        inventory.nodes.append(state.node);
    const auto chosen = inventory.select(typed);
    if (!chosen) { // perhaps not typed to its end: the rows stay as they are
        setWrong(chosen.error().text);
        return;
    }
    QSet<QString> names;
    for (const Node& node : *chosen)
        names.insert(node.name);
    table.setFilter({});
    table.setRowFilter([&model, names](const QModelIndex& source) {
        const NodeState* state = model.node(source.row());
        return state && names.contains(state->node.name);
    });
}

} // namespace lockstep::ui
