// SPDX-License-Identifier: GPL-3.0-or-later
// The table of every page: no grid but a line under each row, sorts by its header, filters, copies as text (Ctrl+C),
// columns as wide as their sample text with the rest given to those that stretch.
#pragma once

#include "ui/widgets/celldelegate.h"

#include <QTableView>

#include <functional>
#include <vector>

class QSortFilterProxyModel;

namespace lockstep::ui {

struct ColumnWidth {
    QString sample;     // widest usual text
    int extraAt100 = 0; // icon, bars, action word
    int stretch = 0;    // share of what is left over
    int dropOrder = 0;  // > 0: hidden when narrow, the highest first
};

class DataTable : public QTableView {
    Q_OBJECT

public:
    DataTable(Theme& theme, QAbstractItemModel& model, std::vector<ColumnWidth> columns, int rowHeightAt100,
              QWidget* parent = nullptr);

    void setColumns(std::vector<ColumnWidth> columns);                         // for a model whose columns change
    void setRowFilter(std::function<bool(const QModelIndex& source)> accepts); // beside the words; empty: all
    void setFilter(const QString& text); // rows that hold every word of it, in any column
    [[nodiscard]] QModelIndex sourceIndex(const QModelIndex& shown) const;
    [[nodiscard]] QModelIndex shownIndex(const QModelIndex& source) const;
    [[nodiscard]] QList<int> selectedSourceRows() const; // in the order shown
    [[nodiscard]] QString selectionAsText() const;       // with its header, tab-separated
    void selectSourceRow(int row);
    [[nodiscard]] int heightOfRows(int rows) const; // with the header

signals:
    void actionTriggered(const QModelIndex& source);
    void rowActivated(const QModelIndex& source); // Enter or double click
    void selectedRowsChanged();

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    void layoutColumns();
    void setHoverRow(int row);

    Theme& m_theme;
    QSortFilterProxyModel* m_proxy;
    CellDelegate* m_delegate;
    std::vector<ColumnWidth> m_columns;
    int m_hoverRow = -1;
};

} // namespace lockstep::ui
