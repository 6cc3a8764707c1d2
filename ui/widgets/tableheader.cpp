// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/tableheader.h"

#include "ui/widgets/cellpainter.h"

#include <QPaintEvent>
#include <QPainter>

namespace lockstep::ui {

TableHeader::TableHeader(Theme& theme, QWidget* parent) : QHeaderView(Qt::Horizontal, parent), m_theme(theme)
{
    setFont(theme.font(FontRole::Cell));
    setFixedHeight(theme.px(24));
    setSectionsClickable(true);
    setHighlightSections(false);
    setMinimumSectionSize(theme.px(24));
    setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    connect(&theme, &Theme::changed, this, [this] { viewport()->update(); });
}

void TableHeader::paintEvent(QPaintEvent* event)
{
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), m_theme.tokens().head);
    painter.fillRect(0, viewport()->height() - 1, viewport()->width(), 1, m_theme.tokens().border);
    painter.end();
    QHeaderView::paintEvent(event);
}

void TableHeader::paintSection(QPainter* painter, const QRect& rect, int section) const
{
    const Tokens& t = m_theme.tokens();
    painter->save();
    painter->fillRect(rect, t.head);
    painter->fillRect(rect.left(), rect.bottom(), rect.width(), 1, t.border);
    const int visual = visualIndex(section);
    QRect place = rect.adjusted(m_theme.px(visual == 0 ? 16 : 8), 0, -m_theme.px(visual == count() - 1 ? 16 : 8), -1);
    const CellPainter draw{m_theme, *painter, devicePixelRatioF()};
    const QString text = model()->headerData(section, Qt::Horizontal).toString();
    const auto alignment = Qt::Alignment(model()->headerData(section, Qt::Horizontal, Qt::TextAlignmentRole).toInt()) &
                           Qt::AlignHorizontal_Mask;
    if (isSortIndicatorShown() && sortIndicatorSection() == section) {
        const int side = m_theme.px(12);
        QPixmap chevron = m_theme.pixmap(Icon::Down, t.text2, 12, devicePixelRatioF());
        if (sortIndicatorOrder() == Qt::AscendingOrder)
            chevron = chevron.transformed(QTransform().rotate(180));
        const int width = QFontMetrics(font()).horizontalAdvance(text);
        const int x = alignment & Qt::AlignRight ? place.right() - width - side - 2
                                                 : std::min(place.left() + width + 4, place.right() - side);
        painter->drawPixmap(x, place.top() + (place.height() - side) / 2, chevron);
    }
    (void)draw.words(place, text, font(), t.text2, alignment ? alignment : Qt::AlignLeft);
    painter->restore();
}

} // namespace lockstep::ui
