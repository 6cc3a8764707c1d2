// SPDX-License-Identifier: GPL-3.0-or-later
// 45° lines, 4 px apart: "there is no data", which is not the colour of zero.
#pragma once

#include <QColor>
#include <QRectF>

class QPainter;

namespace lockstep::ui {

void paintHatching(QPainter& painter, const QRectF& place, const QColor& colour);

} // namespace lockstep::ui
