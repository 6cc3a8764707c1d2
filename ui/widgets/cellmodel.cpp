// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/cellmodel.h"

#include "ui/widgets/plaintooltip.h"

namespace lockstep::ui {

namespace {

QString words(const Cell& cell)
{
    return cell.tags.isEmpty() ? cell.text + cell.suffix : cell.tags.join(QLatin1Char(' '));
}

QVariant textOrNothing(const QString& text)
{
    return text.isEmpty() ? QVariant() : QVariant(text);
}

} // namespace

int CellModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : rowsShown();
}

int CellModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_titles.size());
}

QVariant CellModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= rowsShown())
        return {};
    switch (role) {
    case Qt::DisplayRole:
        return words(cellAt(index.row(), index.column()));
    case kCellRole:
        return QVariant::fromValue(cellAt(index.row(), index.column()));
    case kSortRole:
        return sortKeyAt(index.row(), index.column());
    case Qt::ToolTipRole:
        return textOrNothing(plainToolTip(hintAt(index.row(), index.column())));
    case Qt::TextAlignmentRole:
        return headerData(index.column(), Qt::Horizontal, role);
    default:
        return {};
    }
}

QVariant CellModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount())
        return {};
    const Title& title = m_titles[static_cast<std::size_t>(section)];
    if (role == Qt::DisplayRole)
        return QString::fromUtf8(title.text);
    return role == Qt::TextAlignmentRole ? QVariant(static_cast<int>(title.side | Qt::AlignVCenter)) : QVariant();
}

QVariant CellModel::sortKeyAt(int, int) const
{
    return {};
}

QString CellModel::hintAt(int, int) const
{
    return {};
}

} // namespace lockstep::ui
