// SPDX-License-Identifier: GPL-3.0-or-later
// A line that takes anything ssh takes, or a range; says at once what cannot be meant. Asks by addRequested.
#pragma once

#include "ui/theme.h"

#include <QWidget>

class QLabel;

namespace lockstep::ui {

class Button;
class Field;

class AddNode : public QWidget {
    Q_OBJECT

public:
    explicit AddNode(Theme& theme, QWidget* parent = nullptr);
    void takeFocus();
    [[nodiscard]] Field& field() { return *m_field; }

signals:
    void addRequested(const QString& text);

private:
    void check();
    void submit();

    Field* m_field;
    Button* m_add;
    QLabel* m_says; // what will be added, or why it cannot
};

} // namespace lockstep::ui
