// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/launch/problemspanel.h"

#include "ui/widgets/elidedlabel.h"

#include <QBoxLayout>
#include <QScrollArea>

#include <algorithm>

namespace lockstep::ui {

namespace {

struct Look {
    Icon icon;
    Tone tone;
};

Look lookOf(Severity severity)
{
    switch (severity) {
    case Severity::Error:
        return {Icon::Bad, Tone::Bad};
    case Severity::Warning:
        return {Icon::Warn, Tone::Warn};
    case Severity::Note:
        return {Icon::Note, Tone::Text2};
    }
    return {Icon::Note, Tone::Text2};
}

int rankOf(Severity severity)
{
    return -static_cast<int>(severity); // errors first
}

} // namespace

QString problemCount(const QList<Problem>& problems)
{
    QStringList parts;
    for (const auto& [severity, word] :
         {std::pair{Severity::Error, "error"}, {Severity::Warning, "warning"}, {Severity::Note, "note"}}) {
        const auto count = std::ranges::count(problems, severity, &Problem::severity);
        if (count > 0)
            parts.append(QStringLiteral("%1 %2%3").arg(count).arg(QLatin1String(word),
                                                                  count == 1 ? QString() : QStringLiteral("s")));
    }
    return parts.join(QStringLiteral(", "));
}

ProblemsPanel::ProblemsPanel(Theme& theme, QWidget* parent) : QFrame(parent), m_theme(theme)
{
    setProperty("ground", QStringLiteral("surface"));
    auto* column = makeColumn(this);
    m_header = new PanelHeader(theme, QStringLiteral("Problems"), 37);
    column->addWidget(m_header);
    auto* list = makeGround(Ground::Surface);
    m_rows = makeColumn(list);
    m_rows->addStretch(1);
    auto* scroll = new QScrollArea;
    scroll->setWidget(list);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    column->addWidget(scroll, 1);
    m_header->setCaption(QStringLiteral("none"));
}

void ProblemsPanel::setProblems(const QList<Problem>& problems)
{
    QList<Problem> sorted = problems;
    std::ranges::stable_sort(sorted, {}, [](const Problem& p) { return rankOf(p.severity); });
    if (sorted == m_problems)
        return;
    m_problems = sorted;
    qDeleteAll(m_shown);
    m_shown.clear();
    for (const Problem& problem : sorted) {
        m_shown.append(makeRowOf(problem));
        m_rows->insertWidget(static_cast<int>(m_shown.size()) - 1, m_shown.last());
    }
    const bool stops = std::ranges::any_of(sorted, [](const Problem& p) { return p.severity == Severity::Error; });
    const QString count = problemCount(sorted);
    m_header->setCaption(count.isEmpty() ? QStringLiteral("none")
                         : stops         ? QStringLiteral("%1; an error stops the launch").arg(count)
                                         : QStringLiteral("%1; none of them stops a launch").arg(count));
}

QWidget* ProblemsPanel::makeRowOf(const Problem& problem)
{
    const Look look = lookOf(problem.severity);
    auto* whole = new QWidget;
    auto* column = makeColumn(whole);
    auto* strip = new QWidget;
    auto* row = makeRow(strip);
    row->setContentsMargins(m_theme.px(16), 0, m_theme.px(16), 0);
    auto* mark = new QLabel;
    const auto tint = [this, mark, look] {
        mark->setPixmap(m_theme.pixmap(look.icon, toneColour(m_theme.tokens(), look.tone), 16, devicePixelRatioF()));
    };
    tint();
    connect(&m_theme, &Theme::changed, mark, tint);
    row->addWidget(mark);
    row->addWidget(makeLabel(m_theme, FontRole::CellStrong, Tone::Text, problem.title));
    row->addWidget(new ElidedLabel(m_theme, FontRole::Cell, Tone::Text2, problem.detail), 1);
    whole->setFixedHeight(m_theme.px(41));
    column->addWidget(strip, 1);
    column->addWidget(makeLine(LineKind::Grid, Qt::Horizontal));
    return whole;
}

} // namespace lockstep::ui
