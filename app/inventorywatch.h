// SPDX-License-Identifier: GPL-3.0-or-later
// Says when inventory.toml may have changed: written in place, replaced by a rename as editors do, removed, made anew.
// Several writes shortly after one another are one change. Thread: GUI.
#pragma once

#include <QFileSystemWatcher>
#include <QObject>
#include <QString>
#include <QTimer>

namespace lockstep {

class InventoryWatch : public QObject {
    Q_OBJECT

public:
    explicit InventoryWatch(QString file, QObject* parent = nullptr);

signals:
    void changed();

private:
    void look();

    QString m_file;
    QFileSystemWatcher m_watcher;
    QTimer m_settle;
};

} // namespace lockstep
