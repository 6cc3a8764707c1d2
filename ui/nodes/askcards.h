// SPDX-License-Identifier: GPL-3.0-or-later
// The strip of cards about nodes that ask for something: unknown host keys, each or all together, and changed ones.
// Hidden where nobody asks. Thread: GUI.
#pragma once

#include "core/nodestate.h"
#include "ui/widgets/panel.h"

class QGridLayout;

namespace lockstep::ui {

class AskCard;
class BatchCard;

class AskCards : public QFrame {
    Q_OBJECT

public:
    explicit AskCards(Theme& theme, QWidget* parent = nullptr);
    void setNodes(const QList<NodeState>& nodes);
    void focus(const QString& node); // the button of its card, if it has one

signals:
    void acceptRequested(const QString& node, const QString& fingerprint);

private:
    Theme& m_theme;
    QGridLayout* m_grid;
    QList<AskCard*> m_cards;
    BatchCard* m_batch = nullptr;
    QString m_shown; // what the cards were made for
};

} // namespace lockstep::ui
