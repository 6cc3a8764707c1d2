// SPDX-License-Identifier: GPL-3.0-or-later
// The words above a metric's plot: what each mark is, its value at the cursor, how much there is and how new.
#include "ui/plots/figures.h"
#include "ui/plots/metricplot.h"
#include "ui/theme.h"

#include <cmath>

namespace lockstep::ui {

QList<LegendEntry> MetricPlot::legend() const
{
    const Tokens& tokens = theme().tokens();
    using Mark = LegendEntry::Mark;
    QList<LegendEntry> legend;
    const bool bands = m_detail == CurveDetail::Bands;
    const auto& curves = m_curves.curves();
    if (curves.empty())
        return {{.name = QStringLiteral("nothing yet")}};
    const bool alone = curves.size() == 1;
    legend << LegendEntry{.mark = Mark::Line,
                          .colour = alone ? seriesColour(tokens, curves.front().number) : tokens.text,
                          .name = alone && curves.front().key.rank >= 0
                                      ? QStringLiteral("rank ") + nameOf(curves.front())
                                  : alone ? nameOf(curves.front())
                                          : QStringLiteral("mean"),
                          .value = figures::value(m_curves.mean())};
    if (bands) {
        legend << LegendEntry{.mark = Mark::Square,
                              .colour = withOpacity(tokens.accent, 2 * tokens.innerBandOpacity),
                              .name = QStringLiteral("10–90 %")};
        legend << LegendEntry{.mark = Mark::Square,
                              .colour = withOpacity(tokens.accent, 1.5 * tokens.outerBandOpacity),
                              .name = QStringLiteral("min–max")};
    }
    if (const RankCurve* worst = m_curves.worst()) {
        const QString what =
            m_metric == QLatin1String("loss") ? QStringLiteral(", worst") : QStringLiteral(", highest");
        const int number = worst->number;
        legend << LegendEntry{.mark = Mark::Line,
                              .colour = bands ? tokens.series[1] : seriesColour(tokens, number),
                              .dash = bands ? QList<qreal>() : seriesDash(number),
                              .name =
                                  (worst->key.rank >= 0 ? QStringLiteral("rank ") : QString()) + nameOf(*worst) + what,
                              .value = figures::value(worst->value)};
    }
    if (const std::uint64_t count = m_curves.nonFinite(); count > 0)
        legend << LegendEntry{.mark = Mark::Cross,
                              .colour = tokens.bad,
                              .name = figures::grouped(static_cast<qint64>(count)) + QStringLiteral(" NaN or ∞"),
                              .words = tokens.bad};
    if (!bands && !alone && isOver(data().state().phase)) {
        for (const RankCurve& curve : curves)
            legend << LegendEntry{.mark = Mark::Line,
                                  .colour = seriesColour(tokens, curve.number),
                                  .dash = seriesDash(curve.number),
                                  .name = nameOf(curve)};
    } else if (!bands) {
        const QString smooth =
            view().smoothing() > 0
                ? QStringLiteral("smoothed ") + figures::decimal(view().smoothing(), 2) + QStringLiteral(" over raw")
                : QStringLiteral("raw");
        legend << LegendEntry{.name = alone ? smooth : QStringLiteral("every rank, ") + smooth};
    }
    return legend;
}

void MetricPlot::fillHeader()
{
    m_curves.updateValues(view().cursor());
    header().setLegend(legend());
    const auto& curves = m_curves.curves();
    if (curves.empty()) {
        header().setNote({});
        return;
    }
    QString note =
        curves.size() > 1 ? figures::grouped(static_cast<qint64>(curves.size())) + QStringLiteral(" × ") : QString();
    note += figures::grouped(static_cast<qint64>(m_curves.mostPoints())) + QStringLiteral(" points");
    if (isOver(data().state().phase))
        note += QStringLiteral(" · ended");
    else if (const double age = newestAgeSeconds(); std::isfinite(age))
        note += QStringLiteral(" · newest ") + figures::age(age) + QStringLiteral(" ago");
    header().setNote(note);
}

} // namespace lockstep::ui
