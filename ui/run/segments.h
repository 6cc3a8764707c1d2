// SPDX-License-Identifier: GPL-3.0-or-later
// A few choices side by side, one of them on: Step | Epoch | Samples | Time | Wall. Arrow keys move it.
#pragma once

#include <QStringList>
#include <QWidget>

namespace lockstep::ui {

class Theme;

class Segments : public QWidget {
    Q_OBJECT

public:
    Segments(Theme& theme, QStringList choices, QWidget* parent = nullptr);
    [[nodiscard]] int current() const { return m_current; }
    void setCurrent(int choice);
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return sizeHint(); }

signals:
    void chosen(int choice); // by the user

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    [[nodiscard]] QRect place(int choice) const;
    void choose(int choice);

    Theme& m_theme;
    QStringList m_choices;
    int m_current = 0;
};

} // namespace lockstep::ui
