// SPDX-License-Identifier: GPL-3.0-or-later
// The status bar: what is connected, then what needs a person (each a way to its place), right what the page adds.
#pragma once

#include "core/nodestate.h"
#include "ui/theme.h"

#include <QFrame>

class QHBoxLayout;
class QLabel;
class QTimer;

namespace lockstep::ui {

class StateLabel;

class StatusStrip : public QFrame {
    Q_OBJECT

public:
    explicit StatusStrip(Theme& theme, QWidget* parent = nullptr);
    void setNodes(const QList<NodeState>& nodes);
    void setMiddle(const QString& text);                    // after the divider when nothing needs a person
    void setRight(const QString& key, const QString& text); // key: drawn as a caption, may be empty
    void showMessage(const QString& text);                  // said for some seconds in place of what stands right

signals:
    void nodeChosen(const QString& node);

private:
    void showRight();

    Theme& m_theme;
    StateLabel* m_connected;
    QWidget* m_divider;
    QHBoxLayout* m_asks;
    QList<StateLabel*> m_askLabels;
    QLabel *m_middle, *m_key, *m_right;
    QString m_keyText, m_rightText, m_clocks, m_message;
    QTimer* m_messageEnd;
};

} // namespace lockstep::ui
