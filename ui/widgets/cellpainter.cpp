// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/cellpainter.h"

#include <QFontMetrics>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace lockstep::ui {

namespace {

constexpr std::size_t kMostBars = 16; // more cores than that are drawn as groups of neighbours

std::vector<double> grouped(const std::vector<double>& fractions)
{
    if (fractions.size() <= kMostBars)
        return fractions;
    std::vector<double> means(kMostBars, 0.0);
    for (std::size_t group = 0; group < kMostBars; ++group) {
        const std::size_t from = group * fractions.size() / kMostBars, to = (group + 1) * fractions.size() / kMostBars;
        for (std::size_t i = from; i < to; ++i)
            means[group] += std::max(fractions[i], 0.0) / static_cast<double>(to - from);
    }
    return means;
}

} // namespace

QRect CellPainter::square(QRect place, int series) const
{
    const int side = theme.px(8);
    if (series >= 0)
        painter.fillRect(place.left(), place.center().y() - side / 2 + 1, side, side,
                         seriesColour(theme.tokens(), series));
    return place.adjusted(side + theme.px(8), 0, 0, 0);
}

QRect CellPainter::icon(QRect place, Icon icon, const QColor& colour) const
{
    const int side = theme.px(16);
    painter.drawPixmap(place.left(), place.top() + (place.height() - side) / 2, theme.pixmap(icon, colour, 16, ratio));
    return place.adjusted(side + theme.px(6), 0, 0, 0);
}

QRect CellPainter::bar(QRect place, double fraction) const
{
    const QRect whole(place.left(), place.center().y() - theme.px(6) / 2 + 1, theme.px(48), theme.px(6));
    painter.fillRect(whole, theme.tokens().track);
    QRect filled = whole;
    filled.setWidth(static_cast<int>(std::lround(whole.width() * std::clamp(fraction, 0.0, 1.0))));
    painter.fillRect(filled, theme.tokens().accent);
    return place.adjusted(whole.width() + theme.px(6), 0, 0, 0);
}

QRect CellPainter::bars(QRect place, const std::vector<double>& fractions) const
{
    const int width = theme.px(5), high = theme.px(14);
    int x = place.left() + theme.px(8);
    const int top = place.top() + (place.height() - high) / 2;
    for (const double fraction : grouped(fractions)) {
        painter.fillRect(x, top, width, high, theme.tokens().track);
        const int filled = static_cast<int>(std::lround(high * std::clamp(fraction, 0.0, 1.0)));
        if (fraction >= 0) // a measured zero keeps a foot of one pixel, an unknown one does not
            painter.fillRect(x, top + high - std::max(filled, 1), width, std::max(filled, 1), theme.tokens().accent);
        x += width + 1;
    }
    place.setLeft(x);
    return place;
}

QRect CellPainter::tags(QRect place, const QStringList& tags) const
{
    const QFont font = theme.font(FontRole::Caption);
    const QFontMetrics metrics(font);
    const int high = theme.px(16);
    painter.setFont(font);
    for (const QString& tag : tags) {
        const int width = metrics.horizontalAdvance(tag) + theme.px(12);
        if (width > place.width())
            return words(place, QStringLiteral("…"), font, theme.tokens().text2);
        const QRect box(place.left(), place.top() + (place.height() - high) / 2, width, high);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme.tokens().hover);
        painter.drawRoundedRect(box, 2, 2);
        painter.setRenderHint(QPainter::Antialiasing, false);
        painter.setPen(theme.tokens().text2);
        painter.drawText(box, Qt::AlignCenter, tag);
        place.setLeft(box.right() + 1 + theme.px(4));
    }
    return place;
}

void CellPainter::sparkline(QRect place, const std::vector<float>& values, const QColor& colour) const
{
    const QRect box(place.left(), place.top() + (place.height() - theme.px(18)) / 2, theme.px(88), theme.px(18));
    float low = INFINITY, high = -INFINITY;
    for (const float value : values)
        if (std::isfinite(value)) {
            low = std::min(low, value);
            high = std::max(high, value);
        }
    if (values.size() < 2 || !(low <= high))
        return;
    const double span = high > low ? static_cast<double>(high - low) : 1.0;
    QPainterPath path;
    bool down = false; // a NaN lifts the pen
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!std::isfinite(values[i])) {
            down = false;
            continue;
        }
        const double x =
            box.left() + 0.5 + (box.width() - 1.0) * static_cast<double>(i) / static_cast<double>(values.size() - 1);
        const double y = box.bottom() - 1.5 - (box.height() - 4.0) * static_cast<double>(values[i] - low) / span;
        down ? path.lineTo(x, y) : path.moveTo(x, y);
        down = true;
    }
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(colour, 1));
    painter.drawPath(path);
    painter.setRenderHint(QPainter::Antialiasing, false);
}

QRect CellPainter::words(QRect place, const QString& text, const QFont& font, const QColor& colour,
                         Qt::Alignment alignment) const
{
    if (text.isEmpty() || place.width() <= 0)
        return place;
    const QFontMetrics metrics(font);
    const QString shown = metrics.elidedText(text, Qt::ElideRight, place.width());
    painter.setFont(font);
    painter.setPen(colour);
    painter.drawText(place, static_cast<int>(Qt::AlignVCenter | alignment) | Qt::TextSingleLine, shown);
    const int width = metrics.horizontalAdvance(shown);
    if (alignment & Qt::AlignRight)
        place.setRight(place.right() - width);
    else
        place.setLeft(place.left() + width);
    return place;
}

} // namespace lockstep::ui
