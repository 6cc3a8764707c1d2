// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/inventorycommands.h"

#include "app/answer.h"
#include "app/jsonvalues.h"
#include "app/texttable.h"
#include "core/inventoryedit.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>

namespace lockstep {
namespace {

constexpr qint64 kMaxHostfileBytes = 16 * 1024 * 1024;

int list(const Options& options, const Inventory& inventory)
{
    if (options.output == Output::Json) {
        QJsonArray array;
        for (const auto& node : inventory.nodes) {
            NodeState state;
            state.node = node;
            array << toJson(state);
        }
        printJson(array);
        return kExitDone;
    }
    QList<QStringList> rows;
    for (const auto& node : inventory.nodes)
        rows << QStringList{node.name, node.local ? QStringLiteral("local") : node.address.text(),
                            node.slots_ > 0 ? QString::number(node.slots_) : QStringLiteral("–"), node.tags.join(' ')};
    print(textTable({"name", "address", "slots", "tags"}, rows));
    return kExitDone;
}

Result<QList<Node>> nodesToAdd(const QStringList& words)
{
    QList<Node> nodes;
    for (const auto& word : words) {
        auto some = nodesFromText(word);
        if (!some)
            return std::unexpected(some.error());
        nodes += *some;
    }
    return nodes;
}

Result<QList<Node>> nodesToImport(const QStringList& paths)
{
    QList<Node> nodes;
    for (const auto& path : paths) {
        auto imported = importFile(path);
        if (!imported)
            return std::unexpected(imported.error());
        for (const auto& line : imported->problems)
            note(QStringLiteral("%1:%2: %3").arg(path).arg(line.line).arg(line.problem));
        nodes += imported->nodes;
    }
    return nodes;
}

Result<void> addAll(Inventory& inventory, const QList<Node>& nodes)
{
    for (const auto& node : nodes)
        if (auto added = inventory.add(node); !added)
            return added;
    return {};
}

Result<void> removeAll(Inventory& inventory, const QStringList& names)
{
    for (const auto& name : names)
        if (auto removed = inventory.remove(name); !removed)
            return removed;
    return {};
}

} // namespace

Result<ImportedNodes> importFile(const QString& path)
{
    static const QRegularExpression sshKeyword(QStringLiteral("^\\s*(Host|Match|Include)\\s"),
                                               QRegularExpression::MultilineOption |
                                                   QRegularExpression::CaseInsensitiveOption);
    const QString full = path.startsWith(QLatin1String("~/")) ? QDir::homePath() + path.mid(1) : path;
    QFile file(full);
    if (!file.open(QIODevice::ReadOnly))
        return failure(ErrorCode::NotFound, QStringLiteral("Cannot read %1: %2.").arg(path, file.errorString()));
    if (file.size() > kMaxHostfileBytes)
        return failure(ErrorCode::BadInput,
                       QStringLiteral("%1 is larger than 16 MiB; that is no list of hosts.").arg(path));
    const QString text = QString::fromUtf8(file.readAll());
    return sshKeyword.match(text).hasMatch() ? importSshConfig(full) : importHostfile(text);
}

int inventoryCommand(const Options& options, const DataFolder& folder)
{
    Result<QList<Node>> nodes;
    if (options.nodesAction == NodesAction::Add)
        nodes = nodesToAdd(options.nodeArguments);
    else if (options.nodesAction == NodesAction::Import)
        nodes = nodesToImport(options.nodeArguments);
    if (!nodes)
        return leave(nodes.error(), options.output);

    Result<Inventory> inventory;
    switch (options.nodesAction) {
    case NodesAction::Add:
    case NodesAction::Import:
        inventory = editInventory(folder.inventoryFile(), [&](Inventory& edited) { return addAll(edited, *nodes); });
        break;
    case NodesAction::Remove:
        inventory = editInventory(folder.inventoryFile(),
                                  [&](Inventory& edited) { return removeAll(edited, options.nodeArguments); });
        break;
    case NodesAction::List:
    case NodesAction::Check:
    case NodesAction::Accept:
    case NodesAction::Runs:
    case NodesAction::Clean:
        inventory = Inventory::load(folder.inventoryFile());
        break;
    }
    if (!inventory)
        return leave(inventory.error(), options.output);
    return list(options, *inventory);
}

} // namespace lockstep
