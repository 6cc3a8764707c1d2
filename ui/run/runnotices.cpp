// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/runnotices.h"

#include "ui/plots/devicelist.h"
#include "ui/plots/figures.h"

#include <algorithm>
#include <cmath>

namespace lockstep::ui {

namespace {

constexpr double kHotC = 80;

// "is at 84 °C and clocked at 1,755 MHz", as far as it is known.
QString deviceWords(const RunData& run, int rank)
{
    for (const ListedDevice& device : devicesOf(run)) {
        if (device.rank != rank || device.isCpu())
            continue;
        const double temperature = deviceValue(run, device, QStringLiteral("temp_c"));
        const double clock = deviceValue(run, device, QStringLiteral("sm_mhz"));
        QStringList parts;
        if (std::isfinite(temperature))
            parts << QStringLiteral("is at ") + figures::decimal(temperature, 0) + QStringLiteral(" °C");
        if (std::isfinite(clock))
            parts << QStringLiteral("clocked at ") + figures::decimal(clock, 0) + QStringLiteral(" MHz");
        if (parts.isEmpty())
            return {};
        return QStringLiteral("Device ") + device.label + QLatin1Char(' ') + parts.join(QStringLiteral(" and ")) +
               (temperature >= kHotC ? QStringLiteral(". Look at its cooling. ") : QStringLiteral(". "));
    }
    return {};
}

} // namespace

std::optional<NoticeText> linkNotice(const RunData& run, qint64 nowWallUs)
{
    QStringList away;
    QList<int> ranks;
    QString reason;
    double silent = 0;
    for (qsizetype i = 0; i < run.state().nodes.size(); ++i) {
        if (!isAway(run, static_cast<int>(i)))
            continue;
        const NodeRunState& node = run.state().nodes[i];
        away << node.name;
        reason = node.linkReason;
        if (node.lastHeardWallUs > 0)
            silent = std::max(silent, static_cast<double>(nowWallUs - node.lastHeardWallUs) / 1e6);
        for (const RankState& rank : run.state().ranks)
            if (rank.nodeIndex == i && !isOver(rank.phase))
                ranks << rank.rank;
    }
    if (away.isEmpty())
        return {};
    const QString who = away.join(QStringLiteral(", "));
    QString detail = ranks.isEmpty() ? QStringLiteral("Its ranks have ended. ")
                                     : QStringLiteral("Ranks %1 may well be running. ").arg(figures::rankList(ranks));
    detail += QStringLiteral("Nothing is lost: the records follow when the link is back.");
    if (!reason.isEmpty())
        detail += QStringLiteral(" ") + reason;
    return NoticeText{.icon = Icon::Lost,
                      .ground = Ground::Warn,
                      .title = QStringLiteral("%1: no news since %2.")
                                   .arg(who, silent > 0 ? figures::age(silent) : QStringLiteral("the start")),
                      .detail = detail};
}

std::optional<NoticeText> slowNotice(const RunData& run, const QList<RankRow>& rows)
{
    const auto slow =
        std::find_if(rows.begin(), rows.end(), [](const RankRow& row) { return row.trouble == RankTrouble::Slow; });
    if (slow == rows.end())
        return {};
    const QString node = run.plan().nodes.value(slow->nodeIndex).name;
    const QString ms = figures::decimal(slow->excessMs, slow->excessMs < 10 ? 1 : 0);
    return NoticeText{
        .icon = Icon::Warn,
        .ground = Ground::Warn,
        .title = QStringLiteral("Rank %1 on %2 computes %3 ms longer than the others; they wait for its gradients.")
                     .arg(slow->rank)
                     .arg(node, ms),
        .detail = deviceWords(run, slow->rank) +
                  QStringLiteral("Every step of the run takes about %1 ms more than it could.").arg(ms)};
}

QHash<int, CellTrouble> cellTrouble(const QList<RankRow>& rows)
{
    QHash<int, CellTrouble> trouble;
    for (const RankRow& row : rows) {
        if (row.trouble <= RankTrouble::NonFinite)
            trouble[row.rank] = CellTrouble::Bad;
        else if (row.trouble == RankTrouble::Slow || row.trouble == RankTrouble::WorstLoss)
            trouble[row.rank] = CellTrouble::Warn;
    }
    return trouble;
}

QHash<int, QString> nodeTrouble(const RunData& run, const QList<RankRow>& rows)
{
    QHash<int, QString> words;
    QHash<int, QList<int>> starved;
    for (const RankRow& row : rows) {
        if (row.trouble == RankTrouble::NoNews)
            words[row.nodeIndex] = QStringLiteral("link lost");
        if (row.trouble == RankTrouble::WaitsForData)
            starved[row.nodeIndex] << row.rank - run.plan().nodes.value(row.nodeIndex).firstRank;
    }
    for (auto i = starved.cbegin(); i != starved.cend(); ++i)
        words[i.key()] = figures::rankList(i.value()) +
                         (i.value().size() == 1 ? QStringLiteral(" waits for data") : QStringLiteral(" wait for data"));
    return words;
}

QString rankSummary(const RunData& run, const QList<RankRow>& rows)
{
    int training = 0, silent = 0, slow = 0, look = 0, ended = 0;
    for (const RankRow& row : rows) {
        silent += row.trouble == RankTrouble::NoNews ? 1 : 0;
        slow += row.trouble == RankTrouble::Slow ? 1 : 0;
        look += row.trouble < RankTrouble::None && row.trouble != RankTrouble::NoNews ? 1 : 0;
        ended += row.endedWallUs > 0 ? 1 : 0;
        training += row.endedWallUs == 0 && !row.stale && row.icon != Icon::Wait && row.icon != Icon::Connect ? 1 : 0;
    }
    if (rows.isEmpty())
        return QStringLiteral("none yet");
    if (isOver(run.state().phase))
        return QStringLiteral("%1 ended").arg(ended) +
               (run.state().cause ? QStringLiteral(", cause first") : QString());
    if (training == 0 && silent == 0)
        return QStringLiteral("%1 starting").arg(rows.size());
    if (silent == 0 && look == slow && slow > 0)
        return QStringLiteral("%1 training, %2 of them slow").arg(training).arg(slow);
    QString text = QStringLiteral("%1 training").arg(training);
    if (silent > 0)
        text += QStringLiteral(", %1 no news").arg(silent);
    if (look > 0)
        text += QStringLiteral(", %1 to look at").arg(look);
    return text;
}

} // namespace lockstep::ui
