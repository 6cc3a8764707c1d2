// SPDX-License-Identifier: GPL-3.0-or-later
// The inventory as the window edits it, and the nodes kept connected while it is open. Thread: GUI.
#pragma once

#include "app/desk.h"
#include "app/worker.h"
#include "core/nodestate.h"
#include "ui/mainwindow.h"

namespace lockstep {

class DesktopNodes : public QObject {
    Q_OBJECT

public:
    DesktopNodes(Desk& desk, NodeList& list, ui::MainWindow& window);

    void start();
    [[nodiscard]] const Inventory& inventory() const { return m_inventory; }

private:
    void addNodes(const QString& text);
    void importAliases(const QStringList& aliases);
    void removeNode(const QString& name);
    void edit(const QString& refusal, const std::function<Result<void>(Inventory&)>& change);
    void showAliases();
    void deploy(const QString& node);
    void clean(const QStringList& nodes);

    Desk& m_desk;
    NodeList& m_list;
    ui::MainWindow& m_window;
    Inventory m_inventory;
    NodeWatch m_watch;
    Worker m_worker;
};

} // namespace lockstep
