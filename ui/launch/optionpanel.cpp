// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/launch/optionpanel.h"

#include "ui/launch/optionmodel.h"
#include "ui/widgets/datatable.h"
#include "ui/widgets/field.h"
#include "ui/widgets/panel.h"

#include <QBoxLayout>
#include <QComboBox>

namespace lockstep::ui {

namespace {

constexpr int kHigh = 260;
constexpr int kRowHigh = 26;
constexpr int kHeaderHigh = 36;

// A drop-down for an option with choices; its first entry, empty, leaves the choice to the trainer.
class ValueDelegate : public CellDelegate {
public:
    ValueDelegate(Theme& theme, DataTable& table) : CellDelegate(theme, &table), m_table(table) {}

    QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option, const QModelIndex& shown) const override
    {
        const QStringList choices = trainerOptions().at(m_table.sourceIndex(shown).row()).choices;
        if (choices.isEmpty())
            return CellDelegate::createEditor(parent, option, shown);
        auto* combo = new QComboBox(parent);
        combo->addItem(QString());
        combo->addItems(choices);
        return combo;
    }

    void setEditorData(QWidget* editor, const QModelIndex& shown) const override
    {
        if (auto* combo = qobject_cast<QComboBox*>(editor))
            combo->setCurrentText(shown.data(Qt::EditRole).toString());
        else
            CellDelegate::setEditorData(editor, shown);
    }

    void setModelData(QWidget* editor, QAbstractItemModel* model, const QModelIndex& shown) const override
    {
        if (const auto* combo = qobject_cast<const QComboBox*>(editor))
            model->setData(shown, combo->currentText(), Qt::EditRole);
        else
            CellDelegate::setModelData(editor, model, shown);
    }

private:
    DataTable& m_table;
};

} // namespace

OptionPanel::OptionPanel(Theme& theme, QWidget* parent) : QWidget(parent), m_model(new OptionModel(this))
{
    auto* column = makeColumn(this);
    auto* header = new PanelHeader(theme, QStringLiteral("all options of the trainer"), kHeaderHigh);
    header->setCaption(QStringLiteral("grey: the trainer's own choice; a double click or F2 sets another"));
    auto* find = new Field(theme, QStringLiteral("Find an option"), Icon::Search);
    find->setObjectName(QStringLiteral("findOption"));
    find->setCharacters(20);
    header->row().addStretch(1);
    header->row().addWidget(find);
    column->addWidget(header);
    auto* table = new DataTable(theme, *m_model,
                                {{QStringLiteral("Checkpoints and files")},
                                 {QStringLiteral("activation_checkpointing")},
                                 {QStringLiteral("/usr/share/datasets/fashion-mnist")},
                                 {QStringLiteral("what it does"), 0, 1}},
                                kRowHigh);
    table->setObjectName(QStringLiteral("options"));
    table->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed);
    table->setItemDelegateForColumn(OptionModel::Value, new ValueDelegate(theme, *table));
    column->addWidget(table, 1);
    setFixedHeight(theme.px(kHigh));
    connect(find, &QLineEdit::textChanged, table, &DataTable::setFilter);
    connect(m_model, &OptionModel::edited, this, &OptionPanel::edited);
}

void OptionPanel::setSpec(const RunSpec& spec)
{
    m_model->setSpec(spec);
}

} // namespace lockstep::ui
