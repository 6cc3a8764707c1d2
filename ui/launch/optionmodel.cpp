// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/launch/optionmodel.h"

namespace lockstep::ui {

void OptionModel::setSpec(const RunSpec& spec)
{
    if (spec.trainer == m_spec.trainer)
        return;
    m_spec = spec;
    emit dataChanged(index(0, Value), index(rowCount() - 1, Value));
}

int OptionModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(trainerOptions().size());
}

int OptionModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant OptionModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    static const QStringList kHeads{QStringLiteral("part"), QStringLiteral("option"), QStringLiteral("value"),
                                    QStringLiteral("what it does")};
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    return kHeads.value(section);
}

QVariant OptionModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const OptionInfo& option = trainerOptions().at(index.row());
    const QByteArray said = m_spec.option(option.name);
    if (index.column() == Value && role == Qt::EditRole)
        return QString::fromUtf8(said);
    if (role == Qt::ToolTipRole) {
        const Result<void> right = said.isEmpty() ? Result<void>() : checkTrainerOption(option.name, said);
        return right ? option.meaning : right.error().text;
    }
    if (role != Qt::DisplayRole && role != kCellRole)
        return {};
    Cell cell;
    switch (static_cast<Column>(index.column())) {
    case Part:
        cell.text = option.part;
        cell.tone = Tone::Text2;
        break;
    case Option:
        cell.text = option.name;
        break;
    case Value:
        cell.text = said.isEmpty() ? usualValue(m_spec, option.name) : QString::fromUtf8(said);
        cell.tone = said.isEmpty() ? Tone::Text3 : checkTrainerOption(option.name, said) ? Tone::Text : Tone::Bad;
        break;
    case Meaning:
        cell.text = option.choices.size() > 2
                        ? QStringLiteral("%1 — %2").arg(option.choices.join(QStringLiteral(" · ")), option.meaning)
                        : option.meaning;
        cell.tone = Tone::Text2;
        break;
    case ColumnCount:
        break;
    }
    return role == Qt::DisplayRole ? QVariant(cell.text) : QVariant::fromValue(cell);
}

Qt::ItemFlags OptionModel::flags(const QModelIndex& index) const
{
    const Qt::ItemFlags usual = QAbstractTableModel::flags(index);
    return index.column() == Value ? usual | Qt::ItemIsEditable : usual;
}

bool OptionModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (role != Qt::EditRole || index.column() != Value)
        return false;
    emit edited(trainerOptions().at(index.row()).name, value.toString().trimmed());
    return true;
}

} // namespace lockstep::ui
