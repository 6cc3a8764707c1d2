// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/nodes/nodespage.h"

#include "ui/nodes/addnode.h"
#include "ui/nodes/askcards.h"
#include "ui/nodes/editnode.h"
#include "ui/nodes/nodedetails.h"
#include "ui/nodes/nodedrawer.h"
#include "ui/nodes/nodefilter.h"
#include "ui/nodes/nodemodel.h"
#include "ui/nodes/nodewords.h"
#include "ui/nodes/startpanel.h"
#include "ui/plots/linesplitter.h"
#include "ui/widgets/button.h"
#include "ui/widgets/datatable.h"
#include "ui/widgets/elidedlabel.h"
#include "ui/widgets/panel.h"

#include <QBoxLayout>
#include <QScrollArea>

#include <algorithm>

namespace lockstep::ui {

NodesPage::NodesPage(Theme& theme, NodeList& nodes, RunList& runs, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_nodes(nodes), m_runs(runs), m_model(new NodeModel(nodes, runs, this))
{
    auto* column = makeColumn(this);
    column->addWidget(makeHeader());
    column->addWidget(makeLine(LineKind::Border, Qt::Horizontal));
    m_drawer = new NodeDrawer(theme);
    column->addWidget(m_drawer);
    m_cards = new AskCards(theme);
    column->addWidget(m_cards);

    m_table = new DataTable(theme, *m_model,
                            {{QStringLiteral("gpu100"), 24, 1, 0},
                             {QStringLiteral("alice@10.0.0.16:2222"), 8, 1, 0},
                             {QStringLiteral("needs passphrase of id_ed25519 Unlock…"), 30, 2, 0},
                             {QStringLiteral("CPU, 128 cores"), 60, 1, 0},
                             {QStringLiteral("13.0 / 580.65"), 8, 1, 6},
                             {QStringLiteral("+0.8 ms"), 8, 0, 7},
                             {QStringLiteral("h100  rack3"), 32, 1, 8},
                             {QStringLiteral("LibTorch 2.14.1 cuda, deployed"), 0, 2, 5}},
                            28);
    m_table->setObjectName(QStringLiteral("nodes"));
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_details = new NodeDetails(theme);
    auto* upper = makeGround(Ground::Surface);
    auto* upperColumn = makeColumn(upper);
    upperColumn->addWidget(m_table, 1);
    m_empty = new QWidget;
    auto* words = makeColumn(m_empty);
    words->setSpacing(theme.px(8));
    for (const char* line :
         {"Machines that you add appear here.",
          "A node needs an SSH server and a POSIX shell; no root, no daemon, no open port on this machine."}) {
        QLabel* label = makeLabel(theme, FontRole::Cell, Tone::Text2, QString::fromLatin1(line));
        label->setAlignment(Qt::AlignCenter);
        words->addWidget(label);
    }
    upperColumn->addStretch(0);
    upperColumn->addWidget(m_empty, 1, Qt::AlignCenter);
    upperColumn->addStretch(0);
    m_splitter = new LineSplitter(theme, Qt::Vertical);
    m_splitter->setChildrenCollapsible(false);
    m_splitter->addWidget(upper);
    m_splitter->addWidget(m_details);
    upper->setMinimumHeight(m_table->heightOfRows(3));
    m_splitter->setStretchFactor(0, 1);
    m_splitter->setSizes({theme.px(264), theme.px(404)});

    m_start = new StartPanel(theme);
    m_start->setObjectName(QStringLiteral("start"));
    m_startLine = makeLine(LineKind::Border, Qt::Vertical);
    auto* row = makeRow(nullptr);
    row->setSpacing(0);
    row->addWidget(m_splitter, 1);
    row->addWidget(m_startLine);
    m_startScroll = makeScroll(m_start);
    row->addWidget(m_startScroll);
    column->addLayout(row, 1);

    connect(m_cards, &AskCards::acceptRequested, this, &NodesPage::acceptHostKeyRequested);
    connect(m_table, &DataTable::selectedRowsChanged, this, &NodesPage::showSelected);
    connect(m_table, &DataTable::actionTriggered, this, [this](const QModelIndex& index) { act(index.row()); });
    connect(m_table, &DataTable::rowActivated, this, [this](const QModelIndex& index) { act(index.row()); });
    connect(m_details, &NodeDetails::checkRequested, this, &NodesPage::checkRequested);
    connect(m_details, &NodeDetails::deployRequested, this, &NodesPage::deployRequested);
    connect(m_details, &NodeDetails::removeRequested, this, &NodesPage::nodeRemoveRequested);
    connect(m_start, &StartPanel::demoRequested, this, &NodesPage::demoRequested);
    connect(m_start, &StartPanel::demoTableRequested, this, &NodesPage::demoTableRequested);
    for (AddNode* add : {&m_drawer->addNode(), &m_start->addNode()})
        connect(add, &AddNode::addRequested, this, &NodesPage::nodesAddRequested);
    for (ImportList* import : {&m_drawer->importList(), &m_start->importList()}) {
        connect(import, &ImportList::importRequested, this, &NodesPage::importRequested);
        connect(import, &ImportList::fileWanted, this, &NodesPage::importFileWanted);
    }
    connect(&m_drawer->editNode(), &EditNode::editRequested, this, &NodesPage::nodeEditRequested);
    connect(m_details, &NodeDetails::editRequested, this, [this](const QString& name) {
        if (const NodeState* state = m_nodes.find(name))
            m_drawer->edit(state->node, m_nodes.groups());
    });
    connect(&m_nodes, &NodeList::reset, this, &NodesPage::showAll);
    connect(&m_nodes, &NodeList::nodeChanged, this, [this](int index) {
        showWhoAsks();
        const QList<int> selected = m_table->selectedSourceRows();
        if (!selected.isEmpty() && selected.first() == index)
            showSelected();
    });
    setFocusProxy(m_table);
    showAll();
}

QWidget* NodesPage::makeHeader()
{
    auto* header = makeGround(Ground::Surface);
    header->setFixedHeight(m_theme.px(55));
    auto* row = makeRow(header);
    row->setContentsMargins(m_theme.px(16), 0, m_theme.px(16), 0);
    row->setSpacing(m_theme.px(12));
    m_caption = new ElidedLabel(m_theme, FontRole::Cell, Tone::Text2);
    m_filter = new NodeFilter(m_theme, m_nodes);
    m_filter->setFixedWidth(m_theme.px(200));
    m_checkAll = new Button(m_theme, QStringLiteral("Check all"), ButtonKind::Outlined, Icon::Refresh);
    m_importButton = new Button(m_theme, QStringLiteral("Import…"), ButtonKind::Outlined, Icon::Import);
    m_addButton = new Button(m_theme, QStringLiteral("Add node"), ButtonKind::Primary, Icon::Plus);
    row->addWidget(makeLabel(m_theme, FontRole::PageTitle, Tone::Text, QStringLiteral("Nodes")));
    row->addWidget(m_caption, 1);
    row->addWidget(m_filter);
    for (Button* button : {m_checkAll, m_importButton, m_addButton})
        row->addWidget(button);
    connect(m_filter, &QLineEdit::textChanged, this, [this] { m_filter->apply(*m_table, *m_model); });
    connect(m_checkAll, &QPushButton::clicked, this, &NodesPage::checkAllRequested);
    connect(m_addButton, &QPushButton::clicked, this, &NodesPage::openAdd);
    connect(m_importButton, &QPushButton::clicked, this, [this] { m_drawer->toggle(NodeDrawer::Form::Import); });
    return header;
}

void NodesPage::openAdd()
{
    if (firstStart() && m_start->isVisible()) {
        m_start->addNode().takeFocus();
        return;
    }
    m_drawer->toggle(NodeDrawer::Form::Add);
}

bool NodesPage::firstStart() const
{
    return std::ranges::all_of(m_nodes.nodes(), [](const NodeState& state) { return state.node.local; });
}

QStringList NodesPage::names() const
{
    QStringList all;
    for (const NodeState& state : m_nodes.nodes())
        all.append(state.node.name);
    return all;
}

void NodesPage::setImportOffer(const ImportOffer& offer)
{
    m_offer = offer;
    m_drawer->importList().setOffer(offer, names());
    m_start->importList().setOffer(offer, names());
}

void NodesPage::setImportRefused(const QString& sentence)
{
    m_drawer->importList().setRefused(sentence);
    m_start->importList().setRefused(sentence);
}

bool NodesPage::setAdded(const QString& text, const Result<void>& added)
{
    const bool inDrawer = m_drawer->addNode().setAnswer(text, added);
    if (inDrawer && !added)
        m_drawer->open(NodeDrawer::Form::Add);
    return inDrawer || m_start->addNode().setAnswer(text, added);
}

bool NodesPage::setEdited(const QString& node, const Result<void>& saved)
{
    EditNode& form = m_drawer->editNode();
    const NodeState* now = m_nodes.find(node);
    if (form.node().name != node || !form.setAnswer(now ? now->node : form.node(), m_nodes.groups(), saved))
        return false;
    if (!saved)
        m_drawer->open(NodeDrawer::Form::Edit);
    return true;
}

void NodesPage::focusFilter()
{
    m_filter->setFocus(Qt::ShortcutFocusReason);
    m_filter->selectAll();
}

void NodesPage::showNode(const QString& name)
{
    const int row = m_model->rowOf(name);
    if (row >= 0)
        m_table->selectSourceRow(row);
}

void NodesPage::showAll()
{
    const bool first = firstStart();
    m_startScroll->setVisible(first);
    m_startLine->setVisible(first);
    m_empty->setVisible(first);
    m_checkAll->setVisible(!first);
    m_addButton->setKind(first ? ButtonKind::Outlined : ButtonKind::Primary);
    m_table->setMaximumHeight(first ? m_table->heightOfRows(2) : QWIDGETSIZE_MAX);
    setImportOffer(m_offer);
    if (const NodeState* edited = m_nodes.find(m_drawer->editNode().node().name))
        m_drawer->editNode().setNow(edited->node, m_nodes.groups());
    m_filter->apply(*m_table, *m_model);
    showWhoAsks();
    if (m_table->selectedSourceRows().isEmpty() && m_model->rowCount() > 0) // a reset forgets it
        m_table->selectSourceRow(std::max(m_model->rowOf(m_selected), 0));
    showSelected();
}

void NodesPage::showSelected()
{
    const QList<int> selected = m_table->selectedSourceRows();
    const NodeState* state = selected.isEmpty() ? nullptr : m_model->node(selected.first());
    if (state)
        m_selected = state->node.name;
    if (state)
        m_details->setNode(*state, runOn(m_runs, state->node.name));
    else
        m_details->setNone();
}

void NodesPage::act(int row)
{
    const NodeState* state = m_model->node(row);
    if (!state)
        return;
    m_table->selectSourceRow(row);
    switch (state->phase) {
    case NodePhase::UnknownHostKey: // accepting needs a look at the fingerprint: the card has it
    case NodePhase::HostKeyChanged:
        m_cards->focus(state->node.name);
        return;
    case NodePhase::Unknown:
    case NodePhase::Unreachable:
    case NodePhase::Failed:
    case NodePhase::NeedsPassphrase:
    case NodePhase::AuthFailed:
        emit checkRequested(state->node.name);
        return;
    case NodePhase::Connecting:
    case NodePhase::Ready:
        return;
    }
}

void NodesPage::showWhoAsks()
{
    const QList<NodeState>& all = m_nodes.nodes();
    m_cards->setNodes(all);
    const auto needing = std::ranges::count_if(all, [](const NodeState& state) { return needsPerson(state.phase); });
    const QString nodes = all.size() == 1 ? QStringLiteral("1 node") : QStringLiteral("%1 nodes").arg(all.size());
    const bool ready = all.size() == 1 && all.first().phase == NodePhase::Ready;
    m_caption->setText(needing == 1  ? QStringLiteral("%1, 1 needs you").arg(nodes)
                       : needing > 1 ? QStringLiteral("%1, %2 need you").arg(nodes).arg(needing)
                       : ready       ? QStringLiteral("%1, ready").arg(nodes)
                                     : nodes);
}

void NodesPage::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    m_startScroll->setFixedWidth(width() < m_theme.px(1000) ? m_theme.px(328) : m_theme.px(392));
}

} // namespace lockstep::ui
