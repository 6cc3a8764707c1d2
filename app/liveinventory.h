// SPDX-License-Identifier: GPL-3.0-or-later
// inventory.toml as the window has it: read again when anybody changes it, changed on request. A broken file leaves the
// last good inventory. The file's lock and its disk are waited for on a worker, one request after the other. Thread:
// GUI.
#pragma once

#include "app/inventorywatch.h"
#include "app/worker.h"
#include "core/inventoryedit.h"

#include <QHash>

#include <deque>
#include <functional>
#include <optional>

namespace lockstep {

class LiveInventory : public QObject {
    Q_OBJECT

public:
    explicit LiveInventory(const QString& path);

    void start(); // the one read that is waited for: without it nothing can be shown
    [[nodiscard]] const Inventory& inventory() const { return m_inventory; }

    using Change = std::function<Result<void>(Inventory&)>; // on the worker's thread
    // `then` comes when inventory() says what the file says now, changed or refused.
    void edit(Change change, std::function<void(const Result<void>&)> then);

signals:
    void changed();
    void readable();                                 // it is as inventory() says
    void unreadable(const lockstep::Error& error);   // what it said before stays
    void overwritten(const lockstep::Error& report); // another program saved over changes that were made here

private:
    struct Seen {
        std::optional<QByteArray> text; // none: no file
        Result<Inventory> inventory;
    };
    struct Request {
        Change change; // none: it is only read
        std::function<void(const Result<void>&)> then;
    };

    [[nodiscard]] static Seen look(const QString& path);
    void ask(Request request);
    void next();
    void take(Seen seen);
    void tellOverwritten(const Inventory& now);
    void noteOwn(const EditedInventory& edited);

    QString m_path;
    Inventory m_inventory;
    std::optional<QByteArray> m_text; // of the file, as last read or written; none: no file
    QHash<QString, Node> m_own;       // added or edited here, as long as the file has it so
    InventoryWatch m_watch;
    std::deque<Request> m_waiting; // the first one is being answered
    Worker m_worker;
};

} // namespace lockstep
