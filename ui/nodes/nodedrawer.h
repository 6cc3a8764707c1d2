// SPDX-License-Identifier: GPL-3.0-or-later
// The strip under the header of Nodes in which nodes are added, imported or edited; closed unless wanted.
#pragma once

#include "core/inventory.h"
#include "ui/theme.h"

#include <QFrame>

namespace lockstep::ui {

class AddNode;
class EditNode;
class ImportList;

class NodeDrawer : public QFrame {
    Q_OBJECT

public:
    enum class Form { Closed, Add, Import, Edit };

    explicit NodeDrawer(Theme& theme, QWidget* parent = nullptr);
    void toggle(Form form); // closes it when it shows just that
    void open(Form form);
    [[nodiscard]] AddNode& addNode() { return *m_add; }
    void edit(const Node& node, const QList<NodeGroup>& groups);
    [[nodiscard]] ImportList& importList() { return *m_import; }
    [[nodiscard]] EditNode& editNode() { return *m_edit; }
    [[nodiscard]] Form form() const { return m_form; }

private:
    AddNode* m_add;
    ImportList* m_import;
    EditNode* m_edit;
    QWidget* m_addBox;
    Form m_form = Form::Closed;
};

} // namespace lockstep::ui
