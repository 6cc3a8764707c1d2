// SPDX-License-Identifier: GPL-3.0-or-later
// The inventory as the window and a person's editor change it, and the nodes kept connected while it is open. A broken
// file is told with its line while the last good inventory stays. Thread: GUI.
#pragma once

#include "app/desk.h"
#include "app/inventorywatch.h"
#include "app/worker.h"
#include "core/nodestate.h"
#include "ui/mainwindow.h"

#include <QHash>

namespace lockstep {

class DesktopNodes : public QObject {
    Q_OBJECT

public:
    DesktopNodes(Desk& desk, NodeList& list, ui::MainWindow& window);

    void start();
    [[nodiscard]] const Inventory& inventory() const { return m_inventory; }

private:
    void addNodes(const QString& text);
    void editNode(const Node& shown, const Node& edited);
    void importNodes(const QString& file, const QStringList& names);
    void takeOver(const QString& path, const QList<Node>& chosen);
    void removeNode(const QString& name);
    bool edit(const QString& refusal, const std::function<Result<void>(Inventory&)>& change); // false: it was refused
    void readFile();                                                                          // it may have changed
    void apply(Inventory inventory);
    void tellOverwritten(const Inventory& now);
    void offerAliases();
    void offerFile(const QString& path);
    void deploy(const QString& node);
    void clean(const QStringList& nodes);

    Desk& m_desk;
    NodeList& m_list;
    ui::MainWindow& m_window;
    Inventory m_inventory;
    std::optional<QByteArray> m_text; // of the file, as last read or written; none: no file
    QHash<QString, Node> m_own;       // added or edited here, as long as the file has it so
    NodeWatch m_watch;
    InventoryWatch m_file;
    Worker m_worker;
};

} // namespace lockstep
