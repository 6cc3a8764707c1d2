// SPDX-License-Identifier: GPL-3.0-or-later
// Draws Cells (cell.h): state with icon and action word, two lines, bars, sparkline, tags. Knows no model.
#pragma once

#include "ui/widgets/cell.h"

#include <QStyledItemDelegate>

namespace lockstep::ui {

class CellDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    explicit CellDelegate(Theme& theme, QObject* parent = nullptr);

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    bool editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                     const QModelIndex& index) override;

    [[nodiscard]] QRect actionRect(const QStyleOptionViewItem& option, const QModelIndex& index) const;
    void setHoverRow(int row) { m_hoverRow = row; }

signals:
    void actionTriggered(const QModelIndex& index);

private:
    [[nodiscard]] QRect content(const QStyleOptionViewItem& option, const QModelIndex& index) const;
    void paintGround(QPainter& painter, const QStyleOptionViewItem& option, const QModelIndex& index) const;

    Theme& m_theme;
    int m_hoverRow = -1;
};

} // namespace lockstep::ui
