// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/launch/optionmodel.h"

namespace lockstep::ui {

OptionModel::OptionModel(QObject* parent) : CellModel({{"part"}, {"option"}, {"value"}, {"what it does"}}, parent) {}

void OptionModel::setSpec(const RunSpec& spec)
{
    if (spec.trainer == m_spec.trainer)
        return;
    m_spec = spec;
    emit dataChanged(index(0, Value), index(rowCount() - 1, Value));
}

int OptionModel::rowsShown() const
{
    return static_cast<int>(trainerOptions().size());
}

QVariant OptionModel::data(const QModelIndex& index, int role) const
{
    if (role == Qt::EditRole && index.isValid() && index.column() == Value)
        return QString::fromUtf8(m_spec.option(trainerOptions().at(index.row()).name));
    return CellModel::data(index, role);
}

QString OptionModel::hintAt(int row, int) const
{
    const OptionInfo& option = trainerOptions().at(row);
    const QByteArray said = m_spec.option(option.name);
    const Result<void> right = said.isEmpty() ? Result<void>() : checkTrainerOption(option.name, said);
    return right ? option.meaning : right.error().text;
}

Cell OptionModel::cellAt(int row, int column) const
{
    const OptionInfo& option = trainerOptions().at(row);
    const QByteArray said = m_spec.option(option.name);
    Cell cell;
    switch (static_cast<Column>(column)) {
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
    return cell;
}

Qt::ItemFlags OptionModel::flags(const QModelIndex& index) const
{
    const Qt::ItemFlags usual = CellModel::flags(index);
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
