// SPDX-License-Identifier: GPL-3.0-or-later
// A line of the log: time, node and rank in quiet columns, the words by severity; the line at the cursor has a ground
// of its own.
#pragma once

#include "core/rundata.h"

#include <QStyledItemDelegate>

namespace lockstep::ui {

class LogModel;
class Theme;

class LogDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    LogDelegate(Theme& theme, const RunData& run, const LogModel& model, QObject* parent = nullptr);

    void setCursorRow(int row) { m_cursorRow = row; } // -1: none
    [[nodiscard]] int cursorRow() const { return m_cursorRow; }
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    Theme& m_theme;
    const RunData& m_run;
    const LogModel& m_model;
    int m_cursorRow = -1;
};

} // namespace lockstep::ui
