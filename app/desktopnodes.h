// SPDX-License-Identifier: GPL-3.0-or-later
// What the window asks of nodes: changes of the inventory, checks, deploys, cleaning; and the nodes kept connected
// while it is open. Thread: GUI.
#pragma once

#include "app/desk.h"
#include "app/liveinventory.h"
#include "app/nodeimports.h"
#include "app/worker.h"
#include "core/nodestate.h"
#include "ui/mainwindow.h"

namespace lockstep {

class DesktopNodes : public QObject {
    Q_OBJECT

public:
    DesktopNodes(Desk& desk, NodeList& list, ui::MainWindow& window);

    void start();
    [[nodiscard]] const Inventory& inventory() const { return m_inventory.inventory(); }

private:
    void addNodes(const QString& text);
    void editNode(const Node& shown, const Node& edited);
    void removeNode(const QString& name);
    void apply();
    void deploy(const QString& node);
    void clean(const QStringList& nodes);

    Desk& m_desk;
    NodeList& m_list;
    ui::MainWindow& m_window;
    LiveInventory m_inventory;
    NodeImports m_imports;
    NodeWatch m_watch;
    Worker m_worker;
};

} // namespace lockstep
