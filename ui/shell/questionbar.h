// SPDX-License-Identifier: GPL-3.0-or-later
// What a node wants to know before it lets us in, above every page; nothing else waits for it. One question at a time,
// in the order asked.
#pragma once

#include "core/secret.h"
#include "core/signinquestion.h"
#include "ui/theme.h"

#include <QFrame>

#include <memory>

class QLabel;

namespace lockstep::ui {

class Button;
class Field;

class QuestionBar : public QFrame {
    Q_OBJECT

public:
    explicit QuestionBar(Theme& theme, QWidget* parent = nullptr);
    void add(const SignInQuestion& question);
    void remove(int id);
    [[nodiscard]] QString text() const;
    [[nodiscard]] Field& field() { return *m_field; }
    [[nodiscard]] Button& skipButton() { return *m_skip; }

signals:
    void answered(int id, const std::shared_ptr<lockstep::Secret>& secret); // no secret: the person skips it

private:
    void showFirst();
    void answer();

    Theme& m_theme;
    QList<SignInQuestion> m_questions;
    int m_shown = 0; // id
    QLabel *m_icon, *m_title, *m_detail;
    Field* m_field;
    Button *m_send, *m_skip;
};

} // namespace lockstep::ui
