// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/nodes/batchcard.h"

#include "ui/widgets/button.h"

#include <QBoxLayout>
#include <QScrollArea>

namespace lockstep::ui {

namespace {

constexpr int kListHeight = 120;

} // namespace

BatchCard::BatchCard(Theme& theme, const QList<const NodeState*>& unknown, QWidget* parent) : QFrame(parent)
{
    setProperty("ground", QStringLiteral("card"));
    auto* column = makeColumn(this);
    column->setContentsMargins(theme.px(16), theme.px(9), theme.px(16), theme.px(9));
    column->setSpacing(theme.px(6));
    column->addWidget(makeLabel(theme, FontRole::PanelTitle, Tone::Text,
                                QStringLiteral("The host keys of %1 nodes are not known yet").arg(unknown.size())));
    QString lines;
    for (const NodeState* state : unknown) {
        const HostKey key = state->hostKey.value_or(HostKey{});
        m_keys.append({state->node.name, key.fingerprint});
        lines += QStringLiteral("%1  %2  %3\n").arg(state->node.name, -16).arg(key.type, -8).arg(key.fingerprint);
    }
    auto* list = makeLabel(theme, FontRole::Mono, Tone::Text, lines.chopped(1));
    list->setTextFormat(Qt::PlainText);
    list->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* scroll = makeScroll(list);
    scroll->setMaximumHeight(theme.px(kListHeight));
    column->addWidget(scroll);
    auto* foot = makeRow(nullptr);
    foot->addWidget(makeLabel(theme, FontRole::Cell, Tone::Text2,
                              QStringLiteral("Accept them only when you have compared them with the machines' own.")),
                    1);
    m_button = new Button(theme, QStringLiteral("Accept these %1 keys").arg(unknown.size()), ButtonKind::Outlined, {},
                          ButtonSize::Small, this);
    foot->addWidget(m_button);
    column->addLayout(foot);
    connect(m_button, &QPushButton::clicked, this, [this] {
        m_button->setEnabled(false);
        const auto keys = m_keys; // the first answer may take this card away
        for (const auto& [node, fingerprint] : keys)
            emit acceptRequested(node, fingerprint);
    });
}

} // namespace lockstep::ui
