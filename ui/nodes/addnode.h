// SPDX-License-Identifier: GPL-3.0-or-later
// A line that takes anything ssh takes, or a range; says at once what cannot be meant. Asks by addRequested, and keeps
// the words until they are answered.
#pragma once

#include "core/error.h"
#include "ui/theme.h"

#include <QWidget>

class QLabel;

namespace lockstep::ui {

class Button;
class Field;
enum class Tone;

class AddNode : public QWidget {
    Q_OBJECT

public:
    explicit AddNode(Theme& theme, QWidget* parent = nullptr);
    void takeFocus();
    // To addRequested; false: these words were not asked here.
    bool setAnswer(const QString& text, const Result<void>& added);
    [[nodiscard]] Field& field() { return *m_field; }

signals:
    void addRequested(const QString& text);

private:
    void check();
    void submit();
    void say(Tone tone, const QString& words);

    Field* m_field;
    Button* m_add;
    QLabel* m_says;  // what will be added, or why it cannot
    QString m_asked; // not answered yet; empty: nothing is
};

} // namespace lockstep::ui
