// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/runheader.h"

#include "ui/plots/figures.h"
#include "ui/run/headerfigures.h"
#include "ui/widgets/button.h"
#include "ui/widgets/elidedlabel.h"
#include "ui/widgets/statelabel.h"

#include <QDateTime>
#include <QHBoxLayout>
#include <QMenu>
#include <QPainter>

#include <algorithm>

namespace lockstep::ui {

namespace {

constexpr int kHeight = 88, kEdge = 16, kProgress = 2;
constexpr double kUsPerSecond = 1e6;

struct Look {
    Icon icon;
    Tone tone;
};

Look lookOf(RunPhase phase)
{
    switch (phase) {
    case RunPhase::Planning:
        return {Icon::Wait, Tone::Idle};
    case RunPhase::Deploying:
    case RunPhase::Starting:
        return {Icon::Connect, Tone::Running};
    case RunPhase::Running:
        return {Icon::Run, Tone::Running};
    case RunPhase::Stopping:
    case RunPhase::Stopped:
        return {Icon::Stopped, Tone::Idle};
    case RunPhase::Finished:
        return {Icon::Ok, Tone::Ok};
    case RunPhase::Failed:
        return {Icon::Bad, Tone::Bad};
    case RunPhase::Lost:
        return {Icon::Lost, Tone::Warn};
    }
    return {Icon::Wait, Tone::Idle};
}

// Ranks were started there, and nobody knows that nothing is left.
bool isUnproven(const RunState& state)
{
    return std::ranges::any_of(state.nodes,
                               [](const NodeRunState& node) { return node.left != 0 && node.spoolBytes > 0; });
}

} // namespace

QString whereWords(const RunData& run)
{
    const LaunchPlan& plan = run.plan();
    if (plan.nodes.isEmpty())
        return {};
    const int first = plan.nodes.front().rankCount;
    const bool even = std::all_of(plan.nodes.begin(), plan.nodes.end(),
                                  [&](const PlannedNode& node) { return node.rankCount == first; });
    const QString nodes =
        plan.nodes.size() == 1 ? QStringLiteral("1 node") : QStringLiteral("%1 nodes").arg(plan.nodes.size());
    const QString ranks = even
                              ? QStringLiteral(" × %1 rank").arg(first) + (first == 1 ? QString() : QStringLiteral("s"))
                              : QStringLiteral(", %1 ranks").arg(plan.worldSize);
    return nodes + ranks + QStringLiteral(" · ") + toString(plan.backend) +
           QStringLiteral(" · attempt %1").arg(std::max(run.state().attempt, 1));
}

RunHeader::RunHeader(Theme& theme, const RunData& run, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_run(run), m_title(makeLabel(theme, FontRole::PageTitle, Tone::Text)),
      m_state(new StateLabel(theme, FontRole::PanelTitle)), m_link(new StateLabel(theme, FontRole::PanelTitle)),
      m_where(new ElidedLabel(theme, FontRole::Cell, Tone::Text2)),
      m_copy(new Button(theme, QStringLiteral("Copy commands"), ButtonKind::Flat, Icon::Copy)),
      m_export(new Button(theme, QStringLiteral("Export"), ButtonKind::Outlined, Icon::Export)),
      m_stop(new Button(theme, QStringLiteral("Stop"), ButtonKind::Danger, Icon::Stop)),
      m_again(new Button(theme, QStringLiteral("Launch again…"), ButtonKind::Outlined, Icon::Launch)),
      m_figures(new HeaderFigures(theme))
{
    setFixedHeight(theme.px(kHeight));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(theme.px(kEdge), theme.px(7), theme.px(kEdge), theme.px(6));
    column->setSpacing(theme.px(8));
    auto* row = new QHBoxLayout;
    row->setSpacing(theme.px(12));
    for (QWidget* widget :
         {static_cast<QWidget*>(m_title), static_cast<QWidget*>(m_state), static_cast<QWidget*>(m_link)})
        row->addWidget(widget, 0);
    row->addWidget(m_where, 1);
    for (Button* button : {m_copy, m_export, m_stop, m_again})
        row->addWidget(button);
    m_copy->setToolTip(QStringLiteral("The exact manual command of each rank"));
    column->addLayout(row);
    column->addWidget(m_figures);
    auto* menu = new QMenu(m_export);
    menu->addAction(QStringLiteral("What is seen, as a picture (PNG)"), this,
                    [this] { emit exportRequested(QStringLiteral("png")); });
    menu->addAction(QStringLiteral("All points of all ranks (CSV)"), this,
                    [this] { emit exportRequested(QStringLiteral("csv")); });
    connect(m_export, &QPushButton::clicked, menu,
            [this, menu] { menu->popup(m_export->mapToGlobal(QPoint(0, m_export->height()))); });
    connect(m_copy, &QPushButton::clicked, this, &RunHeader::copyRequested);
    connect(m_again, &QPushButton::clicked, this, &RunHeader::againRequested);
    connect(m_stop, &QPushButton::clicked, this, [this] {
        const qint64 nowUs = QDateTime::currentMSecsSinceEpoch() * 1000;
        m_graceIsOver = m_stopAskedUs > 0;
        m_stopAskedUs = m_graceIsOver ? m_stopAskedUs : nowUs;
        refreshStop(nowUs);
        emit stopRequested(m_graceIsOver ? std::optional(0) : std::nullopt);
    });
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
    refresh(QDateTime::currentMSecsSinceEpoch() * 1000);
}

QString RunHeader::stateWords() const
{
    return m_state->text();
}

void RunHeader::refresh(qint64 nowWallUs)
{
    const RunState& state = m_run.state();
    m_title->setText(state.name + (state.number > 0 ? QStringLiteral(" #%1").arg(state.number) : QString()));
    refreshState(nowWallUs);
    refreshStop(nowWallUs);
    m_figures->setFigures(figuresOf(m_run, nowWallUs));
    update(0, height() - m_theme.px(kProgress), width(), m_theme.px(kProgress));
}

void RunHeader::refreshState(qint64 nowWallUs)
{
    const RunState& state = m_run.state();
    const Look look = lookOf(state.phase);
    QString text = words(state.phase);
    const qint64 until = isOver(state.phase) ? state.endedWallUs : nowWallUs;
    if (state.startedWallUs > 0 && until > state.startedWallUs)
        text += (isOver(state.phase) ? QStringLiteral(" after ") : QStringLiteral(" ")) +
                figures::clock(static_cast<double>(until - state.startedWallUs) / kUsPerSecond);
    m_state->setState(look.icon, look.tone, text);
    QStringList silent;
    double longest = 0;
    for (const NodeRunState& node : state.nodes) {
        if (isOver(state.phase) || (node.link != LinkPhase::Stale && node.link != LinkPhase::Reconnecting))
            continue;
        silent << node.name;
        longest = std::max(longest, static_cast<double>(nowWallUs - node.lastHeardWallUs) / kUsPerSecond);
    }
    const bool blocked = !isOver(state.phase) && std::ranges::any_of(state.nodes, [](const NodeRunState& node) {
        return node.link == LinkPhase::Blocked;
    });
    m_link->setVisible(blocked || !silent.isEmpty());
    if (blocked)
        m_link->setState(Icon::Lost, Tone::Bad, QStringLiteral("this machine's disk takes nothing"));
    else if (!silent.isEmpty())
        m_link->setState(Icon::Lost, Tone::Warn,
                         silent.join(QStringLiteral(", ")) + QStringLiteral(" link lost ") +
                             figures::shortClock(longest));
    QString where = whereWords(m_run);
    for (const NodeRunState& node : state.nodes)
        if (!node.progress.isEmpty() && (state.phase == RunPhase::Deploying || state.phase == RunPhase::Starting))
            where += QStringLiteral(" · ") + node.name + QStringLiteral(": ") + node.progress;
    if (isOver(state.phase) && !state.proof().isEmpty())
        where += QStringLiteral(" · ") + state.proof();
    m_where->setText(where);
}

// Stop asks nothing; it shows the grace time running down, which another click ends, then what it waits for.
void RunHeader::refreshStop(qint64 nowWallUs)
{
    const RunState& state = m_run.state();
    const bool over = isOver(state.phase);
    m_stop->setVisible(!over || isUnproven(state));
    m_again->setVisible(over);
    const bool stopping = state.stopRequested || state.phase == RunPhase::Stopping || m_stopAskedUs > 0;
    if (over || !stopping) {
        m_stop->setEnabled(true);
        m_stop->setText(over ? QStringLiteral("Ask for the proof") : QStringLiteral("Stop"));
        m_stop->setToolTip({});
        m_stopAskedUs = over ? 0 : m_stopAskedUs;
        m_graceIsOver = false;
        return;
    }
    const bool launching =
        state.phase == RunPhase::Planning || state.phase == RunPhase::Deploying || state.phase == RunPhase::Starting;
    if (m_stopAskedUs == 0 || launching) // ranks that are started all the same have their grace from then on
        m_stopAskedUs = nowWallUs;
    const double left = m_run.spec().graceS - static_cast<double>(nowWallUs - m_stopAskedUs) / kUsPerSecond;
    const bool hasGrace = !launching && !m_graceIsOver && left > 0;
    m_stop->setEnabled(hasGrace);
    m_stop->setToolTip(
        hasGrace ? QStringLiteral("Click again to end the ranks at once, without the rest of their grace") : QString());
    m_stop->setText(launching  ? QStringLiteral("Stopping the launch")
                    : hasGrace ? QStringLiteral("Stopping, %1 s of grace").arg(static_cast<int>(std::ceil(left)))
                               : QStringLiteral("Ending what is left"));
}

void RunHeader::paintEvent(QPaintEvent*)
{
    const Tokens& tokens = m_theme.tokens();
    QPainter painter(this);
    painter.fillRect(rect(), tokens.surface);
    painter.fillRect(0, height() - 1, width(), 1, tokens.border);
    const int line = m_theme.px(kProgress);
    const QColor colour = m_run.state().phase == RunPhase::Failed ? tokens.bad : tokens.accent;
    painter.fillRect(QRectF(0, height() - line, width() * progressOf(m_run), line), colour);
}

} // namespace lockstep::ui
