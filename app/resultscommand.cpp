// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/resultscommand.h"

#include "app/answer.h"
#include "app/texttable.h"
#include "remote/resultsagain.h"

#include <QJsonArray>
#include <QJsonObject>

namespace lockstep {
namespace {

QString megabytes(qint64 bytes)
{
    const double mb = static_cast<double>(bytes) / 1e6;
    return QStringLiteral("%1 MB").arg(mb, 0, 'f', mb < 10 ? 1 : 0);
}

// False: something is missing, and why was said.
Result<bool> fetchAgain(const Desk& desk, RunStore& store, const QString& run)
{
    const auto inventory = Inventory::load(desk.folder.inventoryFile());
    if (!inventory)
        return std::unexpected(inventory.error());
    const auto order = orderResults(store, run, *inventory);
    if (!order)
        return std::unexpected(order.error());
    const auto fetched =
        fetchResults(desk.parts, *order,
                     [](const ResultEntry& entry) {
                         note(QStringLiteral("Fetched from %1: %2").arg(entry.node, QString::fromUtf8(entry.path)));
                     },
                     {});
    if (!fetched)
        return std::unexpected(fetched.error());
    bool all = true;
    for (const FetchedNode& node : *fetched)
        if (!node.how) {
            all = false;
            note(node.how.error().text);
        }
    return all;
}

} // namespace

int resultsCommand(const Options& options, const Desk& desk)
{
    RunStore store(desk.folder);
    const auto id = store.resolve(options.target);
    if (!id)
        return leave(id.error(), options.output);
    const auto all = options.results == Results::Fetch ? fetchAgain(desk, store, *id) : Result<bool>(true);
    if (!all)
        return leave(all.error(), options.output);
    QJsonArray array;
    QList<QStringList> rows;
    for (const ResultEntry& entry : ResultsShelf::all(desk.folder.resultsFolder(*id))) {
        array << QJsonObject{
            {"node", entry.node},       {"path", QString::fromUtf8(entry.path)},
            {"bytes", entry.bytes},     {"size", entry.size},
            {"whole", entry.isWhole()}, {"file", entry.isWhole() ? QJsonValue(entry.file) : QJsonValue()}};
        rows << QStringList{entry.node, QString::fromUtf8(entry.path), megabytes(entry.size),
                            entry.isWhole() ? entry.file : QStringLiteral("%1 so far").arg(megabytes(entry.bytes))};
    }
    if (options.output == Output::Json)
        printJson(array);
    else
        print(textTable({"node", "path", "size", "here"}, rows));
    return *all ? kExitDone : kExitFailed;
}

} // namespace lockstep
