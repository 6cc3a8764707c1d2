// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/inventorywatch.h"

#include "core/atomicfile.h"

#include <QFileInfo>

namespace lockstep {
namespace {

constexpr int kSettleMs = 60; // an editor's truncate, write and rename; a person does not see it

} // namespace

InventoryWatch::InventoryWatch(QString file, QObject* parent) : QObject(parent), m_file(std::move(file))
{
    m_settle.setSingleShot(true);
    m_settle.setInterval(kSettleMs);
    connect(&m_settle, &QTimer::timeout, this, &InventoryWatch::changed);
    connect(&m_watcher, &QFileSystemWatcher::fileChanged, this, &InventoryWatch::look);
    connect(&m_watcher, &QFileSystemWatcher::directoryChanged, this, &InventoryWatch::look);
    // The folder too: a file that is replaced is another file, and one that is missing can't be watched.
    const QString folder = QFileInfo(m_file).path();
    if (makePrivateFolder(folder)) // not there at the first start; whoever writes into it says why it can't be
        m_watcher.addPath(folder);
    if (QFileInfo::exists(m_file))
        m_watcher.addPath(m_file);
}

void InventoryWatch::look()
{
    if (!m_watcher.files().contains(m_file) && QFileInfo::exists(m_file))
        m_watcher.addPath(m_file);
    m_settle.start();
}

} // namespace lockstep
