// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktopnodes.h"

#include "remote/launcher.h"

#include <QDir>

namespace lockstep {
namespace {

QString sshConfigFile()
{
    const QString named = qEnvironmentVariable("LOCKSTEP_SSH_CONFIG");
    return named.isEmpty() ? QDir::homePath() + QStringLiteral("/.ssh/config") : named;
}

} // namespace

DesktopNodes::DesktopNodes(Desk& desk, NodeList& list, ui::MainWindow& window)
    : m_desk(desk), m_list(list), m_window(window), m_watch(desk.parts, desk.acceptHostKey)
{
    using ui::MainWindow;
    connect(&m_watch, &NodeWatch::stateChanged, &m_list, &NodeList::update);
    connect(&m_window, &MainWindow::nodesAddRequested, this, &DesktopNodes::addNodes);
    connect(&m_window, &MainWindow::nodeRemoveRequested, this, &DesktopNodes::removeNode);
    connect(&m_window, &MainWindow::importRequested, this, &DesktopNodes::importAliases);
    connect(&m_window, &MainWindow::checkRequested, &m_watch, &NodeWatch::check);
    connect(&m_window, &MainWindow::checkAllRequested, &m_watch, &NodeWatch::checkAll);
    connect(&m_window, &MainWindow::acceptHostKeyRequested, &m_watch, &NodeWatch::acceptHostKey);
    connect(&m_window, &MainWindow::deployRequested, this, &DesktopNodes::deploy);
}

void DesktopNodes::start()
{
    if (auto inventory = Inventory::load(m_desk.folder.inventoryFile())) {
        m_inventory = std::move(*inventory);
        m_list.setInventory(m_inventory);
        m_watch.setInventory(m_inventory);
    } else {
        m_window.showError(QStringLiteral("The inventory was not read"), inventory.error());
    }
    showAliases();
}

void DesktopNodes::changeInventory(Inventory inventory)
{
    if (auto saved = inventory.save(m_desk.folder.inventoryFile()); !saved) {
        m_window.showError(QStringLiteral("The inventory was not saved"), saved.error());
        return;
    }
    m_inventory = std::move(inventory);
    m_list.setInventory(m_inventory);
    m_watch.setInventory(m_inventory);
}

void DesktopNodes::addNodes(const QString& text)
{
    Inventory inventory = m_inventory;
    const auto nodes = nodesFromText(text);
    Result<void> added = nodes ? Result<void>() : std::unexpected(nodes.error());
    if (nodes)
        for (const auto& node : *nodes)
            if (added)
                added = inventory.add(node);
    if (added)
        changeInventory(std::move(inventory));
    else
        m_window.showError(QStringLiteral("The node was not added"), added.error());
}

void DesktopNodes::importAliases(const QStringList& aliases)
{
    const auto imported = importSshConfig(sshConfigFile());
    if (!imported) {
        m_window.showError(QStringLiteral("Nothing was imported"), imported.error());
        return;
    }
    Inventory inventory = m_inventory;
    for (const auto& node : imported->nodes)
        if (aliases.contains(node.name))
            if (auto added = inventory.add(node); !added)
                m_window.showError(QStringLiteral("The node was not added"), added.error());
    changeInventory(std::move(inventory));
}

void DesktopNodes::removeNode(const QString& name)
{
    Inventory inventory = m_inventory;
    if (auto removed = inventory.remove(name); !removed)
        m_window.showError(QStringLiteral("The node was not removed"), removed.error());
    else
        changeInventory(std::move(inventory));
}

void DesktopNodes::showAliases()
{
    const auto aliases = importSshConfig(sshConfigFile());
    if (!aliases) // no ssh_config: nothing to offer
        return;
    QList<QPair<QString, QString>> offered;
    for (const auto& node : aliases->nodes)
        offered << QPair(node.name,
                         node.jump.isEmpty() ? node.address.text() : QStringLiteral("via ") + node.jump.last());
    m_window.setSshAliases(offered);
}

void DesktopNodes::deploy(const QString& node)
{
    const Node* found = m_inventory.find(node);
    if (!found)
        return;
    const auto said = [this, node](const QString& words) { m_window.showMessage(node + QStringLiteral(": ") + words); };
    const auto progressed = [this, said](const QString& words) { // on the worker's thread
        QMetaObject::invokeMethod(
            this, [said, words] { said(words); }, Qt::QueuedConnection);
    };
    m_worker.ask([parts = m_desk.parts, node = *found,
                  progressed](std::stop_token stop) { return deployTo(parts, node, progressed, stop); },
                 [this, node](const Result<Deployed>& deployed) {
                     if (deployed)
                         m_watch.check(node);
                     else
                         m_window.showError(QStringLiteral("The runtime was not deployed"), deployed.error());
                 });
}

} // namespace lockstep
