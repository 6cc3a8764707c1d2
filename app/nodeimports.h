// SPDX-License-Identifier: GPL-3.0-or-later
// What the window takes over from files of other programs: reads them, offers what they name, takes what was chosen.
// Thread: GUI. All that it is given outlives it.
#pragma once

#include "app/liveinventory.h"
#include "app/worker.h"
#include "core/datafolder.h"
#include "core/importednodes.h"
#include "ui/mainwindow.h"

namespace lockstep {

class NodeImports : public QObject {
    Q_OBJECT

public:
    NodeImports(const DataFolder& folder, LiveInventory& inventory, ui::MainWindow& window);

    void offerAliases(); // of ~/.ssh/config

private:
    void offerFile(const QString& path);
    void importNodes(const QString& file, const QStringList& names); // empty file: ~/.ssh/config
    void takeOver(const QString& path, const QList<Node>& chosen);

    const DataFolder& m_folder;
    LiveInventory& m_inventory;
    ui::MainWindow& m_window;
    Worker m_worker;
};

} // namespace lockstep
