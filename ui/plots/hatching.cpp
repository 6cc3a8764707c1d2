// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/hatching.h"

#include <QPainter>

namespace lockstep::ui {

namespace {

constexpr double kPitch = 4;

} // namespace

void paintHatching(QPainter& painter, const QRectF& place, const QColor& colour)
{
    painter.save();
    painter.setClipRect(place, Qt::IntersectClip);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(colour, 0));
    for (double x = place.left() - place.height(); x < place.right(); x += kPitch)
        painter.drawLine(QPointF(x, place.bottom()), QPointF(x + place.height(), place.top()));
    painter.restore();
}

} // namespace lockstep::ui
