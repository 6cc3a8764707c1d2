// SPDX-License-Identifier: GPL-3.0-or-later
// The strip under the header of Nodes in which nodes are added or imported; closed unless wanted.
#pragma once

#include "ui/theme.h"

#include <QFrame>

namespace lockstep::ui {

class AddNode;
class ImportList;

class NodeDrawer : public QFrame {
    Q_OBJECT

public:
    enum class Form { Closed, Add, Import };

    explicit NodeDrawer(Theme& theme, QWidget* parent = nullptr);
    void toggle(Form form); // closes it when it shows just that
    [[nodiscard]] AddNode& addNode() { return *m_add; }
    [[nodiscard]] ImportList& importList() { return *m_import; }

private:
    AddNode* m_add;
    ImportList* m_import;
    QWidget* m_addBox;
    Form m_form = Form::Closed;
};

} // namespace lockstep::ui
