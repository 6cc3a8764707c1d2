// SPDX-License-Identifier: GPL-3.0-or-later
// A table over a list: titles, and a Cell for each place. Text, alignment and what copying takes follow from the cells.
// Thread: GUI.
#pragma once

#include "ui/widgets/cell.h"

#include <QAbstractTableModel>

namespace lockstep::ui {

class CellModel : public QAbstractTableModel {
public:
    struct Title {
        const char* text; // UTF-8
        Qt::AlignmentFlag side = Qt::AlignLeft;
    };

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const final;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const final;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const final;

protected:
    CellModel(std::vector<Title> titles, QObject* parent) : QAbstractTableModel(parent), m_titles(std::move(titles)) {}

    [[nodiscard]] virtual int rowsShown() const = 0;
    [[nodiscard]] virtual Cell cellAt(int row, int column) const = 0;
    [[nodiscard]] virtual QVariant sortKeyAt(int row, int column) const; // invalid: by its text
    [[nodiscard]] virtual QString hintAt(int row, int column) const;     // empty: none

private:
    std::vector<Title> m_titles;
};

} // namespace lockstep::ui
