// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/nodebundles.h"

#include "remote/agentcall.h"

namespace lockstep {

namespace {

using namespace std::chrono_literals;

constexpr auto kListTime = 60s;
constexpr auto kRemoveTime = 10min; // gigabytes of small files on a slow shared disk

Result<std::vector<AgentRecord>> ask(const NodeLink& link, const QList<QByteArray>& words,
                                     std::chrono::milliseconds time, std::stop_token stop)
{
    const Deadline deadline = Deadline::in(time);
    auto call = AgentCall::start(*link.transport, link.agent.path, words, deadline, stop);
    if (!call)
        return std::unexpected(call.error());
    return call->all(deadline, stop);
}

} // namespace

Result<QList<NodeBundle>> listBundles(const NodeLink& link, std::stop_token stop)
{
    const auto records = ask(link, {"bundles"}, kListTime, std::move(stop));
    if (!records)
        return std::unexpected(records.error());
    QList<NodeBundle> bundles;
    for (const AgentRecord& record : *records)
        if (record.kind == "bundle")
            bundles.append({record.text("hash"), record.text("kind"), record.integer("bytes").value_or(0),
                            record.integer("files").value_or(0), record.integer("made_us").value_or(0),
                            record.text("in_use")});
    return bundles;
}

Result<BundleRemoval> removeBundles(const NodeLink& link, const QStringList& hashes, std::stop_token stop)
{
    BundleRemoval removal;
    if (hashes.isEmpty())
        return removal;
    QList<QByteArray> words{"forget"};
    for (const QString& hash : hashes)
        words.append(hash.toLatin1());
    const auto records = ask(link, words, kRemoveTime, std::move(stop));
    if (!records)
        return std::unexpected(records.error());
    for (const AgentRecord& record : *records) {
        if (record.kind == "removed")
            removal.removed.append(record.text("hash"));
        else if (record.kind == "kept")
            removal.kept.append({record.text("hash"), record.text("text")});
        else if (record.kind == "freed")
            removal.freedBytes = record.integer("bytes").value_or(0);
    }
    return removal;
}

} // namespace lockstep
