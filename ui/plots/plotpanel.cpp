// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/plotpanel.h"

#include "ui/plots/figures.h"
#include "ui/plots/plotheader.h"
#include "ui/plots/xmap.h"
#include "ui/theme.h"

#include <QDateTime>
#include <QPainter>
#include <QVBoxLayout>

namespace lockstep::ui {

namespace {

constexpr int kFlagHeight = 18;
constexpr int kFlagPadding = 10;
constexpr double kCursorOpacity = 0.55;
constexpr double kUsPerSecond = 1e6;

} // namespace

PlotPanel::PlotPanel(Theme& theme, PlotView& view, const RunData& data, const QString& title, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_view(view), m_data(data), m_header(new PlotHeader(theme, title, this)),
      m_canvas(new PlotCanvas(theme, view, this))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_header);
    column->addWidget(m_canvas, 1);
    m_canvas->setContent([this](QPainter& painter, const PlotFrame& frame) { paintContent(painter, frame); });
    m_canvas->setOverlay([this](QPainter& painter, const PlotFrame& frame) {
        paintOverlay(painter, frame);
        paintEnd(painter, frame);
        paintCursor(painter, frame);
    });
}

void PlotPanel::refresh()
{
    prepare(XMap(m_data));
    fillHeader();
    m_canvas->repaintContent();
}

void PlotPanel::refreshCursor()
{
    fillHeader();
    m_canvas->repaintOverlay();
}

double PlotPanel::newestAgeSeconds() const
{
    const qint64 newest = m_data.newestRecordWallUs();
    if (newest <= 0)
        return NAN;
    return std::max(0.0, static_cast<double>(QDateTime::currentMSecsSinceEpoch() * 1000 - newest) / kUsPerSecond);
}

double PlotPanel::lastX() const
{
    return m_view.limit() ? std::min(*m_view.limit(), m_view.range().to) : m_view.range().to;
}

void PlotPanel::paintCursor(QPainter& painter, const PlotFrame& frame)
{
    if (!m_view.cursor() || !frame.x.contains(*m_view.cursor()))
        return;
    const Tokens& tokens = m_theme.tokens();
    const double x = std::round(frame.px(*m_view.cursor())) + 0.5;
    QPen pen(withOpacity(tokens.text, kCursorOpacity), 0);
    pen.setDashPattern({3, 2});
    painter.setPen(pen);
    painter.drawLine(QPointF(x, frame.area.top()), QPointF(x, frame.area.bottom()));
    if (!m_flag)
        return;
    QString text = m_canvas->xLabels().text(*m_view.cursor());
    const XMap map(m_data);
    if (m_view.family() == XFamily::Seconds && map.known())
        text += QStringLiteral(" · step ") + figures::grouped(std::llround(map.toStep(*m_view.cursor())));
    else if (map.known())
        text += QStringLiteral(" · ") + figures::shortClock(map.toSeconds(*m_view.cursor()));
    paintFlag(painter, frame, x, text, tokens.text, tokens.surface);
}

// A run that failed ends with a line through all plots, named in the top one.
void PlotPanel::paintEnd(QPainter& painter, const PlotFrame& frame)
{
    const RunState& state = m_data.state();
    if (state.phase != RunPhase::Failed || state.endedWallUs <= 0 || state.startedWallUs <= 0)
        return;
    qint64 ended = state.endedWallUs;
    for (const RankState& rank : state.ranks)
        if (state.cause && rank.rank == state.cause->rank && rank.endedWallUs > 0)
            ended = rank.endedWallUs;
    const double seconds = static_cast<double>(ended - state.startedWallUs) / kUsPerSecond;
    const double at = XMap(m_data).xOfSeconds(seconds, m_view.family());
    if (!frame.x.contains(at) || (m_view.limit() && at > *m_view.limit()))
        return;
    const Tokens& tokens = m_theme.tokens();
    const double x = std::round(frame.px(at)) + 0.5;
    painter.setPen(QPen(tokens.bad, 0));
    painter.drawLine(QPointF(x, frame.area.top()), QPointF(x, frame.area.bottom()));
    if (!m_flag)
        return;
    QString text = figures::shortClock(seconds) + QStringLiteral(" failed");
    if (state.cause && state.cause->rank >= 0)
        text = figures::shortClock(seconds) + QStringLiteral(" rank %1 failed").arg(state.cause->rank);
    paintFlag(painter, frame, x, text, tokens.badGround, tokens.bad);
}

void PlotPanel::paintFlag(QPainter& painter, const PlotFrame& frame, double x, const QString& text,
                          const QColor& ground, const QColor& words)
{
    const QFont font = m_theme.font(FontRole::Caption);
    const double width = QFontMetrics(font).horizontalAdvance(text) + 2.0 * m_theme.px(kFlagPadding);
    const double left =
        std::clamp(x - width / 2, frame.area.left(), std::max(frame.area.left(), frame.area.right() - width));
    const QRectF flag(left, frame.area.top(), width, m_theme.px(kFlagHeight));
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(ground);
    painter.drawRoundedRect(flag, 2, 2);
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setFont(font);
    painter.setPen(words);
    painter.drawText(flag, Qt::AlignCenter, text);
}

} // namespace lockstep::ui
