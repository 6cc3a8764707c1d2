// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/nodes/askcards.h"

#include "ui/nodes/askcard.h"
#include "ui/nodes/batchcard.h"
#include "ui/widgets/button.h"

#include <QGridLayout>

namespace lockstep::ui {

namespace {

constexpr int kMostCards = 4; // the rest is named in the status bar and in the table
constexpr int kBatch = 3;     // as many unknown keys are shown, and accepted, as one

} // namespace

AskCards::AskCards(Theme& theme, QWidget* parent) : QFrame(parent), m_theme(theme)
{
    setGround(*this, Ground::Window);
    m_grid = new QGridLayout(this);
    m_grid->setContentsMargins(theme.px(16), theme.px(16), theme.px(16), theme.px(16));
    m_grid->setSpacing(theme.px(16));
    hide();
}

void AskCards::setNodes(const QList<NodeState>& nodes)
{
    QList<const NodeState*> unknown, changed;
    for (const NodeState& state : nodes) {
        if (state.phase == NodePhase::UnknownHostKey)
            unknown.append(&state);
        else if (state.phase == NodePhase::HostKeyChanged)
            changed.append(&state);
    }
    const bool batch = unknown.size() >= kBatch;
    // An unknown key first: it is the one a person can do something about.
    const QList<const NodeState*> asking = (batch ? changed : unknown + changed).mid(0, kMostCards);
    QString shown;
    for (const NodeState* state : (batch ? unknown : QList<const NodeState*>()) + asking)
        shown +=
            state->node.name + QLatin1Char(' ') + state->hostKey.value_or(HostKey{}).fingerprint + QLatin1Char('\n');
    setVisible(!shown.isEmpty());
    if (shown == m_shown)
        return;
    m_shown = shown;
    qDeleteAll(m_cards);
    m_cards.clear();
    delete m_batch;
    m_batch = nullptr;
    if (batch) {
        m_batch = new BatchCard(m_theme, unknown, this);
        connect(m_batch, &BatchCard::acceptRequested, this, &AskCards::acceptRequested);
        m_grid->addWidget(m_batch, kMostCards, 0, 1, 2);
    }
    for (const NodeState* state : asking) {
        auto* card = new AskCard(m_theme, *state, this);
        connect(card, &AskCard::acceptRequested, this, &AskCards::acceptRequested);
        m_grid->addWidget(card, static_cast<int>(m_cards.size()) / 2, static_cast<int>(m_cards.size()) % 2);
        m_cards.append(card);
    }
}

void AskCards::focus(const QString& node)
{
    for (AskCard* card : std::as_const(m_cards))
        if (card->node() == node)
            card->button().setFocus(Qt::OtherFocusReason);
}

} // namespace lockstep::ui
