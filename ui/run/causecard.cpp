// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/causecard.h"

#include "ui/plots/figures.h"
#include "ui/run/advice.h"
#include "ui/run/logtext.h"
#include "ui/run/memoryplot.h"
#include "ui/widgets/button.h"
#include "ui/widgets/panel.h"

#include <QGridLayout>
#include <QLabel>
#include <QPainter>
#include <QVBoxLayout>

namespace lockstep::ui {

namespace {

constexpr int kStripe = 4, kEdge = 16, kFoot = 32, kLineHeight = 18;
constexpr int kEvidenceShare = 440, kLinesShare = 376, kAdviceShare = 424;
constexpr qsizetype kMostLines = 8;
constexpr int kMemoryHeight = 120;

QVBoxLayout* columnOf(QWidget* widget, const Theme& theme)
{
    auto* column = new QVBoxLayout(widget);
    column->setContentsMargins(theme.px(kEdge), theme.px(10), theme.px(kEdge), theme.px(8));
    column->setSpacing(theme.px(6));
    return column;
}

void empty(QLayout& layout)
{
    while (QLayoutItem* item = layout.takeAt(0)) {
        if (item->widget())
            item->widget()->deleteLater();
        delete item;
    }
}

} // namespace

CauseCard::CauseCard(Theme& theme, const RunData& run, QWidget* parent)
    : QFrame(parent), m_theme(theme), m_run(run), m_icon(new QLabel),
      m_title(makeLabel(theme, FontRole::CardTitle, Tone::Text)),
      m_detail(makeLabel(theme, FontRole::Cell, Tone::Text2)),
      m_linesTitle(makeLabel(theme, FontRole::CellStrong, Tone::Text)),
      m_lines(makeLabel(theme, FontRole::Mono, Tone::Text)), m_proof(makeLabel(theme, FontRole::Cell, Tone::Text2)),
      m_evidence(new QGridLayout), m_advice(new QVBoxLayout), m_memory(new MemoryPlot(theme, run)),
      m_openLog(new Button(theme, QStringLiteral("Open in log"), ButtonKind::Flat, {}, ButtonSize::Small)),
      m_again(new Button(theme, QStringLiteral("Launch again…"), ButtonKind::Primary, Icon::Launch)),
      m_fold(new Button(theme, QString(), ButtonKind::Flat, Icon::Right, ButtonSize::Small)),
      m_victims(makeLabel(theme, FontRole::CellStrong, Tone::Text)),
      m_victimWords(makeLabel(theme, FontRole::Cell, Tone::Text2))
{
    auto* column = makeColumn(this);
    column->setContentsMargins(theme.px(kStripe), 1, 1, 1);
    column->addWidget(makeHead());
    column->addWidget(makeLine(LineKind::Border, Qt::Horizontal));
    auto* middle = new QHBoxLayout;
    middle->setSpacing(0);
    middle->addWidget(makeEvidence(), kEvidenceShare);
    middle->addWidget(makeLine(LineKind::Border, Qt::Vertical));
    middle->addWidget(makeLastLines(), kLinesShare);
    middle->addWidget(makeLine(LineKind::Border, Qt::Vertical));
    middle->addWidget(makeAdvice(), kAdviceShare);
    column->addLayout(middle, 1);
    column->addWidget(makeLine(LineKind::Border, Qt::Horizontal));
    column->addWidget(makeFoot());
    connect(m_openLog, &QPushButton::clicked, this, [this] {
        if (m_run.state().cause)
            emit openInLog(m_run.state().cause->rank);
    });
    connect(m_again, &QPushButton::clicked, this, [this] { emit launchAgainRequested(specToContinue(m_run)); });
    connect(&theme, &Theme::changed, this, &CauseCard::tint);
    refresh();
}

QWidget* CauseCard::makeHead()
{
    auto* head = new QWidget;
    auto* row = new QHBoxLayout(head);
    row->setContentsMargins(m_theme.px(kEdge), m_theme.px(10), m_theme.px(kEdge), m_theme.px(10));
    row->setSpacing(m_theme.px(12));
    row->addWidget(m_icon, 0, Qt::AlignTop);
    auto* words = new QVBoxLayout;
    words->setSpacing(m_theme.px(2));
    words->addWidget(m_title);
    words->addWidget(m_detail);
    row->addLayout(words, 1);
    return head;
}

QWidget* CauseCard::makeEvidence()
{
    auto* panel = new QWidget;
    auto* column = columnOf(panel, m_theme);
    column->addWidget(makeLabel(m_theme, FontRole::CellStrong, Tone::Text, QStringLiteral("Evidence")));
    m_evidence->setHorizontalSpacing(m_theme.px(12));
    m_evidence->setVerticalSpacing(m_theme.px(4));
    m_evidence->setColumnMinimumWidth(0, m_theme.px(68));
    m_evidence->setColumnStretch(1, 1);
    column->addLayout(m_evidence);
    m_memory->setMinimumHeight(m_theme.px(kMemoryHeight));
    column->addWidget(m_memory, 1);
    column->addStretch(0);
    return panel;
}

QWidget* CauseCard::makeLastLines()
{
    auto* panel = new QWidget;
    auto* column = columnOf(panel, m_theme);
    auto* title = new QHBoxLayout;
    title->addWidget(m_linesTitle, 1);
    title->addWidget(m_openLog);
    column->addLayout(title);
    auto* box = makeGround(Ground::Alt);
    auto* inside = new QVBoxLayout(box);
    inside->setContentsMargins(m_theme.px(8), m_theme.px(6), m_theme.px(8), m_theme.px(6));
    m_lines->setTextFormat(Qt::RichText); // of our own making, what the rank said is escaped
    m_lines->setWordWrap(true);
    m_lines->setMinimumWidth(0);
    m_lines->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_lines->setTextInteractionFlags(Qt::TextSelectableByMouse);
    inside->addWidget(m_lines);
    column->addWidget(box);
    column->addStretch(1);
    return panel;
}

QWidget* CauseCard::makeAdvice()
{
    auto* panel = new QWidget;
    auto* column = columnOf(panel, m_theme);
    column->addWidget(makeLabel(m_theme, FontRole::CellStrong, Tone::Text, QStringLiteral("What to do")));
    m_advice->setSpacing(m_theme.px(8));
    column->addLayout(m_advice);
    column->addSpacing(m_theme.px(4));
    column->addWidget(m_again, 0, Qt::AlignLeft);
    column->addStretch(1);
    return panel;
}

QWidget* CauseCard::makeFoot()
{
    auto* foot = makeGround(Ground::Window);
    foot->setFixedHeight(m_theme.px(kFoot));
    auto* row = makeRow(foot);
    row->setContentsMargins(m_theme.px(kEdge), 0, m_theme.px(kEdge), 0);
    row->addWidget(m_fold);
    row->addWidget(m_victims);
    row->addWidget(m_victimWords, 1);
    row->addWidget(m_proof);
    m_victimWords->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    connect(m_fold, &QPushButton::clicked, this, [this] {
        m_victimWords->setProperty("unfolded", !m_victimWords->property("unfolded").toBool());
        fillFoot();
    });
    return foot;
}

QString CauseCard::title() const
{
    return m_title->text();
}

void CauseCard::refresh()
{
    const RunState& state = m_run.state();
    const bool over = isOver(state.phase);
    setVisible(state.cause.has_value() && over);
    if (!state.cause || (m_shown == state.cause && m_shownProof == state.proof()))
        return;
    m_shown = state.cause;
    m_shownProof = state.proof();
    m_title->setText(state.cause->title);
    m_detail->setText(state.cause->detail);
    fillEvidence();
    fillLastLines();
    fillAdvice();
    fillFoot();
    tint();
}

void CauseCard::fillEvidence()
{
    empty(*m_evidence);
    int row = 0;
    for (const Evidence& evidence : evidenceFor(m_run)) {
        m_evidence->addWidget(makeLabel(m_theme, FontRole::Caption, Tone::Text3, evidence.source), row, 0,
                              Qt::AlignTop);
        QLabel* text = makeLabel(m_theme, FontRole::Cell, Tone::Text, evidence.text);
        text->setWordWrap(true);
        m_evidence->addWidget(text, row, 1);
        ++row;
    }
    for (const RankState& rank : m_run.state().ranks)
        if (rank.rank == m_shown->rank)
            m_memory->setRank(rank.rank, rank.nodeIndex);
    m_memory->setVisible(m_memory->hasData());
}

void CauseCard::fillLastLines()
{
    const Tokens& tokens = m_theme.tokens();
    const bool ofRank = m_shown->rank >= 0; // else a node or the launch is the cause
    m_linesTitle->setText(ofRank ? QStringLiteral("Last lines of rank %1").arg(m_shown->rank)
                                 : QStringLiteral("Last lines"));
    m_openLog->setVisible(ofRank);
    QStringList html;
    const qsizetype first = std::max<qsizetype>(0, m_shown->lastLines.size() - kMostLines);
    for (qsizetype i = first; i < m_shown->lastLines.size(); ++i) {
        const QString line = plainText(m_shown->lastLines[i]);
        const LogSeverity severity = severityOf(line);
        const QColor colour = severity == LogSeverity::Bad       ? tokens.bad
                              : severity == LogSeverity::Warning ? tokens.warn
                                                                 : tokens.text;
        html << QStringLiteral("<span style=\"color:%1\">%2</span>").arg(colour.name(), line.toHtmlEscaped());
    }
    if (html.isEmpty())
        html << (ofRank ? QStringLiteral("It said nothing.") : QStringLiteral("No rank is the cause."));
    m_lines->setText(QStringLiteral("<div style=\"line-height:%1px; white-space:pre-wrap\">%2</div>")
                         .arg(m_theme.px(kLineHeight))
                         .arg(html.join(QStringLiteral("<br>"))));
}

void CauseCard::fillAdvice()
{
    empty(*m_advice);
    int number = 0;
    for (const Advice& advice : adviceFor(m_run)) {
        auto* item = new QWidget;
        auto* grid = new QGridLayout(item);
        grid->setContentsMargins(0, 0, 0, 0);
        grid->setHorizontalSpacing(m_theme.px(12));
        grid->setVerticalSpacing(0);
        grid->setColumnStretch(1, 1);
        grid->addWidget(makeLabel(m_theme, FontRole::Caption, Tone::Text3, QString::number(++number)), 0, 0,
                        Qt::AlignTop);
        grid->addWidget(makeLabel(m_theme, FontRole::CellStrong, Tone::Text, advice.what), 0, 1);
        QLabel* why = makeLabel(m_theme, FontRole::Cell, Tone::Text2, advice.why);
        why->setWordWrap(true);
        grid->addWidget(why, 1, 1);
        m_advice->addWidget(item);
    }
    m_again->setText(checkpointOf(m_run).isEmpty() ? QStringLiteral("Launch again…")
                                                   : QStringLiteral("Continue from the checkpoint…"));
}

void CauseCard::fillFoot()
{
    const QList<int>& victims = m_shown->victims;
    m_victims->setText(victims.size() == 1 ? QStringLiteral("1 victim")
                                           : QStringLiteral("%1 victims").arg(victims.size()));
    QString words = victims.isEmpty() ? QStringLiteral("no other rank ended because of it")
                                      : (victims.size() == 1 ? QStringLiteral("rank ") : QStringLiteral("ranks ")) +
                                            figures::rankList(victims) + QStringLiteral(" ended because of it");
    if (m_victimWords->property("unfolded").toBool()) {
        QStringList each;
        for (const RankState& rank : m_run.state().ranks)
            if (victims.contains(rank.rank))
                each << QStringLiteral("%1: %2").arg(rank.rank).arg(rank.reason);
        words = each.join(QStringLiteral(" · "));
    }
    m_victimWords->setText(words);
    m_proof->setText(m_shownProof);
}

void CauseCard::tint()
{
    m_icon->setPixmap(m_theme.pixmap(Icon::Bad, m_theme.tokens().bad, 20, devicePixelRatioF()));
    m_openLog->setStyleSheet(QStringLiteral("QPushButton { color: %1; }").arg(m_theme.tokens().accent.name()));
    if (m_shown)
        fillLastLines();
    update();
}

void CauseCard::paintEvent(QPaintEvent*)
{
    const Tokens& tokens = m_theme.tokens();
    QPainter painter(this);
    painter.fillRect(rect(), tokens.surface);
    painter.setPen(tokens.border);
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
    painter.fillRect(0, 0, m_theme.px(kStripe), height(), tokens.bad);
}

} // namespace lockstep::ui
