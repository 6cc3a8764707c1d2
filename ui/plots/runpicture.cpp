// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/runpicture.h"

#include "ui/plots/plotcolumn.h"
#include "ui/theme.h"

#include <QLayout>
#include <QPainter>

namespace lockstep::ui {

namespace {

constexpr int kTitleHeight = 36;
constexpr int kEdge = 16;

} // namespace

QImage renderRunPlots(Theme& theme, const RunData& run, QSize size, XAxis axis)
{
    const Tokens& tokens = theme.tokens();
    const int top = theme.px(kTitleHeight);
    PlotView view;
    view.setAxis(axis);
    PlotColumn column(theme, view, run);
    column.setAttribute(Qt::WA_DontShowOnScreen); // laid out as if shown, never on a screen
    column.resize(size.width(), size.height() - top);
    column.show();
    column.paintNow();
    column.paintNow(); // the first one settled the layout
    QImage picture(size, QImage::Format_RGB32);
    picture.fill(tokens.surface);
    QPainter painter(&picture);
    painter.setFont(theme.font(FontRole::CardTitle));
    painter.setPen(tokens.text);
    const RunState& state = run.state();
    const QString title = state.name + (state.number > 0 ? QStringLiteral(" #%1").arg(state.number) : QString());
    const QRect place(theme.px(kEdge), 0, size.width(), top);
    painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter, title);
    const int after = QFontMetrics(painter.font()).horizontalAdvance(title) + theme.px(12);
    painter.setFont(theme.font(FontRole::Cell));
    painter.setPen(tokens.text2);
    painter.drawText(place.adjusted(after, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, words(state.phase));
    column.render(&painter, QPoint(0, top));
    return picture;
}

} // namespace lockstep::ui
