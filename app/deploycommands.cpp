// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/deploycommands.h"

#include "app/answer.h"
#include "app/jsonvalues.h"
#include "app/livecommands.h"
#include "app/texttable.h"
#include "remote/deployahead.h"
#include "remote/eachnode.h"
#include "remote/nodebundles.h"

#include <QDateTime>

#include <algorithm>

namespace lockstep {
namespace {

constexpr qint64 kUsPerMs = 1000;
constexpr int kShownDigits = 12; // of a hash: git shows as many

QString megabytes(qint64 bytes)
{
    const double mb = static_cast<double>(bytes) / 1e6;
    return QStringLiteral("%1 MB").arg(mb, 0, 'f', mb < 10 ? 1 : 0);
}

Result<DeployAhead> orderOf(const Options& options, const Desk& desk)
{
    auto target = targetOf(options, desk);
    if (!target)
        return std::unexpected(target.error());
    DeployAhead order;
    const bool relay = target->spec ? target->spec->relay : options.sending == Sending::Relay;
    order.relay = relay ? Relay::On : Relay::Off;
    order.spec = std::move(target->spec);
    order.nodes = std::move(target->nodes);
    return order;
}

QJsonObject toJson(const DeployedNode& node)
{
    QJsonObject object = node.result ? QJsonObject{{"node", node.node}} : failedNode(node.node, node.result.error());
    object["runtime"] = node.runtime;
    if (!node.result)
        return object;
    object["passed_on"] = node.passedOn;
    object["path"] = QString::fromUtf8(node.result->path);
    object["files_sent"] = node.result->filesSent;
    object["bytes_sent"] = node.result->bytesSent;
    object["bytes_received"] = node.result->bytesReceived;
    object["cuts"] = node.result->cuts;
    object["seconds"] = node.result->seconds;
    return object;
}

QStringList rowOf(const DeployedNode& node)
{
    if (!node.result)
        return {node.node, node.runtime, QStringLiteral("–"), QStringLiteral("–"), node.result.error().text};
    const QString sent = node.result->filesSent == 0 ? QStringLiteral("nothing")
                         : node.passedOn             ? QStringLiteral("from another node")
                                                     : megabytes(node.result->bytesSent);
    return {node.node, node.runtime, sent, QStringLiteral("%1 s").arg(node.result->seconds, 0, 'f', 1),
            QString::fromUtf8(node.result->path)};
}

struct NodeAnswer { // of one node for `bundles`
    QString node;
    Result<QList<NodeBundle>> bundles;
    BundleRemoval removal;
};

// A mistyped one; known only when all nodes have answered.
QStringList onNoNode(const std::vector<NodeAnswer>& answers, const QStringList& named)
{
    if (std::ranges::any_of(answers, [](const NodeAnswer& answer) { return !answer.bundles; }))
        return {};
    QStringList missing = named;
    for (const NodeAnswer& answer : answers)
        for (const NodeBundle& bundle : *answer.bundles)
            missing.removeIf([&bundle](const QString& hash) { return bundle.hash.startsWith(hash); });
    return missing;
}

QStringList wanted(const QList<NodeBundle>& bundles, const QStringList& named, const QString& current)
{
    QStringList hashes;
    for (const NodeBundle& bundle : bundles) {
        const bool isNamed =
            std::any_of(named.begin(), named.end(), [&](const QString& hash) { return bundle.hash.startsWith(hash); });
        const bool isOld = named.isEmpty() && bundle.inUse.isEmpty() && bundle.hash != current &&
                           bundle.kind != QLatin1String("torch"); // 3.5 GB go by name only
        if (isNamed || isOld)
            hashes.append(bundle.hash);
    }
    return hashes;
}

NodeAnswer askNode(const Options& options, const Desk& desk, const AgentFile& agent, const Node& node,
                   const QString& current, std::stop_token stop)
{
    NodeAnswer answer{node.name, failure(ErrorCode::Stopped, QStringLiteral("stopped"), node.name), {}};
    const auto link = openNode(desk.parts.transports, node, agent, stop);
    answer.bundles = link ? listBundles(*link, stop) : std::unexpected(link.error());
    if (!answer.bundles || options.bundlesAction == BundlesAction::List)
        return answer;
    auto removal = removeBundles(*link, wanted(*answer.bundles, options.bundles, current), stop);
    if (removal)
        answer.removal = std::move(*removal);
    else
        answer.bundles = std::unexpected(removal.error());
    return answer;
}

void printBundles(const std::vector<NodeAnswer>& answers, const QString& current, Output output)
{
    QJsonArray array;
    QList<QStringList> rows;
    for (const NodeAnswer& answer : answers) {
        if (!answer.bundles) {
            array << failedNode(answer.node, answer.bundles.error());
            note(answer.bundles.error().text);
            continue;
        }
        for (const NodeBundle& bundle : *answer.bundles) {
            const bool isCurrent = bundle.hash == current;
            array << QJsonObject{{"node", answer.node},    {"hash", bundle.hash},   {"kind", bundle.kind},
                                 {"bytes", bundle.bytes},  {"files", bundle.files}, {"made_us", bundle.madeUs},
                                 {"in_use", bundle.inUse}, {"current", isCurrent}};
            rows << QStringList{
                answer.node,
                bundle.hash.left(kShownDigits),
                bundle.kind,
                megabytes(bundle.bytes),
                QDateTime::fromMSecsSinceEpoch(bundle.madeUs / kUsPerMs).toString(QStringLiteral("yyyy-MM-dd HH:mm")),
                !bundle.inUse.isEmpty() ? bundle.inUse
                : isCurrent             ? QStringLiteral("this program's")
                                        : QStringLiteral("–")};
        }
    }
    if (output == Output::Json)
        printJson(array);
    else
        print(textTable({"node", "bundle", "kind", "size", "made", "in use"}, rows));
}

void printRemovals(const std::vector<NodeAnswer>& answers, Output output)
{
    QJsonArray array;
    for (const NodeAnswer& answer : answers) {
        if (!answer.bundles) {
            array << failedNode(answer.node, answer.bundles.error());
            note(answer.bundles.error().text);
            continue;
        }
        QJsonArray kept;
        for (const auto& [hash, why] : answer.removal.kept) {
            kept << QJsonObject{{"hash", hash}, {"why", why}};
            note(QStringLiteral("%1: %2").arg(answer.node, why));
        }
        array << QJsonObject{{"node", answer.node},
                             {"removed", QJsonArray::fromStringList(answer.removal.removed)},
                             {"kept", kept},
                             {"freed_bytes", answer.removal.freedBytes}};
        if (output == Output::Text)
            print(QStringLiteral("%1: %2 removed, %3 freed\n")
                      .arg(answer.node)
                      .arg(answer.removal.removed.size())
                      .arg(megabytes(answer.removal.freedBytes)));
    }
    if (output == Output::Json)
        printJson(array);
}

} // namespace

int deployCommand(const Options& options, const Desk& desk)
{
    auto order = orderOf(options, desk);
    if (!order)
        return leave(order.error(), options.output);
    order->progressed = [](const QString& node, const QString& words) {
        note(QStringLiteral("%1: %2").arg(node, words));
    };
    const auto deployed = deployAhead(desk.parts, *order, {});
    if (!deployed)
        return leave(deployed.error(), options.output);
    QJsonArray array;
    QList<QStringList> rows;
    for (const DeployedNode& node : *deployed) {
        array << toJson(node);
        rows << rowOf(node);
    }
    if (options.output == Output::Json)
        printJson(array);
    else
        print(textTable({"node", "runtime", "sent", "time", "in"}, rows));
    return std::ranges::all_of(*deployed, [](const DeployedNode& node) { return node.result.has_value(); })
               ? kExitDone
               : kExitFailed;
}

int bundlesCommand(const Options& options, const Desk& desk)
{
    const auto nodes = selectNodes(options.selection(), desk);
    if (!nodes)
        return leave(nodes.error(), options.output);
    const auto agent = AgentFile::load(desk.parts.agentFile);
    if (!agent)
        return leave(agent.error(), options.output);
    const auto bundle = Bundle::read(desk.parts.bundleFolder, desk.parts.cacheFolder);
    const QString current = bundle ? QString::fromLatin1(bundle->hash) : QString();
    const auto answers = onEachNode<NodeAnswer>(
        static_cast<std::size_t>(nodes->size()), {}, [&](std::size_t i, std::stop_token stop) -> Result<NodeAnswer> {
            return askNode(options, desk, *agent, (*nodes)[static_cast<qsizetype>(i)], current, stop);
        });
    if (!answers)
        return leave(answers.error(), options.output);
    if (const QStringList missing = onNoNode(*answers, options.bundles); !missing.isEmpty())
        return leave(
            Error{ErrorCode::NotFound,
                  QStringLiteral("No node has a bundle %1; `lockstep bundles` lists them. Of the others that were "
                                 "named, those that no run uses are removed.")
                      .arg(missing.join(QStringLiteral(", "))),
                  {}},
            options.output);
    if (options.bundlesAction == BundlesAction::List)
        printBundles(*answers, current, options.output);
    else
        printRemovals(*answers, options.output);
    return std::ranges::all_of(
               *answers,
               [](const NodeAnswer& answer) { return answer.bundles.has_value() && answer.removal.kept.isEmpty(); })
               ? kExitDone
               : kExitFailed;
}

} // namespace lockstep
