// SPDX-License-Identifier: GPL-3.0-or-later
// What the page below cannot say by itself: something asked for did not work, or something was found that a person may
// want done. One sentence, what to do, Close.
#pragma once

#include "core/error.h"
#include "ui/theme.h"

#include <QFrame>

class QLabel;

namespace lockstep::ui {

class Button;

class NoticeBar : public QFrame {
    Q_OBJECT

public:
    explicit NoticeBar(Theme& theme, QWidget* parent = nullptr);
    void showError(const QString& what, const Error& error); // "gpu2 could not be added"
    void showOffer(const QString& title, const QString& detail, const QString& action);
    void withdraw(const QString& what); // hides it when it says just that
    [[nodiscard]] QString text() const;
    [[nodiscard]] Button& action() { return *m_action; }

signals:
    void accepted(); // the offer; it is closed then

private:
    Theme& m_theme;
    QLabel *m_icon, *m_title, *m_detail;
    Button* m_action;
};

} // namespace lockstep::ui
