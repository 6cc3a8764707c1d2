// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/nodes/nodedetails.h"

#include "ui/nodes/cpuhistory.h"
#include "ui/nodes/devicemodel.h"
#include "ui/nodes/interfacemodel.h"
#include "ui/nodes/keyvalues.h"
#include "ui/nodes/machinerows.h"
#include "ui/nodes/nodewords.h"
#include "ui/plots/figures.h"
#include "ui/widgets/button.h"
#include "ui/widgets/datatable.h"
#include "ui/widgets/elidedlabel.h"
#include "ui/widgets/statelabel.h"

#include <QBoxLayout>
#include <QDateTime>
#include <QScrollArea>
#include <QTimer>

namespace lockstep::ui {

namespace {

constexpr int kRemoveAgainMs = 4000;
constexpr int kAgeMs = 1000; // how often the age of the newest sample is said anew

QWidget* makeSide(QVBoxLayout*& column)
{
    auto* side = makeGround(Ground::Surface);
    column = makeColumn(side);
    return side;
}

} // namespace

NodeDetails::NodeDetails(Theme& theme, QWidget* parent) : QFrame(parent), m_theme(theme)
{
    setProperty("ground", QStringLiteral("surface"));
    m_devices = new DeviceModel(this);
    m_interfaceModel = new InterfaceModel(this);
    m_removeAgain = new QTimer(this);
    m_removeAgain->setSingleShot(true);
    m_removeAgain->setInterval(kRemoveAgainMs);
    m_clock = new QTimer(this);
    m_clock->setInterval(kAgeMs);

    auto* column = makeColumn(this);
    column->addWidget(makeTitle());
    column->addWidget(makeLine(LineKind::Border, Qt::Horizontal));
    m_body = new QWidget;
    auto* row = makeRow(m_body);
    row->setSpacing(0);
    row->addWidget(makeDevicesSide(), 752);
    row->addWidget(makeLine(LineKind::Border, Qt::Vertical));
    row->addWidget(makeMachineSide(), 520);
    column->addWidget(m_body, 1);

    connect(m_removeAgain, &QTimer::timeout, this, [this] {
        m_remove->setText(QStringLiteral("Remove"));
        m_remove->setKind(ButtonKind::Flat);
    });
    connect(m_clock, &QTimer::timeout, this, &NodeDetails::showSampleAge);
    m_clock->start();
    setMinimumHeight(theme.px(200));
    setNone();
}

QWidget* NodeDetails::makeTitle()
{
    auto* title = new QWidget;
    title->setFixedHeight(m_theme.px(40));
    auto* row = makeRow(title);
    row->setContentsMargins(m_theme.px(16), 0, m_theme.px(16), 0);
    row->setSpacing(m_theme.px(12));
    m_name = makeLabel(m_theme, FontRole::CardTitle, Tone::Text);
    m_phase = new StateLabel(m_theme, FontRole::Control);
    m_sentence = new ElidedLabel(m_theme, FontRole::Cell, Tone::Text2);
    m_remove = new Button(m_theme, QStringLiteral("Remove"), ButtonKind::Flat, {}, ButtonSize::Small);
    m_edit = new Button(m_theme, QStringLiteral("Edit"), ButtonKind::Flat, {}, ButtonSize::Small);
    m_edit->setObjectName(QStringLiteral("editNode"));
    m_deploy = new Button(m_theme, QStringLiteral("Deploy runtime"), ButtonKind::Outlined, {}, ButtonSize::Small);
    m_check = new Button(m_theme, QStringLiteral("Check"), ButtonKind::Outlined, Icon::Refresh, ButtonSize::Small);
    row->addWidget(m_name);
    row->addWidget(m_phase);
    row->addWidget(m_sentence, 1);
    for (Button* button : {m_remove, m_edit, m_deploy, m_check})
        row->addWidget(button);
    connect(m_remove, &QPushButton::clicked, this, &NodeDetails::askToRemove);
    connect(m_edit, &QPushButton::clicked, this, [this] { emit editRequested(m_state.node.name); });
    connect(m_deploy, &QPushButton::clicked, this, [this] { emit deployRequested(m_state.node.name); });
    connect(m_check, &QPushButton::clicked, this, [this] { emit checkRequested(m_state.node.name); });
    return title;
}

QWidget* NodeDetails::makeDevicesSide()
{
    auto* both = new QWidget;
    auto* outer = makeColumn(both);
    QVBoxLayout* column = nullptr;
    m_devicesSide = makeSide(column);
    m_deviceHeader = new PanelHeader(m_theme, QStringLiteral("Devices"), 33);
    column->addWidget(m_deviceHeader);
    m_deviceTable = new DataTable(m_theme, *m_devices,
                                  {{QStringLiteral("63"), 0, 0, 0},
                                   {QStringLiteral("H100 80GB"), 8, 1, 0},
                                   {QStringLiteral("GPU-5b1e09…"), 8, 1, 2},
                                   {QStringLiteral("100 %"), 62, 1, 0},
                                   {QStringLiteral("57.1 of 80"), 62, 1, 0},
                                   {QStringLiteral("100"), 6, 0, 4},
                                   {QStringLiteral("1,000"), 6, 0, 3},
                                   {QStringLiteral("rank 7, resnet50 #12"), 0, 3, 0}},
                                  24);
    column->addWidget(m_deviceTable, 1);
    outer->addWidget(m_devicesSide, 1);

    auto* wide = makeSide(column);
    column->addWidget(new PanelHeader(m_theme, QStringLiteral("Machine"), 33));
    m_machineWide = new KeyValues(m_theme);
    column->addWidget(m_machineWide);
    column->addStretch(1);
    m_cpuSide = makeScroll(wide);
    outer->addWidget(m_cpuSide, 1);
    return both;
}

QWidget* NodeDetails::makeMachineSide()
{
    QVBoxLayout* column = nullptr;
    auto* side = makeSide(column);
    QVBoxLayout* inner = nullptr;
    auto* interfaces = makeSide(inner);
    inner->addWidget(new PanelHeader(m_theme, QStringLiteral("Interfaces"), 33));
    m_interfaceTable = new DataTable(m_theme, *m_interfaceModel,
                                     {{QStringLiteral("enp65s0np0"), 8, 1, 0},
                                      {QStringLiteral("192.168.100.100/24"), 0, 1, 0},
                                      {QStringLiteral("100 Gb/s"), 8, 0, 2},
                                      {QStringLiteral("own bridge, not used"), 0, 1, 0}},
                                     24);
    inner->addWidget(m_interfaceTable);
    auto* title = makeLabel(m_theme, FontRole::PanelTitle, Tone::Text, QStringLiteral("Machine"));
    title->setContentsMargins(m_theme.px(16), m_theme.px(16), 0, 0);
    inner->addWidget(title);
    m_machine = new KeyValues(m_theme);
    inner->addWidget(m_machine);
    inner->addStretch(1);
    m_interfaces = makeScroll(interfaces);
    column->addWidget(m_interfaces, 1);

    m_history = makeSide(inner);
    m_historyHeader = new PanelHeader(m_theme, QStringLiteral("CPU utilisation"), 33);
    inner->addWidget(m_historyHeader);
    inner->addSpacing(m_theme.px(8));
    m_cpu = new CpuHistory(m_theme);
    auto* padded = makeRow(nullptr);
    padded->setContentsMargins(m_theme.px(12), 0, 0, 0);
    padded->addWidget(m_cpu);
    inner->addLayout(padded);
    inner->addStretch(1);
    column->addWidget(m_history, 1);
    return side;
}

void NodeDetails::setNode(const NodeState& state, const QString& run)
{
    if (state.node.name != m_state.node.name && m_removeAgain->isActive()) {
        m_removeAgain->stop(); // the question was about another node
        m_remove->setText(QStringLiteral("Remove"));
        m_remove->setKind(ButtonKind::Flat);
    }
    m_state = state;
    const StateWords words = stateWords(state, run);
    m_name->setText(state.node.name);
    m_phase->setState(words.icon, words.tone, words.words);
    m_phase->show();
    m_sentence->setText(systemSentence(state));
    m_remove->setVisible(!state.node.local);
    m_edit->setVisible(true);
    m_deploy->setVisible(!state.node.local);
    m_deploy->setEnabled(state.phase == NodePhase::Ready);
    m_deploy->setToolTip(state.phase == NodePhase::Ready ? QString() : QStringLiteral("needs a connection first"));
    m_check->setVisible(true);
    m_check->setEnabled(state.phase != NodePhase::Connecting);

    const bool devices = state.facts && !state.facts->devices.isEmpty();
    m_devicesSide->setVisible(devices);
    m_interfaces->setVisible(devices);
    m_cpuSide->setVisible(!devices);
    m_history->setVisible(!devices);
    m_devices->setNode(state);
    m_interfaceModel->setInterfaces(state.facts ? state.facts->interfaces : QList<NetInterface>());
    m_interfaceTable->setFixedHeight(m_interfaceTable->heightOfRows(std::min(m_interfaceModel->rowCount(), 6)));
    m_machine->setRows(machineRows(state, MachineForm::BesideDevices));
    m_machineWide->setRows(machineRows(state, MachineForm::WithoutDevices));
    m_cpu->setHistory(state.cpuHistory);
    m_body->show();
    showSampleAge();
}

void NodeDetails::setNone()
{
    m_state = {};
    m_name->setText(QStringLiteral("No node selected"));
    m_phase->hide();
    m_sentence->setText(QStringLiteral("Select one above to see its devices, interfaces and machine."));
    for (Button* button : {m_remove, m_edit, m_deploy, m_check})
        button->hide();
    m_body->hide();
}

void NodeDetails::askToRemove()
{
    if (m_removeAgain->isActive()) {
        m_removeAgain->stop();
        m_remove->setText(QStringLiteral("Remove"));
        m_remove->setKind(ButtonKind::Flat);
        emit removeRequested(m_state.node.name);
        return;
    }
    m_remove->setText(QStringLiteral("Press again to remove %1").arg(m_state.node.name));
    m_remove->setKind(ButtonKind::Danger);
    m_removeAgain->start();
}

void NodeDetails::showSampleAge()
{
    if (m_state.node.name.isEmpty())
        return;
    const double ageS = static_cast<double>(QDateTime::currentMSecsSinceEpoch() * 1000 - m_state.sampleWallUs) / 1e6;
    const QString age = m_state.sampleWallUs == 0
                            ? QStringLiteral("no sample yet")
                            : QStringLiteral("newest sample %1 ago").arg(figures::age(std::max(ageS, 0.0)));
    if (m_state.facts && !m_state.facts->devices.isEmpty())
        m_deviceHeader->setCaption(QStringLiteral("%1 × %2, %3")
                                       .arg(m_state.facts->devices.size())
                                       .arg(shortDeviceName(m_state.facts->devices.first().name), age));
    m_historyHeader->setCaption(QStringLiteral("%1 samples, %2").arg(m_state.cpuHistory.size()).arg(age));
}

} // namespace lockstep::ui
