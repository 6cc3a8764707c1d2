// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/headerfigures.h"

#include "ui/plots/figures.h"
#include "ui/theme.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace lockstep::ui {

namespace {

constexpr int kGap = 28;
constexpr int kCaptionLine = 16, kValueLine = 20;
constexpr int kWordGap = 4;
constexpr double kUsPerSecond = 1e6;
constexpr double kStaleAfterS = 1; // without a record: the header says so

const QString kUnknown = QStringLiteral("–");

HeaderFigure stepFigure(const RunData& run)
{
    const qint64 step = run.step(), total = run.totalSteps();
    HeaderFigure figure{isOver(run.state().phase) ? QStringLiteral("reached step") : QStringLiteral("step"),
                        step >= 0 ? figures::grouped(step) : kUnknown};
    if (total > 0 && step >= 0)
        figure.rest =
            QStringLiteral("of ") + figures::grouped(total) + QStringLiteral(" · ") + figures::percent(progressOf(run));
    return figure;
}

HeaderFigure epochFigure(const RunData& run)
{
    HeaderFigure figure{QStringLiteral("epoch"), kUnknown};
    if (run.stepsPerEpoch() > 0 && run.step() >= 0) {
        const double epoch = static_cast<double>(run.step()) / static_cast<double>(run.stepsPerEpoch());
        figure.value = figures::decimal(epoch, epoch < 1 ? 2 : 1);
        if (run.totalSteps() > 0)
            figure.rest = QStringLiteral("of ") +
                          figures::grouped((run.totalSteps() + run.stepsPerEpoch() / 2) / run.stepsPerEpoch());
    }
    return figure;
}

HeaderFigure newestFigure(const RunData& run, qint64 nowWallUs)
{
    HeaderFigure figure{QStringLiteral("newest record"), kUnknown};
    if (run.newestRecordWallUs() <= 0)
        return figure;
    const double age = static_cast<double>(nowWallUs - run.newestRecordWallUs()) / kUsPerSecond;
    figure.value = figures::age(age);
    figure.rest = age > kStaleAfterS ? QStringLiteral("ago, stale") : QStringLiteral("ago");
    figure.mood = age > kStaleAfterS ? HeaderFigure::Mood::Warn : HeaderFigure::Mood::Usual;
    return figure;
}

HeaderFigure lossFigure(const RunData& run)
{
    HeaderFigure figure{QStringLiteral("loss, mean"), kUnknown};
    if (const double loss = run.meanLoss(); !std::isnan(loss))
        figure.value = figures::value(loss);
    int away = 0;
    for (const RankState& rank : run.state().ranks) {
        const LinkPhase link = run.state().nodes.value(rank.nodeIndex).link;
        away += link == LinkPhase::Stale || link == LinkPhase::Reconnecting ? 1 : 0;
    }
    if (away > 0 && !isOver(run.state().phase))
        figure.rest = QStringLiteral("over %1 ranks").arg(run.state().ranks.size() - away);
    return figure;
}

} // namespace

double progressOf(const RunData& run)
{
    if (run.totalSteps() <= 0 || run.step() < 0)
        return 0;
    return std::clamp(static_cast<double>(run.step()) / static_cast<double>(run.totalSteps()), 0.0, 1.0);
}

QList<HeaderFigure> figuresOf(const RunData& run, qint64 nowWallUs)
{
    QList<HeaderFigure> figures{stepFigure(run), epochFigure(run)};
    const RunState& state = run.state();
    if (isOver(state.phase)) {
        const QString when = state.phase == RunPhase::Failed    ? QStringLiteral("failed at")
                             : state.phase == RunPhase::Stopped ? QStringLiteral("stopped at")
                                                                : QStringLiteral("finished at");
        figures << HeaderFigure{when, state.endedWallUs > 0 ? figures::wallClock(state.endedWallUs) : kUnknown};
        if (const QString checkpoint = run.info(0).value(QStringLiteral("checkpoint")); !checkpoint.isEmpty())
            figures << HeaderFigure{QStringLiteral("last checkpoint"), checkpoint.section(QLatin1Char('/'), -1)};
        figures << lossFigure(run);
        int left = 0;
        bool proven = !state.nodes.isEmpty();
        for (const NodeRunState& node : state.nodes) {
            left += std::max(node.left, 0);
            proven = proven && node.left >= 0;
        }
        figures << HeaderFigure{QStringLiteral("left behind"), proven ? figures::grouped(left) : kUnknown,
                                proven ? QStringLiteral("of %1 ranks").arg(state.ranks.size())
                                       : QStringLiteral("not proven yet"),
                                left > 0 ? HeaderFigure::Mood::Warn : HeaderFigure::Mood::Usual};
        return figures;
    }
    const QString left = figures::remaining(run.etaSeconds());
    figures << HeaderFigure{QStringLiteral("time left"), left.isEmpty() ? kUnknown : left};
    const double rate = run.samplesPerSecond();
    figures << HeaderFigure{QStringLiteral("throughput"), rate > 0 ? figures::scaled(rate) : kUnknown,
                            QStringLiteral("samples/s")};
    const double waiting = run.waitFraction();
    figures << HeaderFigure{QStringLiteral("waiting for gradients"), figures::percent(waiting),
                            std::isfinite(waiting) ? QStringLiteral("of step time") : QString()};
    figures << lossFigure(run) << newestFigure(run, nowWallUs);
    return figures;
}

HeaderFigures::HeaderFigures(Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme)
{
    setFixedHeight(theme.px(kCaptionLine + kValueLine));
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void HeaderFigures::setFigures(QList<HeaderFigure> figures)
{
    if (figures == m_figures)
        return;
    m_figures = std::move(figures);
    update();
}

QSize HeaderFigures::minimumSizeHint() const
{
    return {m_theme.px(200), height()};
}

int HeaderFigures::widthOf(const HeaderFigure& figure) const
{
    const int caption = QFontMetrics(m_theme.font(FontRole::Caption)).horizontalAdvance(figure.caption);
    int value = QFontMetrics(m_theme.font(FontRole::CardTitle)).horizontalAdvance(figure.value);
    if (!figure.rest.isEmpty())
        value += m_theme.px(kWordGap) + QFontMetrics(m_theme.font(FontRole::Cell)).horizontalAdvance(figure.rest);
    return std::max(caption, value);
}

void HeaderFigures::paintEvent(QPaintEvent*)
{
    QList<HeaderFigure> shown = m_figures;
    const auto total = [&] {
        int sum = 0;
        for (const HeaderFigure& figure : shown)
            sum += widthOf(figure) + m_theme.px(kGap);
        return sum - m_theme.px(kGap);
    };
    while (shown.size() > 1 && total() > width())
        shown.removeAt(shown.size() > 2 ? shown.size() - 2 : 1);

    const Tokens& tokens = m_theme.tokens();
    QPainter painter(this);
    const int captionLine = m_theme.px(kCaptionLine), valueLine = m_theme.px(kValueLine);
    int x = 0;
    for (const HeaderFigure& figure : shown) {
        const int wide = widthOf(figure);
        painter.setFont(m_theme.font(FontRole::Caption));
        painter.setPen(tokens.text3);
        painter.drawText(QRect(x, 0, wide + 2, captionLine), Qt::AlignLeft | Qt::AlignVCenter, figure.caption);
        painter.setFont(m_theme.font(FontRole::CardTitle));
        painter.setPen(figure.mood == HeaderFigure::Mood::Warn ? tokens.warn : tokens.text);
        // Both fonts stand on one base line.
        const int base = captionLine + valueLine - (valueLine - painter.fontMetrics().ascent()) / 2 - 1;
        painter.drawText(QPoint(x, base), figure.value);
        const int after = x + painter.fontMetrics().horizontalAdvance(figure.value) + m_theme.px(kWordGap);
        painter.setFont(m_theme.font(FontRole::Cell));
        painter.setPen(figure.mood == HeaderFigure::Mood::Warn ? tokens.warn : tokens.text2);
        painter.drawText(QPoint(after, base), figure.rest);
        x += wide + m_theme.px(kGap);
    }
}

} // namespace lockstep::ui
