// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/launch/commandpanel.h"

#include "ui/widgets/button.h"
#include "ui/widgets/combo.h"

#include <QBoxLayout>
#include <QClipboard>
#include <QGuiApplication>
#include <QTextBlockFormat>
#include <QTextCursor>
#include <QTextEdit>

namespace lockstep::ui {

namespace {

constexpr int kLineHigh = 16;
constexpr int kCharacters = 76;

QStringList shellWords(const QString& command)
{
    QStringList words;
    QString word;
    QChar quote;
    for (qsizetype i = 0; i < command.size(); ++i) {
        const QChar c = command.at(i);
        if (c == QLatin1Char('\\') && quote != QLatin1Char('\'') && i + 1 < command.size()) {
            word += c;
            word += command.at(++i);
            continue;
        }
        if (quote.isNull() && (c == QLatin1Char('\'') || c == QLatin1Char('"')))
            quote = c;
        else if (c == quote)
            quote = QChar();
        if (c == QLatin1Char(' ') && quote.isNull()) {
            if (!word.isEmpty())
                words.append(std::exchange(word, {}));
            continue;
        }
        word += c;
    }
    if (!word.isEmpty())
        words.append(word);
    return words;
}

bool isVariable(const QString& word)
{
    const qsizetype equals = word.indexOf(QLatin1Char('='));
    return equals > 0 && (word.at(0).isLetter() || word.at(0) == QLatin1Char('_'));
}

} // namespace

QString commandForReading(const QByteArray& command, int characters)
{
    QStringList lines;
    QString line;
    bool program = false; // passed; what follows is indented
    const QString indent = QStringLiteral("  ");
    const auto flush = [&] {
        if (!line.trimmed().isEmpty())
            lines.append(line);
        line = program ? indent : QString();
    };
    const QStringList words = shellWords(QString::fromUtf8(command));
    for (const QString& word : words) {
        const bool option = word.startsWith(QLatin1String("--"));
        const bool starts =
            !program && !isVariable(word) && word != QLatin1String("env") && !word.startsWith(QLatin1Char('-'));
        if (starts) {
            flush();
            lines.append(word);
            program = true;
            line = indent;
            continue;
        }
        const bool full = line.size() + word.size() + (option ? 12 : 1) > characters;
        if (full && !line.trimmed().isEmpty())
            flush();
        if (!line.isEmpty() && line != indent)
            line += QLatin1Char(' ');
        line += word;
    }
    flush();
    return lines.join(QLatin1Char('\n'));
}

CommandPanel::CommandPanel(Theme& theme, QWidget* parent) : QFrame(parent), m_theme(theme)
{
    setProperty("ground", QStringLiteral("surface"));
    auto* column = makeColumn(this);
    column->setContentsMargins(theme.px(16), 0, theme.px(16), theme.px(16));
    auto* row = makeRow(nullptr);
    m_rank = new Combo(theme);
    m_rank->setHeight(24);
    m_rank->setFont(theme.font(FontRole::Cell));
    m_copy = new Button(theme, QStringLiteral("Copy"), ButtonKind::Flat, Icon::Copy, ButtonSize::Small);
    row->addWidget(makeLabel(theme, FontRole::PanelTitle, Tone::Text, QStringLiteral("Command of")));
    row->addWidget(m_rank);
    row->addStretch(1);
    row->addWidget(m_copy);
    auto* head = new QWidget;
    head->setFixedHeight(theme.px(36));
    head->setLayout(row);
    auto* box = makeGround(Ground::Alt);
    auto* inner = makeColumn(box);
    inner->setContentsMargins(theme.px(8), theme.px(8), 1, theme.px(8));
    m_text = new QTextEdit;
    m_text->setReadOnly(true);
    m_text->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Ignored); // it takes what is there and scrolls
    m_text->setFont(theme.font(FontRole::Mono));
    m_text->setFrameShape(QFrame::NoFrame);
    m_text->setProperty("look", QStringLiteral("code"));
    m_text->setTabChangesFocus(true);
    m_text->setAccessibleName(QStringLiteral("command"));
    inner->addWidget(m_text);
    column->addWidget(head);
    column->addWidget(box, 1);
    connect(m_rank, &QComboBox::currentIndexChanged, this, &CommandPanel::showCommand);
    connect(m_copy, &QPushButton::clicked, this,
            [this] { QGuiApplication::clipboard()->setText(QString::fromUtf8(command())); });
}

void CommandPanel::setPlan(const LaunchPlan& plan)
{
    const int chosen = std::max(m_rank->currentIndex(), 0);
    m_plan = plan;
    QStringList items;
    for (const PlannedRank& rank : plan.ranks)
        items.append(QStringLiteral("rank %1 on %2").arg(rank.rank).arg(plan.nodes.value(rank.nodeIndex).name));
    QStringList before;
    for (int i = 0; i < m_rank->count(); ++i)
        before.append(m_rank->itemText(i));
    if (items != before) {
        const QSignalBlocker quiet(m_rank);
        m_rank->clear();
        m_rank->addItems(items);
        m_rank->setCurrentIndex(chosen < items.size() ? chosen : items.isEmpty() ? -1 : 0);
        m_rank->updateGeometry();
    }
    showCommand();
}

QByteArray CommandPanel::command() const
{
    const int rank = m_rank->currentIndex();
    return rank >= 0 && rank < m_plan.ranks.size() && m_plan.masterPort > 0 ? m_plan.command(m_plan.ranks[rank].rank)
                                                                            : QByteArray();
}

QByteArray CommandPanel::allCommands() const
{
    return m_plan.masterPort > 0 ? m_plan.commands() : QByteArray();
}

void CommandPanel::showCommand()
{
    const QByteArray line = command();
    m_copy->setEnabled(!line.isEmpty());
    const QString text =
        m_plan.ranks.isEmpty() ? QStringLiteral("No rank is planned yet.")
        : line.isEmpty() ? QStringLiteral("Press “Measure again”: the port, and where the runtime\nlies on the node, "
                                          "are known then.")
                         : commandForReading(line, kCharacters);
    if (text == m_text->toPlainText())
        return;
    m_text->setPlainText(text);
    QTextCursor all(m_text->document());
    all.select(QTextCursor::Document);
    QTextBlockFormat format;
    format.setLineHeight(m_theme.px(kLineHigh), QTextBlockFormat::FixedHeight);
    all.mergeBlockFormat(format);
}

} // namespace lockstep::ui
