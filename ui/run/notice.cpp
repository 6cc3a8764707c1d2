// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/notice.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

namespace lockstep::ui {

Notice::Notice(Theme& theme, QWidget* parent)
    : QFrame(parent), m_theme(theme), m_icon(new QLabel(this)),
      m_title(makeLabel(theme, FontRole::CellStrong, Tone::Text)),
      m_detail(makeLabel(theme, FontRole::Cell, Tone::Text2))
{
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(theme.px(16), theme.px(10), theme.px(16), theme.px(10));
    row->setSpacing(theme.px(8));
    row->addWidget(m_icon, 0, Qt::AlignTop);
    auto* words = new QVBoxLayout;
    words->setSpacing(0);
    m_title->setWordWrap(true);
    m_detail->setWordWrap(true);
    words->addWidget(m_title);
    words->addWidget(m_detail);
    row->addLayout(words, 1);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    connect(&theme, &Theme::changed, this, &Notice::tint);
    hide();
}

void Notice::say(const NoticeText& text)
{
    if (text == m_text && !isHidden())
        return;
    m_text = text;
    setGround(*this, text.ground);
    m_title->setText(text.title);
    m_detail->setText(text.detail);
    m_detail->setVisible(!text.detail.isEmpty());
    tint();
    show();
}

void Notice::beSilent()
{
    m_text = {};
    hide();
}

void Notice::tint()
{
    const Tokens& tokens = m_theme.tokens();
    m_icon->setPixmap(
        m_theme.pixmap(m_text.icon, m_text.ground == Ground::Bad ? tokens.bad : tokens.warn, 16, devicePixelRatioF()));
}

} // namespace lockstep::ui
