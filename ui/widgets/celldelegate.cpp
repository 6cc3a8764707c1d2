// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/celldelegate.h"

#include "ui/widgets/cellpainter.h"

#include <QAbstractItemView>
#include <QMouseEvent>
#include <QPainter>

namespace lockstep::ui {

namespace {

Cell cellOf(const QModelIndex& index)
{
    const QVariant value = index.data(kCellRole);
    if (value.canConvert<Cell>())
        return value.value<Cell>();
    Cell cell;
    cell.text = index.data().toString();
    return cell;
}

bool byCells(const QStyleOptionViewItem& option)
{
    const auto* view = qobject_cast<const QAbstractItemView*>(option.widget);
    return view && view->selectionBehavior() == QAbstractItemView::SelectItems;
}

} // namespace

CellDelegate::CellDelegate(Theme& theme, QObject* parent) : QStyledItemDelegate(parent), m_theme(theme) {}

QRect CellDelegate::content(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const bool first = index.column() == 0;
    const bool last = index.column() == index.model()->columnCount(index.parent()) - 1;
    return option.rect.adjusted(m_theme.px(first ? 16 : 8), 0, -m_theme.px(last ? 16 : 8), -1);
}

QRect CellDelegate::actionRect(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const QString action = cellOf(index).action;
    if (action.isEmpty())
        return {};
    QRect rect = content(option, index);
    rect.setLeft(rect.right() - m_theme.textWidth(FontRole::Cell, action));
    return rect;
}

void CellDelegate::paintGround(QPainter& painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const Tokens& t = m_theme.tokens();
    const bool selected = option.state.testFlag(QStyle::State_Selected);
    painter.fillRect(option.rect, selected ? t.sel : index.row() == m_hoverRow ? t.hover : t.surface);
    if (!selected)
        painter.fillRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1, t.grid);
    if (selected && index.column() == 0 && option.widget && option.widget->hasFocus())
        painter.fillRect(option.rect.left(), option.rect.top(), 2, option.rect.height(), t.accent);
}

void CellDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const Tokens& t = m_theme.tokens();
    const Cell cell = cellOf(index);
    const CellPainter draw{m_theme, *painter, painter->device()->devicePixelRatioF()};
    const bool selected = option.state.testFlag(QStyle::State_Selected);
    painter->save();
    paintGround(*painter, option, index);
    QRect place = content(option, index);
    if (selected && byCells(option)) { // the one cell that the page speaks about
        painter->setPen(t.accent);
        painter->drawRect(option.rect.adjusted(0, 0, -1, -2));
    }

    const QColor colour = toneColour(t, cell.tone);
    QRect lower;
    if (!cell.source.isEmpty()) { // two lines, the pair centred
        const int upperHigh = m_theme.px(17), lowerHigh = m_theme.px(14);
        const int top = place.top() + (place.height() - upperHigh - lowerHigh) / 2;
        lower = QRect(place.left(), top + upperHigh, place.width(), lowerHigh);
        place = QRect(place.left(), top, place.width(), upperHigh);
    }
    if (!cell.action.isEmpty()) {
        (void)draw.words(place, cell.action, m_theme.font(FontRole::Cell), t.accent, Qt::AlignRight);
        place.setRight(place.right() - m_theme.textWidth(FontRole::Cell, cell.action) - m_theme.px(8));
    }
    if (cell.series)
        place = draw.square(place, *cell.series);
    if (cell.icon)
        place = draw.icon(place, *cell.icon, cell.iconTone ? toneColour(t, *cell.iconTone) : colour);
    if (cell.bar)
        place = draw.bar(place, *cell.bar);
    if (!cell.sparkline.empty())
        draw.sparkline(place, cell.sparkline,
                       selected && cell.sparklineSeries >= 0 ? seriesColour(t, cell.sparklineSeries) : t.text3);
    if (!cell.tags.isEmpty())
        place = draw.tags(place, cell.tags);
    const auto alignment = Qt::Alignment(index.data(Qt::TextAlignmentRole).toInt()) & Qt::AlignHorizontal_Mask;
    place = draw.words(place, cell.text, m_theme.font(cell.font), colour, alignment ? alignment : Qt::AlignLeft);
    if (!cell.suffix.isEmpty())
        place = draw.words(place, cell.suffix, m_theme.font(FontRole::Cell), t.text2);
    if (!cell.bars.empty())
        place = draw.bars(place, cell.bars);
    if (!cell.source.isEmpty())
        (void)draw.words(lower, cell.source, m_theme.font(FontRole::Caption), t.text2,
                         alignment ? alignment : Qt::AlignLeft);
    painter->restore();
}

bool CellDelegate::editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                               const QModelIndex& index)
{
    if (event->type() == QEvent::MouseButtonRelease) {
        const auto* mouse = static_cast<QMouseEvent*>(event);
        if (mouse->button() == Qt::LeftButton && actionRect(option, index).contains(mouse->position().toPoint())) {
            emit actionTriggered(index);
            return true;
        }
    }
    return QStyledItemDelegate::editorEvent(event, model, option, index);
}

} // namespace lockstep::ui
