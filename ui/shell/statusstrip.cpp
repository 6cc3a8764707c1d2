// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/statusstrip.h"

#include "ui/nodes/nodewords.h"
#include "ui/plots/figures.h"
#include "ui/widgets/elidedlabel.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/statelabel.h"

#include <QBoxLayout>
#include <QTimer>

#include <cmath>

namespace lockstep::ui {

namespace {

constexpr int kMessageMs = 8000;
constexpr int kMostAsks = 4; // the Nodes page has them all

struct Tally {
    int count = 0, ready = 0, remote = 0;
    double clockMs = 0; // widest offset of those measured
    bool measured = false;
};

Tally tally(const QList<NodeState>& nodes)
{
    Tally result;
    for (const NodeState& state : nodes) {
        ++result.count;
        const bool ready = state.phase == NodePhase::Ready;
        result.ready += ready ? 1 : 0;
        result.remote += state.node.local ? 0 : 1;
        if (ready && !state.node.local && state.clockOffsetMs) {
            result.measured = true;
            result.clockMs = std::max(result.clockMs, std::abs(*state.clockOffsetMs));
        }
    }
    return result;
}

} // namespace

StatusStrip::StatusStrip(Theme& theme, QWidget* parent) : QFrame(parent), m_theme(theme)
{
    setProperty("ground", QStringLiteral("rail"));
    setFixedHeight(theme.px(24));
    auto* column = makeColumn(this);
    column->addWidget(makeLine(LineKind::Border, Qt::Horizontal));
    auto* strip = new QWidget;
    auto* row = makeRow(strip);
    row->setContentsMargins(theme.px(16), 0, theme.px(16), 0);
    row->setSpacing(theme.px(16));
    m_connected = new StateLabel(theme);
    m_divider = makeLine(LineKind::Border, Qt::Vertical);
    m_divider->setFixedHeight(theme.px(14));
    m_middle = new ElidedLabel(theme, FontRole::Cell, Tone::Text2);
    m_asks = makeRow(nullptr);
    m_asks->setSpacing(theme.px(16));
    m_key = makeLabel(theme, FontRole::Caption, Tone::Text2);
    m_key->setProperty("look", QStringLiteral("key"));
    m_key->setFixedHeight(theme.px(16));
    m_right = makeLabel(theme, FontRole::Cell, Tone::Text2);
    row->addWidget(m_connected);
    row->addWidget(m_divider);
    row->addLayout(m_asks);
    row->addWidget(m_middle, 1);
    row->addWidget(m_key);
    row->addWidget(m_right);
    column->addWidget(strip, 1);
    m_messageEnd = new QTimer(this);
    m_messageEnd->setSingleShot(true);
    m_messageEnd->setInterval(kMessageMs);
    connect(m_messageEnd, &QTimer::timeout, this, [this] {
        m_message.clear();
        showRight();
    });
    setNodes({});
}

void StatusStrip::setNodes(const QList<NodeState>& nodes)
{
    const Tally known = tally(nodes);
    if (known.remote == 0 && known.count > 0)
        known.ready > 0 ? m_connected->setState(Icon::Ok, Tone::Ok, QStringLiteral("this machine is ready"))
                        : m_connected->setState(Icon::Connect, Tone::Text2, QStringLiteral("looking at this machine"));
    else
        m_connected->setState(known.ready > 0 ? Icon::Ok : Icon::Connect, known.ready > 0 ? Tone::Ok : Tone::Text2,
                              QStringLiteral("%1 of %2 nodes connected").arg(known.ready).arg(known.count));
    QList<std::pair<QString, StateWords>> asks;
    for (const NodeState& state : nodes)
        if (const StateWords ask = askOf(state); !ask.words.isEmpty() && asks.size() < kMostAsks)
            asks.append({state.node.name, ask});
    while (m_askLabels.size() > asks.size())
        delete m_askLabels.takeLast();
    while (m_askLabels.size() < asks.size()) {
        auto* label = new StateLabel(m_theme);
        label->setLink(Qt::PointingHandCursor);
        m_asks->addWidget(label);
        connect(label, &QAbstractButton::clicked, this,
                [this, label] { emit nodeChosen(label->property("node").toString()); });
        m_askLabels.append(label);
    }
    for (qsizetype i = 0; i < asks.size(); ++i) {
        m_askLabels[i]->setState(asks[i].second.icon, asks[i].second.tone, asks[i].second.words);
        m_askLabels[i]->setProperty("node", asks[i].first);
    }
    m_clocks =
        known.measured ? QStringLiteral("clocks within %1 ms").arg(figures::decimal(known.clockMs, 1)) : QString();
    m_divider->setVisible(!asks.isEmpty() || !m_middle->text().isEmpty());
    showRight();
}

void StatusStrip::setMiddle(const QString& text)
{
    m_middle->setText(text);
    m_divider->setVisible(!m_askLabels.isEmpty() || !text.isEmpty());
}

void StatusStrip::setRight(const QString& key, const QString& text)
{
    m_keyText = key;
    m_rightText = text;
    showRight();
}

void StatusStrip::showMessage(const QString& text)
{
    m_message = text;
    m_messageEnd->start();
    showRight();
}

void StatusStrip::showRight()
{
    const bool message = !m_message.isEmpty();
    m_key->setVisible(!message && !m_keyText.isEmpty());
    m_key->setText(m_keyText);
    m_right->setText(message ? m_message : m_rightText.isEmpty() ? m_clocks : m_rightText);
}

} // namespace lockstep::ui
