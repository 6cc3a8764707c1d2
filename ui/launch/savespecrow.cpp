// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/launch/savespecrow.h"

#include "ui/widgets/button.h"
#include "ui/widgets/field.h"
#include "ui/widgets/panel.h"

#include <QBoxLayout>

namespace lockstep::ui {

SaveSpecRow::SaveSpecRow(Theme& theme, QWidget* parent) : QWidget(parent)
{
    setFixedHeight(theme.px(40));
    auto* row = makeRow(this);
    row->setContentsMargins(theme.px(16), 0, theme.px(16), 0);
    QLabel* label = makeLabel(theme, FontRole::Cell, Tone::Text2, QStringLiteral("Save as"));
    label->setFixedWidth(theme.px(72));
    m_name = new Field(theme, QStringLiteral("name of the spec"));
    m_name->setObjectName(QStringLiteral("saveName"));
    m_name->setFixedWidth(theme.px(200));
    auto* save = new Button(theme, QStringLiteral("Save"), ButtonKind::Primary);
    auto* cancel = new Button(theme, QStringLiteral("Cancel"), ButtonKind::Flat);
    row->addWidget(label);
    row->addWidget(m_name);
    row->addWidget(save);
    row->addWidget(cancel);
    row->addStretch(1);
    hide();
    connect(save, &QPushButton::clicked, this, &SaveSpecRow::submit);
    connect(m_name, &QLineEdit::returnPressed, this, &SaveSpecRow::submit);
    connect(cancel, &QPushButton::clicked, this, &QWidget::hide);
}

void SaveSpecRow::open(const QString& name)
{
    m_name->setText(name);
    show();
    m_name->setFocus();
    m_name->selectAll();
}

void SaveSpecRow::submit()
{
    const QString name = m_name->text().trimmed();
    const bool fit = !name.isEmpty() && !name.contains(QLatin1Char('/')) && !name.startsWith(QLatin1Char('.'));
    m_name->setWrong(fit ? QString()
                         : QStringLiteral("A name without a slash or a dot in front; it becomes a file's name."));
    if (!fit)
        return;
    hide();
    emit saveRequested(name);
}

} // namespace lockstep::ui
