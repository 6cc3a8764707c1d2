// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/storedruns.h"

#include "app/answer.h"
#include "app/jsonvalues.h"
#include "app/texttable.h"
#include "core/runfacts.h"
#include "ui/plots/figures.h"

#include <QDateTime>

#include <cmath>
#include <optional>

namespace lockstep {
namespace {

constexpr qint64 kUsPerMs = 1000;
constexpr double kUsPerS = 1e6;

QString timeOf(qint64 wallUs, const QString& format)
{
    return wallUs > 0 ? QDateTime::fromMSecsSinceEpoch(wallUs / kUsPerMs).toString(format) : QStringLiteral("–");
}

QString lossText(std::optional<double> loss) // a loss that is NaN is known, and worth seeing
{
    return loss ? QString::number(*loss, 'f', 4) : QStringLiteral("–");
}

std::optional<double> lastValue(const RunData& data, const char* metric, const RankState& rank)
{
    const Series* series =
        data.series({QString::fromLatin1(metric), rank.rank, rank.nodeIndex, {}, data.state().attempt});
    return series && series->size() ? std::optional(series->lastY()) : std::nullopt;
}

Result<std::unique_ptr<RunData>> opened(const Options& options, RunStore& store)
{
    const auto id = store.resolve(options.target);
    if (!id)
        return std::unexpected(id.error());
    auto data = std::make_unique<RunData>();
    if (auto read = openRun(store, *id, *data); !read)
        return std::unexpected(read.error());
    for (const QString& lacking : lackingIn(store, *data))
        note(lacking);
    return data;
}

QJsonObject json(const LogLine& line, const RunData& data)
{
    const char* kind = "event";
    switch (line.kind) {
    case LogLine::Kind::Out:
        kind = "out";
        break;
    case LogLine::Kind::Err:
        kind = "err";
        break;
    case LogLine::Kind::Event:
        break;
    }
    return {{"wall_us", line.wallUs},
            {"node", data.plan().nodes.value(line.nodeIndex).name},
            {"rank", line.rank < 0 ? QJsonValue() : QJsonValue(line.rank)},
            {"kind", kind},
            {"text", line.text}};
}

int listRuns(const Options& options, RunStore& store)
{
    const auto runs = store.list();
    if (!runs)
        return leave(runs.error(), options.output);
    if (options.output == Output::Json) {
        QJsonArray array;
        for (const auto& run : *runs)
            array << toJson(run);
        printJson(array);
        return kExitDone;
    }
    QList<QStringList> rows;
    for (const auto& run : *runs) {
        const qint64 end = run.endedWallUs ? run.endedWallUs : QDateTime::currentMSecsSinceEpoch() * kUsPerMs;
        rows << QStringList{QStringLiteral("#%1").arg(run.number),
                            run.name,
                            words(run.phase),
                            QStringLiteral("%1 × %2").arg(run.nodes).arg(run.ranks),
                            ui::figures::clock(static_cast<double>(end - run.createdWallUs) / kUsPerS),
                            lossText(std::isnan(run.lastLoss) ? std::nullopt : std::optional(run.lastLoss)),
                            run.id};
    }
    print(textTable({"run", "name", "state", "nodes × ranks", "duration", "loss", "id"}, rows));
    return kExitDone;
}

int showRun(const Options& options, RunStore& store)
{
    const auto data = opened(options, store);
    if (!data)
        return leave(data.error(), options.output);
    if (options.output == Output::Json)
        printJson(toJson(**data));
    else
        print(runText(**data));
    return kExitDone;
}

int showLogs(const Options& options, RunStore& store)
{
    const auto data = opened(options, store);
    if (!data)
        return leave(data.error(), options.output);
    if (options.rank && *options.rank >= (*data)->plan().worldSize)
        return leave({ErrorCode::NotFound,
                      QStringLiteral("There is no rank %1: the run has ranks 0 to %2.")
                          .arg(*options.rank)
                          .arg((*data)->plan().worldSize - 1),
                      {}},
                     options.output);
    QJsonArray array;
    QString text;
    for (const auto& line : (*data)->log()) {
        if (options.rank && line.rank != *options.rank)
            continue;
        if (options.output == Output::Json) {
            array << json(line, **data);
            continue;
        }
        const QString who = line.rank < 0 ? QStringLiteral("node") : QStringLiteral("rank %1").arg(line.rank);
        text += QStringLiteral("%1 %2 %3  %4\n")
                    .arg(timeOf(line.wallUs, QStringLiteral("HH:mm:ss.zzz")),
                         (*data)->plan().nodes.value(line.nodeIndex).name, who, line.text);
    }
    if (options.output == Output::Json)
        printJson(array);
    else
        print(text);
    return kExitDone;
}

} // namespace

QString runText(const RunData& data)
{
    const RunState& state = data.state();
    QString text = QStringLiteral("%1 #%2  %3").arg(state.name).arg(state.number).arg(words(state.phase));
    if (!state.reason.isEmpty())
        text += QStringLiteral(": ") + state.reason;
    text += QStringLiteral("\n%1  started %2\n")
                .arg(state.id, timeOf(state.startedWallUs, QStringLiteral("yyyy-MM-dd HH:mm:ss")));
    if (state.attempt > 1)
        text += QStringLiteral("attempt %1\n").arg(state.attempt);
    if (state.cause) {
        text += QStringLiteral("\n%1\n%2\n").arg(state.cause->title, state.cause->detail);
        for (const auto& line : state.cause->lastLines)
            text += QStringLiteral("    ") + line + '\n';
    }
    QList<QStringList> rows;
    for (const auto& rank : state.ranks) {
        const double speed = lastValue(data, "samples_per_s", rank).value_or(std::nan(""));
        rows << QStringList{QString::number(rank.rank),
                            state.nodes.value(rank.nodeIndex).name,
                            rank.device,
                            words(rank.phase),
                            rank.step < 0 ? QStringLiteral("–") : ui::figures::grouped(rank.step),
                            lossText(lastValue(data, "loss", rank)),
                            std::isfinite(speed) ? ui::figures::grouped(std::llround(speed)) : QStringLiteral("–"),
                            rank.reason};
    }
    text += '\n' + textTable({"rank", "node", "device", "phase", "step", "loss", "samples/s", "reason"}, rows);
    QList<QStringList> facts;
    for (const RunFact& fact : factsOf(data))
        facts << QStringList{fact.name, fact.all ? QStringLiteral("all") : rankRanges(fact.ranks), fact.value};
    if (!facts.isEmpty())
        text += '\n' + textTable({"fact", "ranks", "value"}, facts);
    if (const QString proof = state.proof(); !proof.isEmpty())
        text += '\n' + proof + '\n';
    return text;
}

int storedRuns(const Options& options, const DataFolder& folder)
{
    RunStore store(folder);
    if (options.verb == Verb::Runs)
        return listRuns(options, store);
    return options.verb == Verb::Show ? showRun(options, store) : showLogs(options, store);
}

} // namespace lockstep
