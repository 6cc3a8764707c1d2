// SPDX-License-Identifier: GPL-3.0-or-later
// What the page below cannot say by itself: something asked for did not work. One sentence, what to do, Close.
#pragma once

#include "core/error.h"
#include "ui/theme.h"

#include <QFrame>

class QLabel;

namespace lockstep::ui {

class NoticeBar : public QFrame {
    Q_OBJECT

public:
    explicit NoticeBar(Theme& theme, QWidget* parent = nullptr);
    void showError(const QString& what, const Error& error); // "gpu2 could not be added"
    void withdraw(const QString& what);                      // hides it when it says just that
    [[nodiscard]] QString text() const;

private:
    Theme& m_theme;
    QLabel *m_icon, *m_title, *m_detail;
};

} // namespace lockstep::ui
