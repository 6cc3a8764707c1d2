// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/nodes/importlist.h"

#include "ui/widgets/button.h"
#include "ui/widgets/elidedlabel.h"
#include "ui/widgets/panel.h"

#include <QBoxLayout>
#include <QCheckBox>
#include <QScrollArea>

#include <algorithm>

namespace lockstep::ui {

namespace {

constexpr int kRowsShown = 8; // more scroll

} // namespace

ImportList::ImportList(Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme)
{
    auto* column = makeColumn(this);
    m_caption = new ElidedLabel(theme, FontRole::Cell, Tone::Text2);
    column->addWidget(m_caption);
    column->addSpacing(theme.px(12));
    auto* list = new QWidget;
    m_boxes = makeColumn(list);
    auto* scroll = new QScrollArea;
    scroll->setWidget(list);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list->setAutoFillBackground(false);
    scroll->viewport()->setAutoFillBackground(false);
    scroll->setObjectName(QStringLiteral("aliases"));
    column->addWidget(scroll);
    column->addSpacing(theme.px(8));
    m_import = new Button(theme, QStringLiteral("Import"), ButtonKind::Outlined, Icon::Import);
    column->addWidget(m_import, 0, Qt::AlignLeft);
    connect(m_import, &QPushButton::clicked, this, [this] { emit importRequested(chosen()); });
    setAliases({}, {});
}

void ImportList::setAliases(const QList<QPair<QString, QString>>& aliases, const QStringList& known)
{
    qDeleteAll(m_checks);
    m_checks.clear();
    for (const auto& [alias, detail] : aliases) {
        if (known.contains(alias))
            continue;
        auto* check = new QCheckBox(QStringLiteral("%1   %2").arg(alias, detail));
        check->setFont(m_theme.font(FontRole::Cell));
        check->setProperty("alias", alias);
        check->setFixedHeight(m_theme.px(24));
        connect(check, &QCheckBox::toggled, this, &ImportList::recount);
        m_boxes->addWidget(check);
        m_checks.append(check);
    }
    const int rows = static_cast<int>(m_checks.size());
    auto* scroll = findChild<QScrollArea*>(QStringLiteral("aliases"));
    scroll->setFixedHeight(std::min(rows, kRowsShown) * m_theme.px(24));
    const QString count = rows == 1 ? QStringLiteral("1 host found") : QStringLiteral("%1 hosts found").arg(rows);
    m_caption->setText(rows == 0 ? QStringLiteral("No host there that is not a node already.")
                                 : QStringLiteral("%1. Nothing is contacted before you press Import.").arg(count));
    recount();
}

QStringList ImportList::chosen() const
{
    QStringList aliases;
    for (const QCheckBox* check : m_checks)
        if (check->isChecked())
            aliases.append(check->property("alias").toString());
    return aliases;
}

void ImportList::recount()
{
    const auto count = chosen().size();
    m_import->setVisible(!m_checks.isEmpty());
    m_import->setEnabled(count > 0);
    m_import->setText(count == 0   ? QStringLiteral("Choose hosts to import")
                      : count == 1 ? QStringLiteral("Import 1 host")
                                   : QStringLiteral("Import %1 hosts").arg(count));
}

} // namespace lockstep::ui
