// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktopnodes.h"

#include "core/inventoryedit.h"
#include "remote/deployahead.h"
#include "remote/launcher.h"
#include "remote/noderuns.h"
#include "ui/nodes/nodespage.h"
#include "ui/shell/leftoversbar.h"

namespace lockstep {
namespace {

const QString kNotRead = QStringLiteral("The inventory's file was not read; what it said before stays");
const QString kOverwritten = QStringLiteral("The inventory's file was saved by another program over changes made here");

} // namespace

DesktopNodes::DesktopNodes(Desk& desk, NodeList& list, ui::MainWindow& window)
    : m_desk(desk), m_list(list), m_window(window), m_inventory(desk.folder.inventoryFile()),
      m_imports(desk.folder, m_inventory, window), m_watch(desk.parts, desk.acceptHostKey)
{
    using ui::MainWindow;
    connect(&m_watch, &NodeWatch::stateChanged, &m_list, &NodeList::update);
    connect(&m_inventory, &LiveInventory::changed, this, &DesktopNodes::apply);
    connect(&m_inventory, &LiveInventory::readable, this, [this] { m_window.withdrawError(kNotRead); });
    connect(&m_inventory, &LiveInventory::unreadable, this,
            [this](const Error& error) { m_window.showError(kNotRead, error); });
    connect(&m_inventory, &LiveInventory::overwritten, this,
            [this](const Error& report) { m_window.showError(kOverwritten, report); });
    connect(&m_window, &MainWindow::nodesAddRequested, this, &DesktopNodes::addNodes);
    connect(&m_window, &MainWindow::nodeEditRequested, this, &DesktopNodes::editNode);
    connect(&m_window, &MainWindow::nodeRemoveRequested, this, &DesktopNodes::removeNode);
    connect(&m_window, &MainWindow::checkRequested, &m_watch, &NodeWatch::check);
    connect(&m_window, &MainWindow::checkAllRequested, &m_watch, &NodeWatch::checkAll);
    connect(&m_window, &MainWindow::acceptHostKeyRequested, &m_watch, &NodeWatch::acceptHostKey);
    connect(&m_window, &MainWindow::deployRequested, this, &DesktopNodes::deploy);
    connect(&m_window, &MainWindow::cleanRequested, this, &DesktopNodes::clean);
}

void DesktopNodes::start()
{
    m_inventory.start();
    m_imports.offerAliases();
}

void DesktopNodes::apply()
{
    for (const auto& line : inventory().notes)
        m_window.showMessage(placedProblem(QStringLiteral("inventory.toml"), line));
    m_list.setInventory(inventory());
    m_watch.setInventory(inventory());
}

void DesktopNodes::addNodes(const QString& text)
{
    m_inventory.edit(
        [text](Inventory& inventory) -> Result<void> {
            const auto nodes = nodesFromText(text);
            return nodes ? inventory.add(*nodes) : std::unexpected(nodes.error());
        },
        [this, text](const Result<void>& added) {
            if (!m_window.nodesPage().setAdded(text, added) && !added)
                m_window.showError(QStringLiteral("The node was not added"), added.error());
        });
}

void DesktopNodes::editNode(const Node& shown, const Node& edited)
{
    m_inventory.edit([shown, edited](Inventory& inventory) { return replaceNode(inventory, shown, edited); },
                     [this, name = shown.name](const Result<void>& saved) {
                         if (!m_window.nodesPage().setEdited(name, saved) && !saved)
                             m_window.showError(QStringLiteral("The node was not changed"), saved.error());
                     });
}

void DesktopNodes::removeNode(const QString& name)
{
    m_inventory.edit([name](Inventory& inventory) { return inventory.remove(name); },
                     [this](const Result<void>& removed) {
                         if (!removed)
                             m_window.showError(QStringLiteral("The node was not removed"), removed.error());
                     });
}

void DesktopNodes::deploy(const QString& node)
{
    const Node* found = inventory().find(node);
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
        const Node* node = inventory().find(name);
        if (!node)
            continue;
        m_worker.ask(
            [parts = m_desk.parts, node = *node](std::stop_token stop) { return cleanNode(parts, node, stop); },
            [this, name](const Result<QList<CleanedRun>>& cleaned) {
                m_watch.check(name); // what is there now
                int gone = 0, left = 0;
                for (const CleanedRun& run : cleaned.value_or(QList<CleanedRun>())) {
                    gone += run.proof.gone;
                    left += run.proof.left;
                }
                if (!cleaned)
                    m_window.showError(QStringLiteral("Not all was removed"), cleaned.error());
                else
                    m_window.showMessage(
                        QStringLiteral("%1: %2 processes gone, %3 left behind").arg(name).arg(gone).arg(left));
                using Cleaned = ui::LeftoversBar::Cleaned;
                m_window.leftovers().setCleaned(cleaned && left == 0 ? Cleaned::All : Cleaned::NotAll);
            });
    }
}

} // namespace lockstep
