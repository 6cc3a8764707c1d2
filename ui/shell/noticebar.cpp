// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/noticebar.h"

#include "ui/widgets/button.h"
#include "ui/widgets/panel.h"

#include <QBoxLayout>

namespace lockstep::ui {

NoticeBar::NoticeBar(Theme& theme, QWidget* parent) : QFrame(parent), m_theme(theme)
{
    setProperty("ground", QStringLiteral("bad"));
    auto* row = makeRow(this);
    row->setContentsMargins(theme.px(16), theme.px(10), theme.px(16), theme.px(10));
    m_icon = new QLabel;
    const auto tint = [this] {
        m_icon->setPixmap(m_theme.pixmap(Icon::Bad, m_theme.tokens().bad, 16, devicePixelRatioF()));
    };
    tint();
    connect(&theme, &Theme::changed, m_icon, tint);
    m_title = makeLabel(theme, FontRole::CellStrong, Tone::Text);
    m_detail = makeLabel(theme, FontRole::Cell, Tone::Text2);
    m_detail->setWordWrap(true);
    auto* words = makeColumn(nullptr);
    words->setSpacing(theme.px(2));
    words->addWidget(m_title);
    words->addWidget(m_detail);
    auto* close = new Button(theme, QStringLiteral("Close"), ButtonKind::Flat, {}, ButtonSize::Small);
    m_action = new Button(theme, {}, ButtonKind::Outlined, {}, ButtonSize::Small);
    row->addWidget(m_icon, 0, Qt::AlignTop);
    row->addLayout(words, 1);
    row->addWidget(m_action, 0, Qt::AlignTop);
    row->addWidget(close, 0, Qt::AlignTop);
    connect(close, &QPushButton::clicked, this, &QWidget::hide);
    connect(m_action, &QPushButton::clicked, this, [this] {
        hide();
        emit accepted();
    });
    hide();
}

void NoticeBar::showError(const QString& what, const Error& error)
{
    m_title->setText(what);
    m_detail->setText(error.text);
    m_action->hide();
    show();
}

void NoticeBar::showOffer(const QString& title, const QString& detail, const QString& action)
{
    m_title->setText(title);
    m_detail->setText(detail);
    m_action->setText(action);
    m_action->show();
    show();
}

void NoticeBar::withdraw(const QString& what)
{
    if (m_title->text() == what)
        hide();
}

QString NoticeBar::text() const
{
    return m_title->text() + QLatin1Char('\n') + m_detail->text();
}

} // namespace lockstep::ui
