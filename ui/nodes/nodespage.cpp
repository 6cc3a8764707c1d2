// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/nodes/nodespage.h"

#include "ui/nodes/addnode.h"
#include "ui/nodes/askcard.h"
#include "ui/nodes/batchcard.h"
#include "ui/nodes/editnode.h"
#include "ui/nodes/nodedetails.h"
#include "ui/nodes/nodedrawer.h"
#include "ui/nodes/nodemodel.h"
#include "ui/nodes/nodewords.h"
#include "ui/nodes/startpanel.h"
#include "ui/plots/linesplitter.h"
#include "ui/widgets/button.h"
#include "ui/widgets/datatable.h"
#include "ui/widgets/elidedlabel.h"
#include "ui/widgets/field.h"
#include "ui/widgets/panel.h"

#include <QBoxLayout>
#include <QRegularExpression>
#include <QScrollArea>
#include <QSet>

#include <algorithm>

namespace lockstep::ui {

namespace {

constexpr int kMostCards = 4; // the rest is named in the status bar and in the table
constexpr int kBatch = 3;     // as many unknown keys are shown, and accepted, as one

} // namespace

NodesPage::NodesPage(Theme& theme, NodeList& nodes, RunList& runs, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_nodes(nodes), m_runs(runs), m_model(new NodeModel(nodes, runs, this))
{
    auto* column = makeColumn(this);
    column->addWidget(makeHeader());
    column->addWidget(makeLine(LineKind::Border, Qt::Horizontal));
    m_drawer = new NodeDrawer(theme);
    column->addWidget(m_drawer);
    m_cards = makeGround(Ground::Window);
    m_cardGrid = new QGridLayout(m_cards);
    m_cardGrid->setContentsMargins(theme.px(16), theme.px(16), theme.px(16), theme.px(16));
    m_cardGrid->setSpacing(theme.px(16));
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
            m_drawer->edit(state->node);
    });
    connect(&m_nodes, &NodeList::reset, this, &NodesPage::showAll);
    connect(&m_nodes, &NodeList::nodeChanged, this, [this](int index) {
        layoutCards();
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
    m_filter = new Field(m_theme, QStringLiteral("Filter"), Icon::Search, QStringLiteral("/"));
    m_filter->setFixedWidth(m_theme.px(200));
    m_checkAll = new Button(m_theme, QStringLiteral("Check all"), ButtonKind::Outlined, Icon::Refresh);
    m_importButton = new Button(m_theme, QStringLiteral("Import…"), ButtonKind::Outlined, Icon::Import);
    m_addButton = new Button(m_theme, QStringLiteral("Add node"), ButtonKind::Primary, Icon::Plus);
    row->addWidget(makeLabel(m_theme, FontRole::PageTitle, Tone::Text, QStringLiteral("Nodes")));
    row->addWidget(m_caption, 1);
    row->addWidget(m_filter);
    for (Button* button : {m_checkAll, m_importButton, m_addButton})
        row->addWidget(button);
    connect(m_filter, &QLineEdit::textChanged, this, &NodesPage::filter);
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

void NodesPage::filter()
{
    static const QRegularExpression kAlgebra(QStringLiteral("[@\\[&!,*?(]"));
    const QString text = m_filter->text().trimmed();
    m_filter->setWrong({});
    if (!text.contains(kAlgebra)) {
        m_table->setRowFilter({});
        m_table->setFilter(text);
        return;
    }
    Inventory inventory;
    for (const NodeState& state : m_nodes.nodes())
        inventory.nodes.append(state.node);
    const auto chosen = inventory.select(text);
    if (!chosen) { // perhaps not typed to its end: the rows stay as they are
        m_filter->setWrong(chosen.error().text);
        return;
    }
    QSet<QString> names;
    for (const Node& node : *chosen)
        names.insert(node.name);
    m_table->setFilter({});
    m_table->setRowFilter([this, names](const QModelIndex& source) {
        const NodeState* state = m_model->node(source.row());
        return state && names.contains(state->node.name);
    });
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
        m_drawer->editNode().setNow(edited->node);
    filter();
    layoutCards();
    if (m_table->selectedSourceRows().isEmpty() && m_model->rowCount() > 0)
        m_table->selectSourceRow(0);
    showSelected();
}

void NodesPage::showSelected()
{
    const QList<int> selected = m_table->selectedSourceRows();
    const NodeState* state = selected.isEmpty() ? nullptr : m_model->node(selected.first());
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
        for (AskCard* card : m_askCards)
            if (card->node() == state->node.name)
                card->button().setFocus(Qt::OtherFocusReason);
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

void NodesPage::layoutCards()
{
    const auto count = m_nodes.nodes().size();
    qsizetype needing = 0;
    QList<const NodeState*> unknown, changed;
    for (const NodeState& state : m_nodes.nodes()) {
        needing += needsPerson(state.phase) ? 1 : 0;
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
    const bool ready = count == 1 && m_nodes.nodes().first().phase == NodePhase::Ready;
    const QString nodes = count == 1 ? QStringLiteral("1 node") : QStringLiteral("%1 nodes").arg(count);
    m_caption->setText(needing > 0 ? QStringLiteral("%1, %2 need you").arg(nodes).arg(needing)
                       : ready     ? QStringLiteral("%1, ready").arg(nodes)
                                   : nodes);
    if (needing == 1)
        m_caption->setText(QStringLiteral("%1, 1 needs you").arg(nodes));
    m_cards->setVisible(!shown.isEmpty());
    if (shown == m_cardsShown)
        return;
    m_cardsShown = shown;
    qDeleteAll(m_askCards);
    m_askCards.clear();
    delete m_batchCard;
    m_batchCard = nullptr;
    if (batch) {
        m_batchCard = new BatchCard(m_theme, unknown, m_cards);
        connect(m_batchCard, &BatchCard::acceptRequested, this, &NodesPage::acceptHostKeyRequested);
        m_cardGrid->addWidget(m_batchCard, kMostCards, 0, 1, 2);
    }
    for (const NodeState* state : asking) {
        auto* card = new AskCard(m_theme, *state, m_cards);
        connect(card, &AskCard::acceptRequested, this, &NodesPage::acceptHostKeyRequested);
        m_cardGrid->addWidget(card, static_cast<int>(m_askCards.size()) / 2, static_cast<int>(m_askCards.size()) % 2);
        m_askCards.append(card);
    }
}

void NodesPage::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    m_startScroll->setFixedWidth(width() < m_theme.px(1000) ? m_theme.px(328) : m_theme.px(392));
}

} // namespace lockstep::ui
