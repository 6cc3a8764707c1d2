// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktopnodes.h"

#include "core/inventoryedit.h"
#include "remote/launcher.h"
#include "remote/noderuns.h"
#include "remote/deployahead.h"

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
    connect(&m_window, &MainWindow::cleanRequested, this, &DesktopNodes::clean);
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

void DesktopNodes::edit(const QString& refusal, const std::function<Result<void>(Inventory&)>& change)
{
    auto edited = editInventory(m_desk.folder.inventoryFile(), change);
    if (!edited) {
        m_window.showError(refusal, edited.error());
        return;
    }
    m_inventory = std::move(*edited);
    m_list.setInventory(m_inventory);
    m_watch.setInventory(m_inventory);
}

void DesktopNodes::addNodes(const QString& text)
{
    edit(QStringLiteral("The node was not added"), [&text](Inventory& inventory) -> Result<void> {
        const auto nodes = nodesFromText(text);
        if (!nodes)
            return std::unexpected(nodes.error());
        for (const auto& node : *nodes)
            if (auto added = inventory.add(node); !added)
                return added;
        return {};
    });
}

void DesktopNodes::importAliases(const QStringList& aliases)
{
    edit(QStringLiteral("Nothing was imported"), [&aliases](Inventory& inventory) -> Result<void> {
        const auto imported = importSshConfig(sshConfigFile());
        if (!imported)
            return std::unexpected(imported.error());
        for (const auto& node : imported->nodes)
            if (aliases.contains(node.name))
                if (auto added = inventory.add(node); !added)
                    return added;
        return {};
    });
}

void DesktopNodes::removeNode(const QString& name)
{
    edit(QStringLiteral("The node was not removed"), [&name](Inventory& inventory) { return inventory.remove(name); });
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
    const auto progressed = [this](const QString& name, const QString& words) { // on the node's thread
        QMetaObject::invokeMethod(
            this, [this, name, words] { m_window.showMessage(name + QStringLiteral(": ") + words); },
            Qt::QueuedConnection);
    };
    DeployAhead order;
    order.nodes = {*found};
    order.progressed = progressed;
    m_worker.ask([parts = m_desk.parts, order](std::stop_token stop) { return deployAhead(parts, order, stop); },
                 [this, node](const Result<std::vector<DeployedNode>>& deployed) {
                     const Error* error = !deployed                   ? &deployed.error()
                                          : !deployed->front().result ? &deployed->front().result.error()
                                                                      : nullptr;
                     if (error)
                         m_window.showError(QStringLiteral("The runtime was not deployed"), *error);
                     else
                         m_watch.check(node);
                 });
}

void DesktopNodes::clean(const QStringList& nodes)
{
    for (const QString& name : nodes) {
        const Node* node = m_inventory.find(name);
        if (!node)
            continue;
        m_worker.ask(
            [parts = m_desk.parts, node = *node](std::stop_token stop) { return cleanNode(parts, node, stop); },
            [this, name](const Result<QList<CleanedRun>>& cleaned) {
                m_watch.check(name); // what is there now
                if (!cleaned) {
                    m_window.showError(QStringLiteral("Not all was removed"), cleaned.error());
                    return;
                }
                int gone = 0, left = 0;
                for (const CleanedRun& run : *cleaned) {
                    gone += run.proof.gone;
                    left += run.proof.left;
                }
                m_window.showMessage(
                    QStringLiteral("%1: %2 processes gone, %3 left behind").arg(name).arg(gone).arg(left));
            });
    }
}

} // namespace lockstep
