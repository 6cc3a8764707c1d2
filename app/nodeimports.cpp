// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/nodeimports.h"

#include "core/importmerge.h"
#include "core/sshconfigaliases.h"
#include "ui/nodes/nodespage.h"

#include <QDir>
#include <QFileInfo>

#include <algorithm>

namespace lockstep {
namespace {

const QString kNotImported = QStringLiteral("Nothing was imported");

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

NodeImports::NodeImports(const DataFolder& folder, LiveInventory& inventory, ui::MainWindow& window)
    : m_folder(folder), m_inventory(inventory), m_window(window)
{
    connect(&m_window, &ui::MainWindow::importRequested, this, &NodeImports::importNodes);
    connect(&m_window, &ui::MainWindow::importFileWanted, this, &NodeImports::offerFile);
}

void NodeImports::importNodes(const QString& file, const QStringList& names)
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
void NodeImports::takeOver(const QString& path, const QList<Node>& chosen)
{
    struct Taken {
        ImportReport report;
        QList<Node> now; // of this import, for the next one from the same file
    };
    const auto taken = std::make_shared<Taken>();
    m_inventory.edit(
        [folder = m_folder.path(), path, chosen, taken](Inventory& inventory) -> Result<void> {
            QList<Node> known;
            taken->now = chosen;
            for (const auto& node : lastImport(folder, path)) {
                const bool again = std::ranges::any_of(chosen, [&](const Node& one) { return one.name == node.name; });
                if (again && inventory.find(node.name))
                    known << node;
                else if (!again)
                    taken->now << node;
            }
            taken->report = mergeImport(inventory, chosen, known);
            return {};
        },
        [this, path, taken](const Result<void>& imported) {
            if (!imported) {
                m_window.showError(kNotImported, imported.error());
                return;
            }
            m_window.showMessage(taken->report.sentences().join(QStringLiteral("; ")));
            m_worker.ask([folder = m_folder.path(), path,
                          taken](std::stop_token) { return keepImport(folder, path, taken->now); },
                         [this](const Result<void>& kept) {
                             if (!kept)
                                 m_window.showError(QStringLiteral("The import was not noted down"), kept.error());
                             offerAliases();
                         });
        });
}

void NodeImports::offerAliases()
{
    m_worker.ask([](std::stop_token) { return importSshConfig(sshConfigFile()); },
                 [this](const Result<ImportedNodes>& aliases) {
                     // No ssh_config: nothing to offer.
                     m_window.nodesPage().setImportOffer(
                         aliases ? offerOf(*aliases, {}, QStringLiteral("~/.ssh/config")) : ui::ImportOffer());
                 });
}

void NodeImports::offerFile(const QString& path)
{
    m_worker.ask([path](std::stop_token) { return importFile(path); },
                 [this, path](const Result<ImportedNodes>& imported) {
                     if (imported)
                         m_window.nodesPage().setImportOffer(offerOf(*imported, path, QFileInfo(path).fileName()));
                     else
                         m_window.nodesPage().setImportRefused(imported.error().text);
                 });
}

} // namespace lockstep
