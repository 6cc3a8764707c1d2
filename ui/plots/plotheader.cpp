// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/plotheader.h"

#include "ui/theme.h"

#include <QMouseEvent>
#include <QPainter>

namespace lockstep::ui {

namespace {

constexpr int kHeight = 28;
constexpr int kEdge = 16;
constexpr int kGap = 12;    // between entries
constexpr int kMarkGap = 6; // between mark and name
constexpr int kStub = 14;   // length of a line's mark
constexpr int kSquare = 10;
constexpr double kStubWidth = 2;

int markWidth(LegendEntry::Mark mark)
{
    switch (mark) {
    case LegendEntry::Mark::None:
        return 0;
    case LegendEntry::Mark::Line:
        return kStub;
    case LegendEntry::Mark::Square:
    case LegendEntry::Mark::Cross:
        break;
    }
    return kSquare;
}

void paintMark(QPainter& painter, const LegendEntry& entry, QPointF left)
{
    switch (entry.mark) {
    case LegendEntry::Mark::None:
        return;
    case LegendEntry::Mark::Line: {
        QPen pen(entry.colour, kStubWidth);
        pen.setCapStyle(Qt::FlatCap);
        if (!entry.dash.isEmpty()) {
            QList<qreal> dash = entry.dash;
            for (qreal& length : dash)
                length /= kStubWidth;
            pen.setDashPattern(dash);
        }
        painter.setPen(pen);
        painter.drawLine(left, left + QPointF(kStub, 0));
        return;
    }
    case LegendEntry::Mark::Square:
        painter.fillRect(QRectF(left.x(), left.y() - kSquare / 2.0, kSquare, kSquare), entry.colour);
        return;
    case LegendEntry::Mark::Cross:
        painter.setPen(QPen(entry.colour, 1.5));
        painter.drawLine(left + QPointF(1, -3.5), left + QPointF(8, 3.5));
        painter.drawLine(left + QPointF(1, 3.5), left + QPointF(8, -3.5));
        return;
    }
}

} // namespace

PlotHeader::PlotHeader(Theme& theme, const QString& title, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_title(title)
{
    setFixedHeight(m_theme.px(kHeight));
    connect(&m_theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void PlotHeader::setTitle(const QString& title)
{
    m_title = title;
    update();
}

void PlotHeader::setLegend(QList<LegendEntry> legend)
{
    if (legend == m_legend)
        return;
    m_legend = std::move(legend);
    update();
}

void PlotHeader::setNote(const QString& note)
{
    if (note == m_note)
        return;
    m_note = note;
    update();
}

void PlotHeader::paintEvent(QPaintEvent*)
{
    const Tokens& tokens = m_theme.tokens();
    QPainter painter(this);
    painter.fillRect(rect(), tokens.surface);
    painter.setRenderHint(QPainter::Antialiasing);
    const int edge = m_theme.px(kEdge), gap = m_theme.px(kGap);
    const QFont titleFont = m_theme.font(FontRole::PanelTitle), cell = m_theme.font(FontRole::Cell);
    const QFont strong = m_theme.font(FontRole::CellStrong), caption = m_theme.font(FontRole::Caption);

    const int noteWidth = m_note.isEmpty() ? 0 : QFontMetrics(caption).horizontalAdvance(m_note);
    int right = width() - edge;
    int x = edge;
    painter.setFont(titleFont);
    painter.setPen(tokens.text);
    const int titleWidth = QFontMetrics(titleFont).horizontalAdvance(m_title);
    painter.drawText(QRect(x, 0, titleWidth + 2, height()), Qt::AlignVCenter | Qt::AlignLeft, m_title);
    x += titleWidth + gap;
    if (x + noteWidth <= right) {
        painter.setFont(caption);
        painter.setPen(tokens.text3);
        painter.drawText(QRect(right - noteWidth, 0, noteWidth, height()), Qt::AlignVCenter | Qt::AlignRight, m_note);
        right -= noteWidth > 0 ? noteWidth + gap : 0;
    }
    const QFontMetrics nameMetrics(cell), valueMetrics(strong);
    for (const LegendEntry& entry : m_legend) {
        const int mark = markWidth(entry.mark) > 0 ? markWidth(entry.mark) + kMarkGap : 0;
        const int name = nameMetrics.horizontalAdvance(entry.name);
        const int value = entry.value.isEmpty() ? 0 : valueMetrics.horizontalAdvance(entry.value) + kMarkGap;
        if (x + mark + name + value > right)
            break;
        paintMark(painter, entry, {static_cast<double>(x), height() / 2.0});
        x += mark;
        painter.setFont(cell);
        painter.setPen(entry.words.isValid() ? entry.words : tokens.text2);
        painter.drawText(QRect(x, 0, name + 2, height()), Qt::AlignVCenter | Qt::AlignLeft, entry.name);
        x += name;
        if (value > 0) {
            painter.setFont(strong);
            painter.setPen(entry.words.isValid() ? entry.words : tokens.text);
            painter.drawText(QRect(x + kMarkGap, 0, value, height()), Qt::AlignVCenter | Qt::AlignLeft, entry.value);
            x += value;
        }
        x += gap;
    }
}

void PlotHeader::mouseReleaseEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton)
        emit legendClicked();
}

} // namespace lockstep::ui
