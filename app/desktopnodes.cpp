// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktopnodes.h"

#include "core/atomicfile.h"
#include "core/importmerge.h"
#include "core/inventoryedit.h"
#include "remote/deployahead.h"
#include "remote/launcher.h"
#include "remote/noderuns.h"
#include "ui/nodes/nodespage.h"

#include <QDir>
#include <QFileInfo>

#include <algorithm>

namespace lockstep {
namespace {

const QString kNotRead = QStringLiteral("The inventory's file was not read; what it said before stays");
const QString kNotImported = QStringLiteral("Nothing was imported");
constexpr qsizetype kNamesShown = 6;

QString sshConfigFile()
{
    const QString named = qEnvironmentVariable("LOCKSTEP_SSH_CONFIG");
    return named.isEmpty() ? QDir::homePath() + QStringLiteral("/.ssh/config") : named;
}

ui::ImportOffer offerOf(const ImportedNodes& imported, const QString& file, const QString& shown)
{
    ui::ImportOffer offer;
    offer.file = file;
    for (const auto& node : imported.nodes) {
        QString detail = node.local            ? QStringLiteral("this machine")
                         : node.jump.isEmpty() ? node.address.text()
                                               : QStringLiteral("via ") + node.jump.last();
        if (node.slots_ > 0)
            detail += QStringLiteral(", %1 slots").arg(node.slots_);
        offer.hosts << QPair(node.name, detail);
    }
    for (const auto& line : imported.problems)
        offer.problems << placedProblem(shown, line);
    return offer;
}

QList<Node> onlyNamed(const QList<Node>& nodes, const QStringList& names)
{
    QList<Node> some;
    for (const auto& node : nodes)
        if (names.contains(node.name))
            some << node;
    return some;
}

} // namespace

DesktopNodes::DesktopNodes(Desk& desk, NodeList& list, ui::MainWindow& window)
    : m_desk(desk), m_list(list), m_window(window), m_watch(desk.parts, desk.acceptHostKey),
      m_file(desk.folder.inventoryFile())
{
    using ui::MainWindow;
    connect(&m_watch, &NodeWatch::stateChanged, &m_list, &NodeList::update);
    connect(&m_file, &InventoryWatch::changed, this, &DesktopNodes::readFile);
    connect(&m_window, &MainWindow::nodesAddRequested, this, &DesktopNodes::addNodes);
    connect(&m_window, &MainWindow::nodeEditRequested, this, &DesktopNodes::editNode);
    connect(&m_window, &MainWindow::nodeRemoveRequested, this, &DesktopNodes::removeNode);
    connect(&m_window, &MainWindow::importRequested, this, &DesktopNodes::importNodes);
    connect(&m_window, &MainWindow::importFileWanted, this, &DesktopNodes::offerFile);
    connect(&m_window, &MainWindow::checkRequested, &m_watch, &NodeWatch::check);
    connect(&m_window, &MainWindow::checkAllRequested, &m_watch, &NodeWatch::checkAll);
    connect(&m_window, &MainWindow::acceptHostKeyRequested, &m_watch, &NodeWatch::acceptHostKey);
    connect(&m_window, &MainWindow::deployRequested, this, &DesktopNodes::deploy);
    connect(&m_window, &MainWindow::cleanRequested, this, &DesktopNodes::clean);
}

void DesktopNodes::start()
{
    if (QFileInfo::exists(m_desk.folder.inventoryFile()))
        readFile();
    else
        apply(Inventory::firstStart());
    offerAliases();
}

void DesktopNodes::apply(Inventory inventory)
{
    m_window.withdrawError(kNotRead);
    m_inventory = std::move(inventory);
    for (const auto& line : m_inventory.notes)
        m_window.showMessage(placedProblem(QStringLiteral("inventory.toml"), line));
    m_list.setInventory(m_inventory);
    m_watch.setInventory(m_inventory);
}

void DesktopNodes::readFile()
{
    const QString path = m_desk.folder.inventoryFile();
    if (!QFileInfo::exists(path)) {
        if (m_text)
            m_window.showError(kNotRead, {ErrorCode::NotFound,
                                          QStringLiteral("%1 was removed. Its %2 nodes stay as long as this window is "
                                                         "open; the next change here writes the file again.")
                                              .arg(path)
                                              .arg(m_inventory.nodes.size()),
                                          {}});
        return;
    }
    const auto bytes = readWhole(path);
    if (!bytes)
        return m_window.showError(kNotRead, bytes.error());
    if (m_text == *bytes)
        return m_window.withdrawError(kNotRead);
    auto inventory = Inventory::parse(*bytes, QFileInfo(path).fileName());
    if (!inventory)
        return m_window.showError(kNotRead, inventory.error());
    tellOverwritten(*inventory);
    m_text = *bytes;
    apply(std::move(*inventory));
}

// An editor that was opened before a change was made here writes that change away.
void DesktopNodes::tellOverwritten(const Inventory& now)
{
    QStringList lost;
    for (auto own = m_own.begin(); own != m_own.end();) {
        const Node* node = now.find(own.key());
        if (!node || *node != *own) {
            lost << own.key();
            own = m_own.erase(own);
        } else {
            ++own;
        }
    }
    if (lost.isEmpty() || !m_text)
        return;
    lost.sort();
    const QString copy = m_desk.folder.inventoryFile() + u'~';
    const auto kept = writeAtomically(copy, *m_text);
    m_window.showError(
        QStringLiteral("The inventory's file was saved by another program over changes made here"),
        {ErrorCode::BadInput,
         QStringLiteral("It differs at %1. %2")
             .arg(lost.mid(0, kNamesShown).join(QLatin1String(", ")),
                  kept ? QStringLiteral("The text as it was before is kept in %1.").arg(copy) : kept.error().text),
         {}});
}

bool DesktopNodes::edit(const QString& refusal, const std::function<Result<void>(Inventory&)>& change)
{
    const QString path = m_desk.folder.inventoryFile();
    if (m_text && !QFileInfo::exists(path)) // removed under the window, which has its text
        if (auto written = writeAtomically(path, *m_text); !written) {
            m_window.showError(refusal, written.error());
            return false;
        }
    auto edited = editInventory(path, change);
    if (!edited) {
        m_window.showError(refusal, edited.error());
        return false;
    }
    for (const auto& node : edited->nodes)
        if (const Node* before = m_inventory.find(node.name); !before || *before != node)
            m_own.insert(node.name, node);
    for (const auto& node : m_inventory.nodes)
        if (!edited->find(node.name))
            m_own.remove(node.name);
    if (const auto bytes = readWhole(path))
        m_text = *bytes;
    apply(std::move(*edited));
    return true;
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

void DesktopNodes::editNode(const Node& shown, const Node& edited)
{
    const bool done = edit(QStringLiteral("The node was not changed"),
                           [&](Inventory& inventory) { return replaceNode(inventory, shown, edited); });
    if (!done)
        m_list.setInventory(m_inventory); // the form shows what was in the way
}

void DesktopNodes::removeNode(const QString& name)
{
    edit(QStringLiteral("The node was not removed"), [&name](Inventory& inventory) { return inventory.remove(name); });
}

void DesktopNodes::importNodes(const QString& file, const QStringList& names)
{
    const QString path = file.isEmpty() ? sshConfigFile() : file;
    m_worker.ask([path](std::stop_token) { return importFile(path); },
                 [this, path, names](const Result<ImportedNodes>& imported) {
                     if (imported)
                         takeOver(path, onlyNamed(imported->nodes, names));
                     else
                         m_window.showError(kNotImported, imported.error());
                 });
}

// What was chosen here is wanted, also when it had been removed.
void DesktopNodes::takeOver(const QString& path, const QList<Node>& chosen)
{
    const QList<Node> last = lastImport(m_desk.folder.path(), path);
    ImportReport report;
    QList<Node> now = chosen;
    const bool done = edit(kNotImported, [&](Inventory& inventory) -> Result<void> {
        QList<Node> known;
        for (const auto& node : last) {
            const bool again = std::ranges::any_of(chosen, [&](const Node& one) { return one.name == node.name; });
            if (again && inventory.find(node.name))
                known << node;
            else if (!again)
                now << node;
        }
        report = mergeImport(inventory, chosen, known);
        return {};
    });
    if (!done)
        return;
    if (auto kept = keepImport(m_desk.folder.path(), path, now); !kept)
        m_window.showError(QStringLiteral("The import was not noted down"), kept.error());
    m_window.showMessage(report.sentences().join(QStringLiteral("; ")));
    offerAliases();
}

void DesktopNodes::offerAliases()
{
    m_worker.ask([](std::stop_token) { return importSshConfig(sshConfigFile()); },
                 [this](const Result<ImportedNodes>& aliases) {
                     // No ssh_config: nothing to offer.
                     m_window.nodesPage().setImportOffer(
                         aliases ? offerOf(*aliases, {}, QStringLiteral("~/.ssh/config")) : ui::ImportOffer());
                 });
}

void DesktopNodes::offerFile(const QString& path)
{
    m_worker.ask([path](std::stop_token) { return importFile(path); },
                 [this, path](const Result<ImportedNodes>& imported) {
                     if (imported)
                         m_window.nodesPage().setImportOffer(offerOf(*imported, path, QFileInfo(path).fileName()));
                     else
                         m_window.nodesPage().setImportRefused(imported.error().text);
                 });
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
