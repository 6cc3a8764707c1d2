// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/segments.h"

#include "ui/theme.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>

namespace lockstep::ui {

namespace {

constexpr int kHeight = 24, kPadding = 7, kRadius = 4;

} // namespace

Segments::Segments(Theme& theme, QStringList choices, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_choices(std::move(choices))
{
    setFont(theme.font(FontRole::Cell));
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void Segments::setCurrent(int choice)
{
    m_current = choice;
    update();
}

QSize Segments::sizeHint() const
{
    return {place(static_cast<int>(m_choices.size()) - 1).right() + 1, m_theme.px(kHeight)};
}

QRect Segments::place(int choice) const
{
    int x = 0;
    const QFontMetrics metrics(m_theme.font(FontRole::CellStrong)); // a choice keeps its width when it is on
    for (int i = 0;; ++i) {
        const int wide = metrics.horizontalAdvance(m_choices[i]) + 2 * m_theme.px(kPadding);
        if (i == choice)
            return {x, 0, wide, m_theme.px(kHeight)};
        x += wide;
    }
}

void Segments::paintEvent(QPaintEvent*)
{
    const Tokens& tokens = m_theme.tokens();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QPainterPath outline;
    outline.addRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), kRadius, kRadius);
    painter.fillPath(outline, tokens.button);
    for (int i = 0; i < m_choices.size(); ++i) {
        const QRect cell = place(i);
        if (i == m_current) {
            painter.save();
            painter.setClipPath(outline);
            painter.fillRect(cell, tokens.sel);
            painter.restore();
        }
        if (i > 0)
            painter.fillRect(cell.left(), 1, 1, height() - 2, tokens.border);
        painter.setFont(m_theme.font(i == m_current ? FontRole::CellStrong : FontRole::Cell));
        painter.setPen(i == m_current ? tokens.text : tokens.text2);
        painter.drawText(cell, Qt::AlignCenter, m_choices[i]);
    }
    painter.setPen(hasFocus() ? QPen(tokens.accent, 2) : QPen(tokens.control, 1));
    painter.drawPath(outline);
}

void Segments::choose(int choice)
{
    if (choice == m_current || choice < 0 || choice >= m_choices.size())
        return;
    setCurrent(choice);
    emit chosen(choice);
}

void Segments::mousePressEvent(QMouseEvent* event)
{
    for (int i = 0; i < m_choices.size(); ++i)
        if (place(i).contains(event->position().toPoint()))
            choose(i);
}

void Segments::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Left)
        choose(m_current - 1);
    else if (event->key() == Qt::Key_Right)
        choose(m_current + 1);
    else
        QWidget::keyPressEvent(event);
}

} // namespace lockstep::ui
