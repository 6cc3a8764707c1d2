// SPDX-License-Identifier: GPL-3.0-or-later
// A sentence inside the page, at the panel it speaks of: icon, what happened in 500, then what is known and what to do.
#pragma once

#include "ui/icon.h"
#include "ui/widgets/panel.h"

class QLabel;

namespace lockstep::ui {

struct NoticeText {
    Icon icon = Icon::Warn;
    Ground ground = Ground::Warn;
    QString title;
    QString detail;

    bool operator==(const NoticeText&) const = default;
};

class Notice : public QFrame {
    Q_OBJECT

public:
    explicit Notice(Theme& theme, QWidget* parent = nullptr); // hidden until it has something to say
    void say(const NoticeText& text);
    void beSilent();
    [[nodiscard]] const NoticeText& text() const { return m_text; }

private:
    void tint();

    Theme& m_theme;
    NoticeText m_text;
    QLabel *m_icon, *m_title, *m_detail;
};

} // namespace lockstep::ui
