// SPDX-License-Identifier: GPL-3.0-or-later
// "Start here": what a first start can do beside the one node it shows. Nothing of it is needed later.
#pragma once

#include "ui/widgets/panel.h"

namespace lockstep::ui {

class AddNode;
class ImportList;

class StartPanel : public QFrame {
    Q_OBJECT

public:
    explicit StartPanel(Theme& theme, QWidget* parent = nullptr);
    [[nodiscard]] AddNode& addNode() { return *m_add; }
    [[nodiscard]] ImportList& importList() { return *m_import; }

signals:
    void demoRequested();
    void demoTableRequested();

private:
    QVBoxLayout* section(QVBoxLayout& column, Icon icon, const QString& title, const QString& html);

    Theme& m_theme;
    AddNode* m_add;
    ImportList* m_import;
};

} // namespace lockstep::ui
