// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/logdelegate.h"

#include "ui/plots/figures.h"
#include "ui/run/logmodel.h"
#include "ui/run/logtext.h"
#include "ui/theme.h"

#include <QPainter>

#include <algorithm>

namespace lockstep::ui {

namespace {

constexpr int kLineHeight = 18;
constexpr int kEdge = 16;
constexpr int kBarWidth = 2, kBarHeight = 14;
constexpr int kLongestNode = 12; // characters; longer names are elided

QColor wordsColour(const Tokens& tokens, LogSeverity severity)
{
    switch (severity) {
    case LogSeverity::Usual:
        return tokens.text;
    case LogSeverity::Warning:
        return tokens.warn;
    case LogSeverity::Bad:
        break;
    }
    return tokens.bad;
}

int longestNode(const RunData& run)
{
    qsizetype longest = 4;
    for (const PlannedNode& node : run.plan().nodes)
        longest = std::max(longest, node.name.size());
    return static_cast<int>(std::min<qsizetype>(longest, kLongestNode));
}

} // namespace

LogDelegate::LogDelegate(Theme& theme, const RunData& run, const LogModel& model, QObject* parent)
    : QStyledItemDelegate(parent), m_theme(theme), m_run(run), m_model(model)
{
}

void LogDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const Tokens& tokens = m_theme.tokens();
    const LogLine& line = m_model.line(index.row());
    const bool atCursor = index.row() == m_cursorRow;
    const QRect place = option.rect;
    painter->save();
    painter->fillRect(place, atCursor || option.state.testFlag(QStyle::State_Selected) ? tokens.sel : tokens.surface);
    if (atCursor)
        painter->fillRect(
            QRect(place.left() + 2, place.top() + (place.height() - kBarHeight) / 2, kBarWidth, kBarHeight),
            tokens.accent);
    painter->setFont(m_theme.font(FontRole::Mono));
    const int character = painter->fontMetrics().horizontalAdvance(QLatin1Char('0'));
    int x = place.left() + m_theme.px(kEdge);
    const auto column = [&](const QString& text, const QColor& colour, int characters) {
        painter->setPen(colour);
        const QRect cell(x, place.top(), characters * character, place.height());
        painter->drawText(cell, Qt::AlignLeft | Qt::AlignVCenter,
                          painter->fontMetrics().elidedText(text, Qt::ElideMiddle, cell.width() + 1));
        x += (characters + 1) * character;
    };
    column(figures::wallTime(line.wallUs), tokens.text3, 12);
    column(m_run.plan().nodes.value(line.nodeIndex).name, tokens.text2, longestNode(m_run));
    const int rankDigits = m_run.plan().worldSize > 100 ? 3 : m_run.plan().worldSize > 10 ? 2 : 1;
    column(line.rank >= 0 ? QStringLiteral("rank %1").arg(line.rank) : QStringLiteral("node"), tokens.text2,
           5 + rankDigits);
    painter->setPen(wordsColour(tokens, static_cast<LogSeverity>(index.data(LogModel::SeverityRole).toInt())));
    const QRect rest(x, place.top(), std::max(0, place.right() - x - m_theme.px(4)), place.height());
    painter->drawText(
        rest, Qt::AlignLeft | Qt::AlignVCenter,
        painter->fontMetrics().elidedText(index.data(LogModel::LineRole).toString(), Qt::ElideRight, rest.width()));
    painter->restore();
}

QSize LogDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const
{
    return {m_theme.px(100), m_theme.px(kLineHeight)};
}

} // namespace lockstep::ui
