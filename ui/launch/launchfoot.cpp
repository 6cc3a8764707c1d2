// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/launch/launchfoot.h"

#include "ui/widgets/button.h"
#include "ui/widgets/elidedlabel.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/plaintooltip.h"
#include "ui/widgets/statelabel.h"

#include <QBoxLayout>

#include <algorithm>

namespace lockstep::ui {

QString countText(qsizetype count, const QString& word)
{
    return count == 1 ? QStringLiteral("1 %1").arg(word) : QStringLiteral("%1 %2s").arg(count).arg(word);
}

LaunchFoot::LaunchFoot(Theme& theme, QWidget* parent) : QFrame(parent)
{
    setGround(*this, Ground::Window);
    setFixedHeight(theme.px(55));
    auto* row = makeRow(this);
    row->setContentsMargins(theme.px(16), 0, theme.px(16), 0);
    row->setSpacing(theme.px(12));
    m_state = new StateLabel(theme, FontRole::PanelTitle);
    m_detail = new ElidedLabel(theme, FontRole::Cell, Tone::Text2);
    m_detail->setObjectName(QStringLiteral("footDetail"));
    m_copy = new Button(theme, QStringLiteral("Copy commands"), ButtonKind::Outlined, Icon::Copy, ButtonSize::Large);
    m_launch = new Button(theme, QStringLiteral("Launch"), ButtonKind::Primary, Icon::Launch, ButtonSize::Large);
    m_launch->setObjectName(QStringLiteral("launch"));
    row->addWidget(m_state);
    row->addWidget(m_detail, 1);
    row->addWidget(m_copy);
    row->addWidget(m_launch);
    connect(m_launch, &QPushButton::clicked, this, &LaunchFoot::launchPressed);
    connect(m_copy, &QPushButton::clicked, this, [this] {
        m_detail->setText(QStringLiteral("Copied the commands of %1.").arg(countText(m_ranks, QStringLiteral("rank"))));
        emit copyPressed();
    });
}

bool LaunchFoot::canLaunch() const
{
    return m_launch->isEnabled();
}

void LaunchFoot::setPlan(const LaunchPlan& plan, const QString& blocked)
{
    m_ranks = plan.ranks.size();
    m_launch->setText(plan.worldSize > 0
                          ? QStringLiteral("Launch %1").arg(countText(plan.worldSize, QStringLiteral("rank")))
                          : QStringLiteral("Launch"));
    m_launch->updateGeometry();
    m_launch->setEnabled(blocked.isEmpty());
    m_launch->setToolTip(plainToolTip(blocked));
    const bool measured = plan.masterPort > 0 && m_ranks > 0 && !plan.command(plan.ranks.first().rank).isEmpty();
    m_copy->setEnabled(measured);
    m_copy->setToolTip(measured ? QString()
                                : QStringLiteral("Measure first: the port and the runtime's folder are known then."));
    if (!blocked.isEmpty()) {
        m_state->setState(Icon::Bad, Tone::Bad, QStringLiteral("cannot launch"));
        m_detail->setText(blocked);
        return;
    }
    const auto warnings = std::ranges::count(plan.problems, Severity::Warning, &Problem::severity);
    if (warnings > 0)
        m_state->setState(Icon::Warn, Tone::Warn, countText(warnings, QStringLiteral("warning")));
    else
        m_state->setState(Icon::Ok, Tone::Ok, QStringLiteral("ready to launch"));
    m_detail->setText(QStringLiteral("%1 on %2, %3")
                          .arg(countText(plan.worldSize, QStringLiteral("rank")),
                               countText(plan.nodes.size(), QStringLiteral("node")), toString(plan.backend)));
}

} // namespace lockstep::ui
