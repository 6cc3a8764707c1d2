// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/jobtext.h"

#include "core/wire/encoder.h"

namespace lockstep {

namespace {

std::string_view view(const QByteArray& bytes)
{
    return {bytes.constData(), static_cast<std::size_t>(bytes.size())};
}

// Raw bytes of a value in one record: four times as many when all are escaped, and still below the record's limit.
constexpr qsizetype kPieceBytes = 12 << 10;

QByteArray programIn(const QByteArray& word, const QByteArray& bundlePath)
{
    return word.startsWith(kBundleToken) ? bundlePath + word.mid(static_cast<qsizetype>(sizeof kBundleToken - 1))
                                         : word;
}

void appendRank(std::string& text, const PlannedRank& rank, const QByteArray& bundlePath)
{
    wire::Encoder encoder(text);
    encoder.begin("rank", rank.rank, 0).field("local", rank.localRank);
    if (!rank.cpus.isEmpty())
        encoder.field("cpus", rank.cpus.toStdString());
    encoder.end();
    for (qsizetype i = 0; i < rank.argv.size(); ++i)
        appendPieces(text, "arg", rank.rank, {}, i == 0 ? programIn(rank.argv[i], bundlePath) : rank.argv[i]);
    for (const auto& [name, value] : rank.env)
        appendPieces(text, "env", rank.rank, view(name), value);
}

} // namespace

void appendPieces(std::string& job, std::string_view kind, int rank, std::string_view name, const QByteArray& value)
{
    wire::Encoder encoder(job);
    for (qsizetype at = 0; at == 0 || at < value.size(); at += kPieceBytes) {
        encoder.begin(kind, rank, 0);
        if (!name.empty())
            encoder.field("name", name);
        encoder.field(at == 0 ? "v" : "more", view(value).substr(static_cast<std::size_t>(at), kPieceBytes)).end();
    }
}

QByteArray jobText(const LaunchPlan& plan, int nodeIndex, const JobOptions& options)
{
    std::string text;
    wire::Encoder job(text);
    job.begin("job", wire::kNode, 0)
        .field("run", options.run.toStdString())
        .field("attempt", options.attempt)
        .field("node", plan.nodes[nodeIndex].name.toStdString())
        .field("grace", options.graceS)
        .field("cwd", view(options.directory))
        .field("files", view(options.filesPath))
        .field("hold", options.holdS);
    if (plan.shareDevices)
        job.field("share_devices", 1);
    job.end();
    for (const PlannedRank& rank : plan.ranks)
        if (rank.nodeIndex == nodeIndex)
            appendRank(text, rank, options.bundlePath);
    text += options.papers;
    wire::Encoder(text).begin("end", wire::kNode, 0).end();
    return QByteArray::fromStdString(text);
}

} // namespace lockstep
