// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runs/runwords.h"

#include "ui/plots/figures.h"

#include <QLocale>

#include <algorithm>

namespace lockstep::ui {

StateWords runWords(RunPhase phase, const QString& reason, double fractionDone)
{
    const QString said = words(phase);
    const auto orSaid = [&] { return reason.isEmpty() ? said : reason; };
    switch (phase) {
    case RunPhase::Planning:
    case RunPhase::Deploying:
    case RunPhase::Starting:
        return {Icon::Connect, Tone::Running, said, {}};
    case RunPhase::Running:
        return {Icon::Run,
                Tone::Running,
                fractionDone >= 0 ? QStringLiteral("%1, %2").arg(said, figures::percent(fractionDone)) : said,
                {}};
    case RunPhase::Stopping:
        return {Icon::Stopped, Tone::Idle, said, {}};
    case RunPhase::Finished:
        return {Icon::Ok, Tone::Ok, said, {}};
    case RunPhase::Failed:
        return {Icon::Bad, Tone::Bad, orSaid(), {}};
    case RunPhase::Stopped:
        return {Icon::Stopped, Tone::Idle, orSaid(), {}};
    case RunPhase::Lost:
        return {Icon::Lost, Tone::Warn, orSaid(), {}};
    }
    return {};
}

QString startedText(qint64 createdWallUs, const QDateTime& now)
{
    if (createdWallUs <= 0)
        return QStringLiteral("–");
    const QDateTime then = QDateTime::fromMSecsSinceEpoch(createdWallUs / 1000);
    const qint64 days = then.date().daysTo(now.date());
    if (days == 0)
        return then.toString(QStringLiteral("HH:mm")) + QStringLiteral(" today");
    if (days == 1)
        return QStringLiteral("yesterday");
    const QLocale english(QLocale::English); // as all other words here
    return english.toString(then.date(), then.date().year() == now.date().year() ? QStringLiteral("d MMM")
                                                                                 : QStringLiteral("d MMM yyyy"));
}

double durationSeconds(const RunSummary& run, qint64 nowWallUs)
{
    const bool ended = run.endedWallUs > 0 && run.phase != RunPhase::Running;
    if (run.createdWallUs <= 0 || (isOver(run.phase) && !ended))
        return -1;
    const qint64 end = ended ? run.endedWallUs : nowWallUs;
    return std::max(static_cast<double>(end - run.createdWallUs) / 1e6, 0.0);
}

QString durationText(const RunSummary& run, qint64 nowWallUs)
{
    const double seconds = durationSeconds(run, nowWallUs);
    if (seconds < 0)
        return QStringLiteral("–");
    const auto whole = static_cast<qint64>(seconds);
    const auto two = [](qint64 number) { return QStringLiteral("%1").arg(number, 2, 10, QLatin1Char('0')); };
    if (whole < 3600)
        return QStringLiteral("%1:%2").arg(two(whole / 60), two(whole % 60));
    return QStringLiteral("%1:%2:%3").arg(whole / 3600).arg(two(whole / 60 % 60), two(whole % 60));
}

} // namespace lockstep::ui
