// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/inventorycommands.h"

#include "app/answer.h"
#include "app/jsonvalues.h"
#include "app/texttable.h"
#include "core/importmerge.h"
#include "core/inventoryedit.h"

#include <QFileInfo>

#include <algorithm>

namespace lockstep {
namespace {

QJsonArray nodesJson(const QList<Node>& nodes)
{
    QJsonArray array;
    for (const auto& node : nodes) {
        NodeState state;
        state.node = node;
        array << toJson(state);
    }
    return array;
}

int show(const Options& options, const QList<Node>& nodes)
{
    if (options.output == Output::Json) {
        printJson(nodesJson(nodes));
        return kExitDone;
    }
    QList<QStringList> rows;
    for (const auto& node : nodes)
        rows << QStringList{node.name, node.local ? QStringLiteral("local") : node.address.text(),
                            node.slots_ > 0 ? QString::number(node.slots_) : QStringLiteral("–"), node.tags.join(' ')};
    print(textTable({"name", "address", "slots", "tags"}, rows));
    return kExitDone;
}

int list(const Options& options, const DataFolder& folder)
{
    const auto inventory = Inventory::load(folder.inventoryFile());
    if (!inventory)
        return leave(inventory.error(), options.output);
    for (const auto& line : inventory->notes)
        note(placedProblem(QFileInfo(folder.inventoryFile()).fileName(), line));
    const auto nodes = options.nodeArguments.isEmpty() ? Result<QList<Node>>(inventory->nodes)
                                                       : inventory->select(options.selection());
    return nodes ? show(options, *nodes) : leave(nodes.error(), options.output);
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

Result<void> addAll(Inventory& inventory, const QStringList& words)
{
    const auto nodes = nodesToAdd(words);
    if (!nodes)
        return std::unexpected(nodes.error());
    return inventory.add(*nodes);
}

Result<void> removeAll(Inventory& inventory, const QStringList& words)
{
    const auto nodes = inventory.select(words.join(u' '));
    if (!nodes)
        return std::unexpected(nodes.error());
    for (const auto& node : *nodes)
        if (auto removed = inventory.remove(node.name); !removed)
            return removed;
    return {};
}

// The words up to the first KEY=VALUE are the selection.
Result<void> editAll(Inventory& inventory, const QStringList& words)
{
    const auto firstValue =
        std::find_if(words.begin(), words.end(), [](const QString& word) { return word.contains(u'='); });
    const QStringList selection(words.begin(), firstValue), assignments(firstValue, words.end());
    if (selection.isEmpty() || assignments.isEmpty())
        return failure(
            ErrorCode::BadInput,
            QStringLiteral("Write which nodes and what to set: lockstep nodes edit gpu[1-4] slots=8 tags+=h100."));
    const auto nodes = inventory.select(selection.join(u' '));
    if (!nodes)
        return std::unexpected(nodes.error());
    for (auto& node : inventory.nodes) {
        if (std::none_of(nodes->begin(), nodes->end(), [&](const Node& one) { return one.name == node.name; }))
            continue;
        for (const auto& assignment : assignments)
            if (auto set = setNodeValue(node, assignment); !set)
                return set;
    }
    return {};
}

QJsonArray toJson(const QList<ImportChange>& changes)
{
    QJsonArray array;
    for (const auto& change : changes)
        array << QJsonObject{{"node", change.node}, {"what", change.what}};
    return array;
}

int importFiles(const Options& options, const DataFolder& folder)
{
    QList<ImportedNodes> all; // one wrong file, and none is taken
    for (const auto& path : options.nodeArguments) {
        const auto imported = importFile(path);
        if (!imported)
            return leave(imported.error(), options.output);
        all << *imported;
    }
    QJsonArray files;
    for (qsizetype i = 0; i < all.size(); ++i) {
        const QString& path = options.nodeArguments[i];
        QJsonArray problems;
        for (const auto& line : all[i].problems) {
            note(placedProblem(path, line));
            problems << QJsonObject{
                {"file", line.file.isEmpty() ? path : line.file}, {"line", line.line}, {"problem", line.problem}};
        }
        const auto report = importInto(folder.inventoryFile(), path, all[i].nodes);
        if (!report)
            return leave(report.error(), options.output);
        for (const auto& sentence : report->sentences())
            note(sentence);
        files << QJsonObject{{"file", path},
                             {"added", QJsonArray::fromStringList(report->added)},
                             {"updated", toJson(report->updated)},
                             {"kept", toJson(report->kept)},
                             {"same", report->same},
                             {"problems", problems}};
    }
    const auto inventory = Inventory::load(folder.inventoryFile());
    if (!inventory)
        return leave(inventory.error(), options.output);
    if (options.output == Output::Text)
        return show(options, inventory->nodes);
    printJson(QJsonObject{{"files", files}, {"nodes", nodesJson(inventory->nodes)}});
    return kExitDone;
}

int edit(const Options& options, const DataFolder& folder, Result<void> (*change)(Inventory&, const QStringList&))
{
    const auto done =
        editInventory(folder.inventoryFile(), [&](Inventory& edited) { return change(edited, options.nodeArguments); });
    return done ? show(options, done->after.nodes) : leave(done.error(), options.output);
}

} // namespace

int inventoryCommand(const Options& options, const DataFolder& folder)
{
    switch (options.nodesAction) {
    case NodesAction::Add:
        return edit(options, folder, addAll);
    case NodesAction::Edit:
        return edit(options, folder, editAll);
    case NodesAction::Remove:
        return edit(options, folder, removeAll);
    case NodesAction::Import:
        return importFiles(options, folder);
    case NodesAction::List:
    case NodesAction::Check:
    case NodesAction::Accept:
    case NodesAction::Runs:
    case NodesAction::Clean:
        break;
    }
    return list(options, folder);
}

} // namespace lockstep
