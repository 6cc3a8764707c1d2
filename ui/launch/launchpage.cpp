// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/launch/launchpage.h"

#include "core/specnodes.h"
#include "ui/launch/commandpanel.h"
#include "ui/launch/launchfoot.h"
#include "ui/launch/launchmodel.h"
#include "ui/launch/problemspanel.h"
#include "ui/launch/savespecrow.h"
#include "ui/launch/specform.h"
#include "ui/launch/whypanel.h"
#include "ui/nodes/nodewords.h"
#include "ui/widgets/button.h"
#include "ui/widgets/datatable.h"
#include "ui/widgets/elidedlabel.h"
#include "ui/widgets/panel.h"

#include <QBoxLayout>
#include <QClipboard>
#include <QFileDialog>
#include <QGuiApplication>
#include <QScrollArea>
#include <QTimer>

#include <algorithm>

namespace lockstep::ui {

namespace {

constexpr int kSampleMs = 200; // samples of many nodes arrive together; typing is answered at once

Inventory inventoryOf(const QList<NodeState>& nodes)
{
    Inventory inventory;
    for (const NodeState& state : nodes)
        inventory.nodes.append(state.node);
    return inventory;
}

QString foundText(const QList<NodeState>& selected)
{
    qsizetype devices = 0;
    for (const NodeState& state : selected)
        devices += state.facts ? state.facts->devices.size() : 0;
    return devices > 0 ? QStringLiteral("%1, %2").arg(countText(selected.size(), QStringLiteral("node")),
                                                      countText(devices, QStringLiteral("device")))
                       : countText(selected.size(), QStringLiteral("node"));
}

} // namespace

LaunchPage::LaunchPage(Theme& theme, NodeList& nodes, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_nodes(nodes), m_model(new LaunchModel(this)), m_soon(new QTimer(this))
{
    auto* body = makeGround(Ground::Surface); // scrolls in a low window; the foot stays
    auto* column = makeColumn(body);
    auto* form = makeGround(Ground::Surface);
    auto* formColumn = makeColumn(form);
    formColumn->addWidget(makeTitle());
    m_save = new SaveSpecRow(theme);
    formColumn->addWidget(m_save);
    m_form = new SpecForm(theme);
    formColumn->addWidget(m_form);
    formColumn->addSpacing(theme.px(7));
    column->addWidget(form);
    column->addWidget(makeLine(LineKind::Border, Qt::Horizontal));
    column->addWidget(makeTable());
    column->addWidget(makeLine(LineKind::Border, Qt::Horizontal));
    auto* middle = makeRow(nullptr);
    middle->setSpacing(0);
    m_why = new WhyPanel(theme);
    m_command = new CommandPanel(theme);
    middle->addWidget(m_why, 640);
    middle->addWidget(makeLine(LineKind::Border, Qt::Vertical));
    middle->addWidget(m_command, 632);
    m_why->setMinimumHeight(theme.px(150));
    m_command->setMinimumHeight(theme.px(150));
    column->addLayout(middle, 1);
    column->addWidget(makeLine(LineKind::Border, Qt::Horizontal));
    m_problems = new ProblemsPanel(theme);
    m_problems->setFixedHeight(theme.px(168));
    column->addWidget(m_problems);
    m_foot = new LaunchFoot(theme);
    auto* whole = makeColumn(this);
    whole->addWidget(makeScroll(body), 1);
    whole->addWidget(makeLine(LineKind::Border, Qt::Horizontal));
    whole->addWidget(m_foot);

    m_soon->setSingleShot(true);
    m_soon->setInterval(kSampleMs);
    connect(m_soon, &QTimer::timeout, this, &LaunchPage::recompute);
    connect(m_form, &SpecForm::edited, this, &LaunchPage::recompute);
    connect(m_foot, &LaunchFoot::launchPressed, this, &LaunchPage::launch);
    connect(m_foot, &LaunchFoot::copyPressed, this,
            [this] { QGuiApplication::clipboard()->setText(QString::fromUtf8(m_command->allCommands())); });
    connect(m_save, &SaveSpecRow::saveRequested, this, [this](const QString& name) {
        RunSpec named = m_form->spec();
        named.name = name;
        setSpec(named);
        emit saveSpecRequested(named, {});
    });
    connect(&m_nodes, &NodeList::reset, this, &LaunchPage::recompute);
    connect(&m_nodes, &NodeList::nodeChanged, this, [this] {
        if (!m_soon->isActive())
            m_soon->start();
    });
    setFocusProxy(m_table);
    recompute();
}

QWidget* LaunchPage::makeTitle()
{
    auto* title = new QWidget;
    title->setFixedHeight(m_theme.px(48));
    auto* row = makeRow(title);
    row->setContentsMargins(m_theme.px(16), 0, m_theme.px(16), 0);
    row->setSpacing(m_theme.px(12));
    m_titleCaption =
        new ElidedLabel(m_theme, FontRole::Cell, Tone::Text2, QStringLiteral("Nothing starts until you press Launch"));
    auto* open = new Button(m_theme, QStringLiteral("Open spec…"), ButtonKind::Flat, Icon::File);
    auto* save = new Button(m_theme, QStringLiteral("Save as…"));
    row->addWidget(makeLabel(m_theme, FontRole::PageTitle, Tone::Text, QStringLiteral("Launch")));
    row->addWidget(m_titleCaption, 1);
    row->addWidget(open);
    row->addWidget(save);
    connect(open, &QPushButton::clicked, this, &LaunchPage::openSpec);
    connect(save, &QPushButton::clicked, this, [this] { m_save->open(m_form->spec().name); });
    return title;
}

QWidget* LaunchPage::makeTable()
{
    auto* panel = makeGround(Ground::Surface);
    auto* column = makeColumn(panel);
    m_tableHeader = new PanelHeader(m_theme, QStringLiteral("Launch table"), 37);
    m_tableHeader->setCaption(QStringLiteral("computed as you type; every value says where it comes from"));
    m_measured = makeLabel(m_theme, FontRole::Cell, Tone::Text2);
    auto* measure =
        new Button(m_theme, QStringLiteral("Measure again"), ButtonKind::Outlined, Icon::Refresh, ButtonSize::Small);
    m_tableHeader->row().addWidget(m_measured);
    m_tableHeader->row().addWidget(measure);
    column->addWidget(m_tableHeader);
    m_table = new DataTable(m_theme, *m_model,
                            {{QStringLiteral("alice@10.0.0.11"), 8, 1, 0},
                             {QStringLiteral("NODE_RANK"), 8, 1, 0},
                             {QStringLiteral("8 a node"), 8, 1, 0},
                             {QStringLiteral("8 × H100, all idle"), 0, 1, 0},
                             {QStringLiteral("0–3: 0-31 · 4"), 0, 1, 8},
                             {QStringLiteral("100.100.100.100:29417"), 22, 1, 0},
                             {QStringLiteral("has 10.1.0.11, 10"), 0, 1, 0},
                             {QStringLiteral("2.30.7 on both"), 0, 1, 6},
                             {QStringLiteral("± 0.10 ms ag"), 0, 1, 7},
                             {QStringLiteral("LibTorch 2.14.1"), 8, 1, 5},
                             {QStringLiteral("device 6 in use"), 0, 1, 0}},
                            48);
    m_table->setSelectionBehavior(QAbstractItemView::SelectItems);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setFixedHeight(m_table->heightOfRows(2) + m_theme.px(23));
    column->addWidget(m_table);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentChanged, this, &LaunchPage::showWhy);
    connect(measure, &QPushButton::clicked, this, [this] { emit measureRequested(m_form->spec()); });
    return panel;
}

const RunSpec& LaunchPage::spec() const
{
    return m_form->spec();
}

const LaunchPlan& LaunchPage::plan() const
{
    return m_model->plan();
}

void LaunchPage::setSavedSpecs(const QList<RunSpec>& specs)
{
    QList<RunSpec> all{RunSpec::demo()};
    all.append(specs);
    m_form->setSpecs(all);
}

void LaunchPage::setSpec(const RunSpec& spec)
{
    m_form->setSpec(spec);
}

void LaunchPage::setDesktopEnvironment(const Environment& environment)
{
    m_environment = environment;
    recompute();
}

void LaunchPage::setMeasured(const RunSpec& spec, const LaunchPlan& plan)
{
    m_measuredPlan = MeasuredPlan{spec, plan, QTime::currentTime()};
    recompute();
}

void LaunchPage::launch()
{
    if (m_foot->canLaunch())
        emit runRequested(m_form->spec());
}

QString LaunchPage::blockedBy(const QList<NodeState>& selected, const LaunchPlan& plan) const
{
    if (!m_form->wrong().isEmpty())
        return m_form->wrong();
    for (const NodeState& state : selected)
        if (const StateWords ask = askOf(state); !ask.words.isEmpty())
            return QStringLiteral("%1. See Nodes.").arg(ask.words);
    const auto error = std::ranges::find(plan.problems, Severity::Error, &Problem::severity);
    if (error != plan.problems.end())
        return error->title;
    return plan.worldSize == 0 ? QStringLiteral("No rank is planned: choose at least one node.") : QString();
}

void LaunchPage::recompute()
{
    m_soon->stop();
    const Inventory inventory = inventoryOf(m_nodes.nodes());
    const RunSpec& spec = m_form->spec();
    const auto chosen = nodesFor(spec, inventory);
    QList<NodeState> selected;
    QList<PlanNode> planned;
    qsizetype unknown = 0;
    if (chosen) {
        for (const Node& node : *chosen)
            if (const NodeState* state = m_nodes.find(node.name)) {
                selected.append(*state);
                planned.append(
                    {node,
                     state->facts,
                     state->clockOffsetMs ? ClockOffset::of(*state->clockOffsetMs, state->clockErrorMs) : ClockOffset(),
                     {},
                     state->hostKey});
                unknown += state->facts ? 0 : 1;
            }
    }
    // What was measured holds until the form says something else.
    const bool measured = m_measuredPlan && m_measuredPlan->spec == spec;
    const LaunchPlan plan = measured ? m_measuredPlan->plan : makePlan(spec, planned, m_environment);
    m_form->setNodesFound(chosen ? SpecForm::Found::Right : SpecForm::Found::Wrong,
                          chosen ? foundText(selected) : chosen.error().text);
    m_form->setWorldSize(plan.worldSize);
    m_model->setPlan(plan);
    m_command->setPlan(plan);
    m_problems->setProblems(plan.problems);
    if (measured)
        m_measured->setText(
            QStringLiteral("all measured at %1").arg(m_measuredPlan->when.toString(QStringLiteral("HH:mm:ss"))));
    else
        m_measured->setText(unknown == 0 ? QString()
                                         : QStringLiteral("%1 not measured yet; Launch does it first")
                                               .arg(countText(unknown, QStringLiteral("node"))));
    if (!m_table->currentIndex().isValid() && m_model->rowCount() > 0) // the master's address is what people ask about
        m_table->setCurrentIndex(m_table->shownIndex(m_model->index(m_model->rowCount() - 1, LaunchModel::Master)));
    showWhy();
    m_foot->setPlan(plan, chosen ? blockedBy(selected, plan) : chosen.error().text);
}

void LaunchPage::showWhy()
{
    const QModelIndex index = m_table->sourceIndex(m_table->currentIndex());
    const Sourced* value = index.isValid() ? m_model->sourced(index.row(), index.column()) : nullptr;
    if (!value) {
        m_why->setNothing();
        return;
    }
    const PlannedNode& node = m_model->plan().nodes.at(index.row());
    const QString column = m_model->headerData(index.column(), Qt::Horizontal, Qt::DisplayRole).toString();
    m_why->setSubject(node.name, column, *value, node.reach,
                      index.column() == LaunchModel::Master ? WhyPanel::About::Master : WhyPanel::About::Value);
}

void LaunchPage::openSpec()
{
    auto* dialog = new QFileDialog(this, QStringLiteral("Open a run spec"), {}, QStringLiteral("Run specs (*.toml)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
        const auto spec = RunSpec::load(path);
        if (!spec) {
            setTone(*m_titleCaption, Tone::Bad);
            m_titleCaption->setText(spec.error().text);
            return;
        }
        setTone(*m_titleCaption, Tone::Text2);
        m_titleCaption->setText(QStringLiteral("Nothing starts until you press Launch"));
        setSpec(*spec);
    });
    dialog->open();
}

} // namespace lockstep::ui
