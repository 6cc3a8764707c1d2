// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runsummary.h"

#include "core/spoolfile.h"
#include "core/wire/decoder.h"
#include "core/wire/kinds.h"

#include <algorithm>

namespace lockstep {
namespace {

constexpr qint64 kWholeBytes = 1 << 20;   // smaller spools are read whole
constexpr qint64 kProbeBytes = 16 * 1024; // else this much at each of kSparklineValues places
constexpr qint64 kTailBytes = 256 * 1024; // the last loss is searched here

std::vector<double> lossesIn(const QByteArray& bytes)
{
    std::vector<double> losses;
    wire::Decoder decoder;
    decoder.feed(std::string_view(bytes.constData(), static_cast<std::size_t>(bytes.size())),
                 [&](const wire::RecordView& record) {
                     if (record.kind == wire::kind::kMetric && record.rank == 0) {
                         if (const auto loss = record.number("loss"))
                             losses.push_back(*loss);
                     }
                 });
    return losses;
}

std::vector<double> lossesAt(SpoolFile& spool, qint64 offset, qint64 bytes)
{
    const Result<QByteArray> piece = spool.read(offset, bytes);
    if (!piece)
        return {}; // opening the run says why; its row does without a curve
    const qsizetype line = offset == 0 ? 0 : piece->indexOf('\n') + 1; // a piece begins in the middle of a record
    return lossesIn(piece->mid(line));
}

} // namespace

RunSummary summaryOf(const RunState& state)
{
    RunSummary summary;
    summary.id = state.id;
    summary.number = state.number;
    summary.name = state.name;
    summary.phase = state.phase;
    summary.reason = state.cause ? state.cause->title : state.reason;
    summary.nodes = static_cast<int>(state.nodes.size());
    summary.ranks = static_cast<int>(state.ranks.size());
    summary.createdWallUs = state.createdWallUs;
    summary.endedWallUs = state.endedWallUs;
    return summary;
}

void addLossCurve(RunSummary& summary, SpoolFile& spool)
{
    const qint64 size = spool.size().value_or(0);
    std::vector<double> losses;
    if (size <= kWholeBytes) {
        losses = lossesAt(spool, 0, size);
    } else {
        for (int i = 0; i < kSparklineValues; ++i) {
            const std::vector<double> some = lossesAt(spool, size / kSparklineValues * i, kProbeBytes);
            if (!some.empty())
                losses.push_back(some.front());
        }
        const std::vector<double> tail = lossesAt(spool, size - kTailBytes, kTailBytes);
        losses.insert(losses.end(), tail.empty() ? tail.end() : tail.end() - 1, tail.end());
    }
    if (losses.empty())
        return;
    summary.lastLoss = losses.back();
    const std::size_t count = std::min<std::size_t>(losses.size(), kSparklineValues);
    summary.sparkline.clear();
    for (std::size_t i = 0; i < count; ++i) // evenly, the last one always
        summary.sparkline.push_back(static_cast<float>(losses[count == 1 ? 0 : i * (losses.size() - 1) / (count - 1)]));
}

} // namespace lockstep
