// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/nodes/askcard.h"

#include "ui/widgets/button.h"
#include "ui/widgets/elidedlabel.h"

#include <QBoxLayout>
#include <QClipboard>
#include <QGuiApplication>
#include <QPainter>

namespace lockstep::ui {

namespace {

QHBoxLayout* captioned(const Theme& theme, const QString& caption, const QString& value, Tone tone)
{
    auto* row = makeRow(nullptr);
    QLabel* words = makeLabel(theme, FontRole::Cell, Tone::Text2, caption);
    words->setMinimumWidth(theme.textWidth(FontRole::Cell, QStringLiteral("offered")));
    row->addWidget(words);
    auto* label = new ElidedLabel(theme, FontRole::Mono, tone, value);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    row->addWidget(label, 1);
    return row;
}

// The file that holds a host key of this type, as OpenSSH names it.
QString keyFile(const QString& type)
{
    return QStringLiteral("/etc/ssh/ssh_host_%1_key.pub").arg(type.toLower());
}

} // namespace

AskCard::AskCard(Theme& theme, const NodeState& state, QWidget* parent)
    : QFrame(parent), m_theme(theme), m_node(state.node.name), m_changed(state.phase == NodePhase::HostKeyChanged)
{
    setProperty("ground", QStringLiteral("card"));
    setFixedHeight(theme.px(128));
    const HostKey key = state.hostKey.value_or(HostKey{});
    auto* column = makeColumn(this);
    column->setContentsMargins(theme.px(48), theme.px(9), theme.px(16), theme.px(9));
    column->setSpacing(theme.px(2));
    column->addWidget(new ElidedLabel(
        theme, FontRole::PanelTitle, Tone::Text,
        m_changed ? QStringLiteral("%1: its host key has changed, so Lockstep does not connect").arg(m_node)
                  : QStringLiteral("%1: its host key is not known yet").arg(m_node)));
    m_changed ? fillChanged(*column, key) : fillUnknown(*column, key);
    column->addStretch(1);
    auto* foot = makeRow(nullptr);
    foot->addStretch(1);
    foot->addWidget(m_button);
    column->addLayout(foot);
    connect(&theme, &Theme::changed, this, [this] { update(); });
}

void AskCard::fillUnknown(QVBoxLayout& column, const HostKey& key)
{
    column.addLayout(captioned(m_theme, key.type, key.fingerprint, Tone::Text));
    column.addWidget(
        new ElidedLabel(m_theme, FontRole::Cell, Tone::Text2,
                        QStringLiteral("Accept it only when %1 itself, at its console, says the same:").arg(m_node)));
    column.addWidget(new ElidedLabel(m_theme, FontRole::Mono, Tone::Text2,
                                     QStringLiteral("ssh-keygen -lf %1").arg(keyFile(key.type))));
    m_button = new Button(m_theme, QStringLiteral("Accept key"), ButtonKind::Outlined, {}, ButtonSize::Small, this);
    connect(m_button, &QPushButton::clicked, this,
            [this, fingerprint = key.fingerprint] { emit acceptRequested(m_node, fingerprint); });
}

void AskCard::fillChanged(QVBoxLayout& column, const HostKey& key)
{
    column.addLayout(captioned(m_theme, QStringLiteral("known"), key.knownFingerprint, Tone::Text));
    column.addLayout(captioned(m_theme, QStringLiteral("offered"), key.fingerprint, Tone::Bad));
    const QString where = key.knownHostsLine.isEmpty() ? QStringLiteral("its line in ~/.ssh/known_hosts")
                                                       : QStringLiteral("line %1 of %2")
                                                             .arg(key.knownHostsLine.section(QLatin1Char(':'), -1),
                                                                  key.knownHostsLine.section(QLatin1Char(':'), 0, -2));
    column.addWidget(new ElidedLabel(m_theme, FontRole::Cell, Tone::Text2,
                                     QStringLiteral("Was it installed anew? Then remove %1 yourself.").arg(where)));
    m_fingerprints = QStringLiteral("known %1\noffered %2").arg(key.knownFingerprint, key.fingerprint);
    m_button = new Button(m_theme, QStringLiteral("Copy both"), ButtonKind::Flat, {}, ButtonSize::Small, this);
    connect(m_button, &QPushButton::clicked, this, [this] { QGuiApplication::clipboard()->setText(m_fingerprints); });
}

void AskCard::paintEvent(QPaintEvent* event)
{
    QFrame::paintEvent(event);
    const Tokens& t = m_theme.tokens();
    const QColor colour = m_changed ? t.bad : t.warn;
    QPainter painter(this);
    painter.fillRect(0, 0, m_theme.px(4), height(), colour);
    painter.drawPixmap(m_theme.px(20), m_theme.px(11),
                       m_theme.pixmap(m_changed ? Icon::Bad : Icon::Key, colour, 16, devicePixelRatioF()));
}

} // namespace lockstep::ui
