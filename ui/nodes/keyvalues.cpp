// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/nodes/keyvalues.h"

#include "ui/widgets/elidedlabel.h"

#include <QGridLayout>

namespace lockstep::ui {

KeyValues::KeyValues(Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme), m_grid(new QGridLayout(this))
{
    m_grid->setContentsMargins(theme.px(16), theme.px(8), theme.px(16), theme.px(8));
    m_grid->setHorizontalSpacing(theme.px(16));
    m_grid->setVerticalSpacing(0);
    m_grid->setColumnMinimumWidth(0, theme.textWidth(FontRole::Cell, QStringLiteral("CPU, memory ")) + theme.px(8));
    m_grid->setColumnStretch(1, 1);
}

void KeyValues::setRows(const QList<QPair<QString, QString>>& rows)
{
    if (rows == m_rows)
        return;
    m_rows = rows;
    while (m_captions.size() > rows.size()) {
        delete m_captions.takeLast();
        delete m_values.takeLast();
    }
    while (m_captions.size() < rows.size()) {
        const int row = static_cast<int>(m_captions.size());
        m_captions.append(makeLabel(m_theme, FontRole::Cell, Tone::Text2));
        m_values.append(new ElidedLabel(m_theme, FontRole::Cell, Tone::Text));
        for (QLabel* label : {m_captions.last(), m_values.last()})
            label->setFixedHeight(m_theme.px(22));
        m_grid->addWidget(m_captions.last(), row, 0);
        m_grid->addWidget(m_values.last(), row, 1);
    }
    for (qsizetype i = 0; i < rows.size(); ++i) {
        m_captions[i]->setText(rows[i].first);
        m_values[i]->setText(rows[i].second);
    }
}

} // namespace lockstep::ui
