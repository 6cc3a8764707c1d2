// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/nodes/editnode.h"

#include "core/inventoryedit.h"
#include "core/inventoryfile.h"
#include "core/nodeform.h"
#include "ui/widgets/button.h"
#include "ui/widgets/elidedlabel.h"
#include "ui/widgets/field.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/plaintooltip.h"

#include <QBoxLayout>
#include <QPlainTextEdit>
#include <QStyle>

#include <algorithm>

namespace lockstep::ui {

namespace {

struct Shown {
    const char *key, *hint;
    int width; // at most; in a narrow window three fifths of it
};
constexpr Shown kFields[] = {
    {"address", "alice@gpu1:2222", 200}, {"tags", "h100, rack3", 120},   {"slots", "all", 56}, {"devices", "all", 72},
    {"interface", "measured", 88},       {"key", "as ssh chooses", 144}, {"jump", "none", 128}};
constexpr int kVariablesWide = 392, kVariablesHigh = 66; // three lines of it

// "of group h100: user alice, slots 8; of group all: key ~/.ssh/id_lab"
QString givenText(const QList<GivenValue>& values)
{
    QStringList groups;
    QString last;
    for (const GivenValue& value : values) {
        const QString said = value.key.startsWith(QLatin1String("env."))
                                 ? QStringLiteral("%1=%2").arg(value.key.mid(4), value.value)
                                 : QStringLiteral("%1 %2").arg(value.key, value.value);
        if (value.group == last)
            groups.last() += QStringLiteral(", ") + said;
        else
            groups.append(QStringLiteral("of group %1: %2").arg(value.group, said));
        last = value.group;
    }
    return groups.join(QStringLiteral("; "));
}

} // namespace

EditNode::EditNode(Theme& theme, QWidget* parent) : QWidget(parent)
{
    auto* column = makeColumn(this);
    column->setSpacing(theme.px(8));
    column->addWidget(makeFields(theme));
    column->addWidget(makeVariables(theme));
    m_says = new ElidedLabel(theme, FontRole::Caption, Tone::Bad);
    m_says->setObjectName(QStringLiteral("editSays"));
    m_says->hide();
    column->addWidget(m_says);
}

QWidget* EditNode::makeFields(Theme& theme)
{
    auto* box = new QWidget;
    auto* row = makeRow(box);
    m_name = makeLabel(theme, FontRole::CardTitle, Tone::Text);
    row->addWidget(m_name);
    for (const Shown& shown : kFields) {
        auto* field = new Field(theme, QString::fromLatin1(shown.hint));
        field->setMinimumWidth(theme.px(shown.width * 3 / 5));
        field->setMaximumWidth(theme.px(shown.width));
        field->setAccessibleName(QString::fromLatin1(shown.key));
        field->setObjectName(QStringLiteral("edit-") + QLatin1String(shown.key));
        auto* cell = makeColumn(nullptr);
        cell->addWidget(makeLabel(theme, FontRole::Caption, Tone::Text2, QString::fromLatin1(shown.key)));
        cell->addWidget(field);
        row->addLayout(cell, shown.width);
        m_fields.append({QString::fromLatin1(shown.key), field});
        connect(field, &QLineEdit::textChanged, this, &EditNode::typed);
        connect(field, &QLineEdit::returnPressed, this, &EditNode::submit);
    }
    m_save = new Button(theme, QStringLiteral("Save"), ButtonKind::Primary);
    m_save->setObjectName(QStringLiteral("saveNode"));
    row->addWidget(m_save, 0, Qt::AlignBottom);
    row->addStretch(1);
    connect(m_save, &QPushButton::clicked, this, &EditNode::submit);
    return box;
}

QWidget* EditNode::makeVariables(Theme& theme)
{
    auto* box = new QWidget;
    auto* row = makeRow(box);
    row->setSpacing(theme.px(16));
    auto* cell = makeColumn(nullptr);
    cell->addWidget(
        makeLabel(theme, FontRole::Caption, Tone::Text2, QStringLiteral("env of its ranks, a line NAME=value each")));
    m_variables = new QPlainTextEdit;
    m_variables->setObjectName(QStringLiteral("edit-env"));
    m_variables->setAccessibleName(QStringLiteral("env"));
    m_variables->setProperty("look", QStringLiteral("field"));
    m_variables->setFont(theme.font(FontRole::Mono));
    m_variables->setPlaceholderText(QStringLiteral("NCCL_IB_HCA=mlx5_0"));
    m_variables->setTabChangesFocus(true);
    m_variables->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_variables->setFixedHeight(theme.px(kVariablesHigh));
    m_variables->setMinimumWidth(theme.px(kVariablesWide / 2));
    m_variables->setMaximumWidth(theme.px(kVariablesWide));
    cell->addWidget(m_variables);
    row->addLayout(cell, 1);
    auto* given = makeColumn(nullptr);
    given->addWidget(makeLabel(theme, FontRole::Caption, Tone::Text2,
                               QStringLiteral("from its groups, where it says nothing itself")));
    m_given = makeLabel(theme, FontRole::Cell, Tone::Text2);
    m_given->setObjectName(QStringLiteral("editGiven"));
    m_given->setWordWrap(true);
    m_given->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    given->addWidget(m_given, 1);
    row->addLayout(given, 1);
    connect(m_variables, &QPlainTextEdit::textChanged, this, &EditNode::typed);
    return box;
}

Field& EditNode::field(const QString& key)
{
    return *std::ranges::find(m_fields, key, &std::pair<QString, Field*>::first)->second;
}

void EditNode::typed()
{
    if (m_filling)
        return;
    m_typed = true;
    read();
}

void EditNode::setNode(const Node& node, const QList<NodeGroup>& groups)
{
    m_typed = false;
    setSaving(false);
    fill(node, groups, Keep::Nothing);
}

void EditNode::setNow(const Node& node, const QList<NodeGroup>& groups)
{
    if (!m_typed && !m_saving)
        fill(node, groups, Keep::Nothing);
}

bool EditNode::setAnswer(const Node& now, const QList<NodeGroup>& groups, const Result<void>& saved)
{
    if (!m_saving)
        return false;
    setSaving(false);
    m_typed = !saved;
    fill(now, groups, saved ? Keep::Nothing : Keep::Typed);
    if (!saved)
        say(saved.error().text);
    return true;
}

void EditNode::takeFocus()
{
    m_fields.first().second->setFocus(Qt::ShortcutFocusReason);
}

void EditNode::fill(const Node& node, const QList<NodeGroup>& groups, Keep keep)
{
    m_filling = true;
    const Node before = m_own;
    m_shown = node;
    m_groups = groups;
    m_own = ownPart(node, groups);
    m_name->setText(node.name);
    for (const auto& [key, field] : m_fields)
        if (keep == Keep::Nothing || field->text() == valueText(before, key))
            field->setText(valueText(m_own, key));
    const auto lines = variableLines(m_own);
    const bool kept = keep == Keep::Typed && m_variables->toPlainText() != m_variablesShown;
    m_variablesShown = lines ? *lines : lines.error().text;
    m_variables->setReadOnly(!lines);
    if (!kept)
        m_variables->setPlainText(m_variablesShown);
    showGiven();
    m_filling = false;
    read();
}

// In the empty field itself, and all together as words.
void EditNode::showGiven()
{
    const QList<GivenValue> values = givenValues(m_shown, m_groups);
    for (std::size_t i = 0; i < std::size(kFields); ++i) {
        const auto& [key, field] = m_fields[static_cast<qsizetype>(i)];
        const auto given = std::ranges::find(values, key, &GivenValue::key);
        field->setPlaceholderText(given == values.end() ? QString::fromLatin1(kFields[i].hint) : given->value);
    }
    m_given->setText(values.isEmpty() ? QStringLiteral("nothing") : givenText(values));
}

void EditNode::readVariables(Node& own, QString& wrong)
{
    QString reason;
    if (m_variables->toPlainText() != m_variablesShown)
        if (const auto set = setVariableLines(own, m_variables->toPlainText()); !set)
            reason = set.error().text;
    m_variables->setToolTip(plainToolTip(reason));
    m_variables->setProperty("wrong", reason.isEmpty() ? QString() : QStringLiteral("yes"));
    m_variables->style()->unpolish(m_variables);
    m_variables->style()->polish(m_variables);
    if (wrong.isEmpty())
        wrong = reason;
}

bool EditNode::read()
{
    Node own = m_own;
    QString wrong;
    for (const auto& [key, field] : m_fields) {
        QString reason;
        if (field->text().trimmed() != valueText(m_own, key))
            if (const auto set = setNodeValue(own, key + u'=' + field->text()); !set)
                reason = set.error().text;
        field->setWrong(reason);
        if (wrong.isEmpty())
            wrong = reason;
    }
    readVariables(own, wrong);
    m_edited = own;
    say(wrong);
    m_save->setEnabled(wrong.isEmpty() && isEdited() && !m_saving);
    return wrong.isEmpty();
}

bool EditNode::isEdited() const
{
    return ownPart(m_edited, m_groups) != m_own; // what a group says too is no change
}

void EditNode::say(const QString& wrong)
{
    m_says->setText(wrong);
    m_says->setVisible(!wrong.isEmpty());
}

void EditNode::submit()
{
    if (m_saving || !read() || !isEdited())
        return;
    setSaving(true);
    emit editRequested(m_own, m_edited);
}

void EditNode::setSaving(bool saving)
{
    m_saving = saving;
    m_save->setText(saving ? QStringLiteral("Saving …") : QStringLiteral("Save"));
    m_save->setDisabled(saving);
    m_variables->setDisabled(saving);
    for (const auto& [key, field] : m_fields)
        field->setDisabled(saving);
}

} // namespace lockstep::ui
