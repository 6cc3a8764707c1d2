// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/nodes/editnode.h"

#include "core/inventoryedit.h"
#include "ui/widgets/button.h"
#include "ui/widgets/elidedlabel.h"
#include "ui/widgets/field.h"
#include "ui/widgets/panel.h"

#include <QBoxLayout>

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

QString textOf(const Node& node, const QString& key)
{
    if (key == QLatin1String("address"))
        return node.local ? QStringLiteral("local") : node.address.text();
    if (key == QLatin1String("tags"))
        return node.tags.join(QLatin1String(", "));
    if (key == QLatin1String("slots"))
        return node.slots_ > 0 ? QString::number(node.slots_) : QString();
    if (key == QLatin1String("interface"))
        return node.interface;
    if (key == QLatin1String("key"))
        return node.key;
    if (key == QLatin1String("jump"))
        return node.jump.join(QLatin1String(", "));
    QStringList devices;
    for (const int index : node.devices)
        devices.append(QString::number(index));
    return devices.join(QLatin1String(", "));
}

} // namespace

EditNode::EditNode(Theme& theme, QWidget* parent) : QWidget(parent)
{
    auto* column = makeColumn(this);
    column->setSpacing(theme.px(6));
    auto* row = makeRow(nullptr);
    row->setSpacing(theme.px(8));
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
        connect(field, &QLineEdit::textChanged, this, [this] {
            if (!m_filling) {
                m_typed = true;
                read();
            }
        });
        connect(field, &QLineEdit::returnPressed, this, &EditNode::submit);
    }
    m_save = new Button(theme, QStringLiteral("Save"), ButtonKind::Primary);
    m_save->setObjectName(QStringLiteral("saveNode"));
    row->addWidget(m_save, 0, Qt::AlignBottom);
    row->addStretch(1);
    column->addLayout(row);
    m_says = new ElidedLabel(theme, FontRole::Caption, Tone::Bad);
    m_says->hide();
    column->addWidget(m_says);
    connect(m_save, &QPushButton::clicked, this, &EditNode::submit);
}

Field& EditNode::field(const QString& key)
{
    return *std::ranges::find(m_fields, key, &std::pair<QString, Field*>::first)->second;
}

void EditNode::setNode(const Node& node)
{
    m_shown = node;
    m_typed = false;
    fill();
}

void EditNode::setNow(const Node& node)
{
    if (!m_typed)
        setNode(node);
}

void EditNode::takeFocus()
{
    m_fields.first().second->setFocus(Qt::ShortcutFocusReason);
}

void EditNode::fill()
{
    m_filling = true;
    m_name->setText(m_shown.name);
    for (const auto& [key, field] : m_fields)
        field->setText(textOf(m_shown, key));
    m_filling = false;
    read();
}

bool EditNode::read()
{
    m_edited = m_shown;
    QString wrong;
    for (const auto& [key, field] : m_fields) {
        QString reason;
        if (field->text().trimmed() != textOf(m_shown, key))
            if (const auto set = setNodeValue(m_edited, key + u'=' + field->text()); !set)
                reason = set.error().text;
        field->setWrong(reason);
        if (wrong.isEmpty())
            wrong = reason;
    }
    m_says->setText(wrong);
    m_says->setVisible(!wrong.isEmpty());
    m_save->setEnabled(wrong.isEmpty() && m_edited != m_shown);
    return wrong.isEmpty();
}

void EditNode::submit()
{
    if (!read() || m_edited == m_shown)
        return;
    m_typed = false; // what the inventory says next is what was saved, or what was in the way
    emit editRequested(m_shown, m_edited);
}

} // namespace lockstep::ui
