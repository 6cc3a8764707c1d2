// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/nodes/startpanel.h"

#include "ui/nodes/addnode.h"
#include "ui/nodes/importlist.h"
#include "ui/widgets/button.h"

#include <QBoxLayout>

namespace lockstep::ui {

namespace {

QLabel* sentence(const Theme& theme, const QString& html)
{
    QLabel* label = makeLabel(theme, FontRole::Cell, Tone::Text2);
    label->setTextFormat(Qt::RichText); // our own words; <code> for what is typed
    label->setText(
        QString(html)
            .replace(QLatin1String("<code>"), QStringLiteral("<span style=\"font-family:'%1';font-size:%2px\">")
                                                  .arg(theme.font(FontRole::Mono).family())
                                                  .arg(theme.px(11)))
            .replace(QLatin1String("</code>"), QLatin1String("</span>")));
    label->setWordWrap(true);
    return label;
}

} // namespace

StartPanel::StartPanel(Theme& theme, QWidget* parent) : QFrame(parent), m_theme(theme)
{
    setProperty("ground", QStringLiteral("surface"));
    auto* column = makeColumn(this);
    column->addWidget(new PanelHeader(theme, QStringLiteral("Start here"), 40));

    auto* demo =
        section(*column, Icon::Launch, QStringLiteral("Run the demo"),
                QStringLiteral("Trains a small network on Fashion-MNIST, two ranks on this machine, about a minute. "
                               "Shows everything a large run shows."));
    auto* buttons = makeRow(nullptr);
    auto* run = new Button(theme, QStringLiteral("Run the demo"), ButtonKind::Primary, Icon::Launch);
    run->setObjectName(QStringLiteral("runDemo"));
    auto* table = new Button(theme, QStringLiteral("Its launch table"), ButtonKind::Flat);
    buttons->addWidget(run);
    buttons->addWidget(table);
    buttons->addStretch(1);
    demo->addLayout(buttons);
    connect(run, &QPushButton::clicked, this, &StartPanel::demoRequested);
    connect(table, &QPushButton::clicked, this, &StartPanel::demoTableRequested);

    auto* add =
        section(*column, Icon::Plus, QStringLiteral("Add a node"),
                QStringLiteral("Anything that ssh takes: <code>gpu1</code>, <code>alice@10.0.0.11:2222</code>, a "
                               "range such as <code>gpu[1-8]</code>."));
    m_add = new AddNode(theme);
    add->addWidget(m_add);

    auto* import = section(*column, Icon::Import, QStringLiteral("Import from ~/.ssh/config"), {});
    m_import = new ImportList(theme);
    import->addWidget(m_import);

    auto* last =
        sentence(theme, QStringLiteral("Nothing else has to be configured.<br>All of it also works in the terminal:<br>"
                                       "<code>lockstep --help</code>"));
    last->setContentsMargins(theme.px(40), theme.px(16), theme.px(16), 0);
    column->addWidget(last);
    column->addStretch(1);
}

QVBoxLayout* StartPanel::section(QVBoxLayout& column, Icon icon, const QString& title, const QString& html)
{
    auto* row = makeRow(nullptr);
    row->setContentsMargins(m_theme.px(16), m_theme.px(16), m_theme.px(16), m_theme.px(16));
    auto* mark = new QLabel;
    const auto tint = [this, mark, icon] {
        mark->setPixmap(m_theme.pixmap(icon, m_theme.tokens().accent, 16, devicePixelRatioF()));
    };
    tint();
    connect(&m_theme, &Theme::changed, mark, tint);
    mark->setFixedSize(m_theme.px(16), m_theme.px(20));
    row->addWidget(mark, 0, Qt::AlignTop);
    auto* content = makeColumn(nullptr);
    content->setSpacing(m_theme.px(6));
    content->addWidget(makeLabel(m_theme, FontRole::CardTitle, Tone::Text, title));
    if (!html.isEmpty()) {
        content->addWidget(sentence(m_theme, html));
        content->addSpacing(m_theme.px(6));
    }
    row->addLayout(content, 1);
    column.addLayout(row);
    column.addWidget(makeLine(LineKind::Border, Qt::Horizontal));
    return content;
}

} // namespace lockstep::ui
