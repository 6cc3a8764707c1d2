// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/nodes/cpuhistory.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>

namespace lockstep::ui {

namespace {

constexpr int kSeconds = 60;

} // namespace

CpuHistory::CpuHistory(Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme)
{
    setFixedHeight(theme.px(128));
    connect(&theme, &Theme::changed, this, [this] { update(); });
}

void CpuHistory::setHistory(const QList<double>& percents)
{
    if (percents == m_percents)
        return;
    m_percents = percents;
    setAccessibleName(percents.isEmpty() ? QStringLiteral("CPU utilisation, no sample yet")
                                         : QStringLiteral("CPU utilisation, newest %1 %").arg(percents.last()));
    update();
}

QSize CpuHistory::sizeHint() const
{
    return {m_theme.px(392), m_theme.px(128)};
}

void CpuHistory::paintAxes(QPainter& painter, const QRect& plot) const
{
    const Tokens& t = m_theme.tokens();
    painter.setFont(m_theme.font(FontRole::Caption));
    const int high = painter.fontMetrics().height();
    for (const int percent : {0, 50, 100}) {
        const int y = plot.bottom() - plot.height() * percent / 100;
        painter.fillRect(plot.left(), y, plot.width(), 1, percent == 0 ? t.axis : t.grid);
        painter.fillRect(plot.left() - 4, y, 4, 1, t.axis);
        painter.setPen(t.text2);
        painter.drawText(QRect(0, y - high / 2, plot.left() - m_theme.px(8), high), Qt::AlignRight | Qt::AlignVCenter,
                         QStringLiteral("%1 %").arg(percent));
    }
    for (const int ago : {60, 40, 20, 0}) {
        const int x = plot.left() + plot.width() * (kSeconds - ago) / kSeconds;
        painter.fillRect(x, plot.top(), 1, plot.height(), ago == kSeconds ? t.axis : t.grid);
        painter.fillRect(x, plot.bottom(), 1, 4, t.axis);
        painter.setPen(t.text2);
        const QString text = ago == 0 ? QStringLiteral("now") : QStringLiteral("−%1 s").arg(ago);
        const int width = painter.fontMetrics().horizontalAdvance(text) + 2;
        const int left = std::min(x - width / 2, this->width() - width);
        painter.drawText(QRect(left, plot.bottom() + 6, width, high), Qt::AlignCenter, text);
    }
}

void CpuHistory::paintEvent(QPaintEvent*)
{
    const Tokens& t = m_theme.tokens();
    QPainter painter(this);
    const int left = m_theme.textWidth(FontRole::Caption, QStringLiteral("100 %")) + m_theme.px(8);
    const QRect plot = rect().adjusted(left, m_theme.px(8), -m_theme.px(16), -m_theme.px(24));
    paintAxes(painter, plot);
    if (m_percents.size() < 2) {
        painter.setPen(t.text3);
        painter.setFont(m_theme.font(FontRole::Cell));
        painter.drawText(plot, Qt::AlignCenter, QStringLiteral("no sample yet"));
        return;
    }
    QPainterPath curve;
    double x = 0;
    for (qsizetype i = 0; i < m_percents.size(); ++i) {
        const auto ago = static_cast<double>(m_percents.size() - 1 - i);
        x = plot.left() + plot.width() * (kSeconds - ago) / kSeconds;
        const double y = plot.bottom() - plot.height() * std::clamp(m_percents.at(i), 0.0, 100.0) / 100;
        i == 0 ? curve.moveTo(x, y) : curve.lineTo(x, y);
    }
    painter.setClipRect(plot.adjusted(0, -1, 1, 0));
    painter.setRenderHint(QPainter::Antialiasing);
    QPainterPath area = curve;
    area.lineTo(x, plot.bottom());
    area.lineTo(curve.elementAt(0).x, plot.bottom());
    area.closeSubpath();
    painter.fillPath(area, withOpacity(t.accent, t.laneOpacity * 0.7));
    painter.setPen(QPen(t.accent, 1));
    painter.drawPath(curve);
}

} // namespace lockstep::ui
