// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/questionbar.h"

#include "ui/widgets/button.h"
#include "ui/widgets/field.h"
#include "ui/widgets/panel.h"

#include <QApplication>
#include <QBoxLayout>

namespace lockstep::ui {

namespace {

constexpr int kFieldWidth = 260;

QString sendWord(SignInQuestion::Kind kind)
{
    return kind == SignInQuestion::Kind::Passphrase ? QStringLiteral("Unlock") : QStringLiteral("Sign in");
}

} // namespace

QuestionBar::QuestionBar(Theme& theme, QWidget* parent) : QFrame(parent), m_theme(theme)
{
    setProperty("ground", QStringLiteral("warn"));
    auto* row = makeRow(this);
    row->setContentsMargins(theme.px(16), theme.px(10), theme.px(16), theme.px(10));
    m_icon = new QLabel;
    const auto tint = [this] {
        m_icon->setPixmap(m_theme.pixmap(Icon::Key, m_theme.tokens().warn, 16, devicePixelRatioF()));
    };
    tint();
    connect(&theme, &Theme::changed, m_icon, tint);
    m_title = makeLabel(theme, FontRole::CellStrong, Tone::Text);
    m_title->setTextFormat(Qt::PlainText); // a server's words may be in it
    m_title->setWordWrap(true);
    m_detail = makeLabel(theme, FontRole::Cell, Tone::Text2);
    auto* words = makeColumn(nullptr);
    words->setSpacing(theme.px(2));
    words->addWidget(m_title);
    words->addWidget(m_detail);
    m_field = new Field(theme, {});
    m_field->setFixedWidth(theme.px(kFieldWidth));
    m_send = new Button(theme, {}, ButtonKind::Primary, {}, ButtonSize::Usual);
    m_skip = new Button(theme, QStringLiteral("Skip"), ButtonKind::Flat, {}, ButtonSize::Usual);
    row->addWidget(m_icon, 0, Qt::AlignTop);
    row->addLayout(words, 1);
    row->addWidget(m_field);
    row->addWidget(m_send);
    row->addWidget(m_skip);
    connect(m_field, &QLineEdit::returnPressed, this, &QuestionBar::answer);
    connect(m_send, &QPushButton::clicked, this, &QuestionBar::answer);
    connect(m_skip, &QPushButton::clicked, this, [this] { emit answered(m_shown, nullptr); });
    hide();
}

void QuestionBar::add(const SignInQuestion& question)
{
    m_questions.append(question);
    showFirst();
}

void QuestionBar::remove(int id)
{
    m_questions.removeIf([id](const SignInQuestion& question) { return question.id == id; });
    showFirst();
}

void QuestionBar::showFirst()
{
    setVisible(!m_questions.isEmpty());
    if (m_questions.isEmpty()) {
        m_shown = 0;
        m_field->clear();
        return;
    }
    const SignInQuestion& first = m_questions.first();
    m_detail->setText(m_questions.size() == 1 ? QStringLiteral("It is not kept. Other nodes go on meanwhile.")
                                              : QStringLiteral("It is not kept. Other nodes go on meanwhile; %1 more "
                                                               "to answer.")
                                                    .arg(m_questions.size() - 1));
    if (std::exchange(m_shown, first.id) == first.id)
        return; // somebody may be typing
    m_title->setText(first.text());
    m_field->setAccessibleName(first.text());
    m_send->setText(sendWord(first.kind));
    m_field->clear();
    m_field->setEchoMode(first.echo == SignInQuestion::Echo::Hidden ? QLineEdit::Password : QLineEdit::Normal);
    if (!qobject_cast<QLineEdit*>(QApplication::focusWidget())) // what is typed elsewhere must not land here
        m_field->setFocus(Qt::OtherFocusReason);
}

void QuestionBar::answer()
{
    if (m_shown == 0 || m_field->text().isEmpty())
        return;
    QString typed = m_field->text();
    m_field->clear();
    const auto secret = std::make_shared<Secret>(typed.toUtf8());
    typed.fill(u'\0');
    emit answered(m_shown, secret);
}

QString QuestionBar::text() const
{
    return m_title->text();
}

} // namespace lockstep::ui
