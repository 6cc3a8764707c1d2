// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/nodes/addnode.h"

#include "core/inventory.h"
#include "ui/widgets/button.h"
#include "ui/widgets/elidedlabel.h"
#include "ui/widgets/field.h"
#include "ui/widgets/panel.h"

#include <QBoxLayout>

namespace lockstep::ui {

AddNode::AddNode(Theme& theme, QWidget* parent) : QWidget(parent)
{
    auto* column = makeColumn(this);
    auto* row = makeRow(nullptr);
    m_field = new Field(theme, QStringLiteral("alice@gpu1"));
    m_field->setMinimumWidth(theme.px(160));
    m_field->setMaximumWidth(theme.px(320));
    m_add = new Button(theme, QStringLiteral("Add"));
    row->addWidget(m_field, 1);
    row->addWidget(m_add);
    row->addStretch(0);
    column->addLayout(row);
    m_says = new ElidedLabel(theme, FontRole::Caption, Tone::Text2);
    m_says->hide();
    column->addWidget(m_says);
    connect(m_field, &QLineEdit::textChanged, this, &AddNode::check);
    connect(m_field, &QLineEdit::returnPressed, this, &AddNode::submit);
    connect(m_add, &QPushButton::clicked, this, &AddNode::submit);
}

void AddNode::takeFocus()
{
    m_field->setFocus(Qt::ShortcutFocusReason);
}

void AddNode::check()
{
    const QString text = m_field->text().trimmed();
    if (text.isEmpty()) {
        m_says->hide();
        m_field->setWrong({});
        return;
    }
    const auto nodes = nodesFromText(text);
    m_field->setWrong(nodes ? QString() : nodes.error().text);
    if (!nodes)
        say(Tone::Bad, nodes.error().text);
    else if (nodes->size() == 1)
        say(Tone::Text2, QStringLiteral("adds %1 at %2").arg(nodes->first().name, nodes->first().address.text()));
    else
        say(Tone::Text2,
            QStringLiteral("adds %1 nodes, %2 to %3").arg(nodes->size()).arg(nodes->first().name, nodes->last().name));
}

void AddNode::say(Tone tone, const QString& words)
{
    setTone(*m_says, tone);
    m_says->setText(words);
    m_says->show();
}

void AddNode::submit()
{
    const QString text = m_field->text().trimmed();
    if (text.isEmpty() || !nodesFromText(text)) {
        check();
        m_field->setFocus();
        return;
    }
    m_asked = text;
    m_field->setDisabled(true);
    m_add->setDisabled(true);
    say(Tone::Text2, QStringLiteral("adding %1 …").arg(text));
    emit addRequested(text);
}

bool AddNode::setAnswer(const QString& text, const Result<void>& added)
{
    if (m_asked.isEmpty() || m_asked != text)
        return false;
    m_asked.clear();
    m_field->setDisabled(false);
    m_add->setDisabled(false);
    if (added) {
        m_field->clear();
    } else {
        m_field->setWrong(added.error().text);
        say(Tone::Bad, added.error().text);
    }
    if (isVisible())
        takeFocus();
    return true;
}

} // namespace lockstep::ui
