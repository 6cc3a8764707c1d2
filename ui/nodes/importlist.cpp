// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/nodes/importlist.h"

#include "ui/widgets/button.h"
#include "ui/widgets/elidedlabel.h"
#include "ui/widgets/field.h"
#include "ui/widgets/panel.h"

#include <QBoxLayout>
#include <QCheckBox>
#include <QScrollArea>

#include <algorithm>

namespace lockstep::ui {

namespace {

constexpr int kRowsShown = 8;     // more scroll
constexpr int kProblemsShown = 6; // the rest is counted

QString counted(qsizetype count)
{
    return count == 1 ? QStringLiteral("1 host") : QStringLiteral("%1 hosts").arg(count);
}

} // namespace

ImportList::ImportList(Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme)
{
    auto* column = makeColumn(this);
    auto* row = makeRow(nullptr);
    m_file = new Field(theme, QStringLiteral("~/hosts: a hostfile, a list of Slurm's or Ansible's"));
    m_file->setObjectName(QStringLiteral("importFile"));
    m_file->setAccessibleName(QStringLiteral("file to import"));
    m_file->setMaximumWidth(theme.px(320));
    auto* read = new Button(theme, QStringLiteral("Read file"));
    read->setObjectName(QStringLiteral("readFile"));
    row->addWidget(m_file, 1);
    row->addWidget(read);
    row->addStretch(0);
    column->addLayout(row);
    column->addSpacing(theme.px(8));
    m_caption = new ElidedLabel(theme, FontRole::Cell, Tone::Text2);
    column->addWidget(m_caption);
    column->addSpacing(theme.px(8));
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
    m_problems = makeColumn(nullptr);
    column->addLayout(m_problems);
    column->addSpacing(theme.px(8));
    m_import = new Button(theme, QStringLiteral("Import"), ButtonKind::Outlined, Icon::Import);
    column->addWidget(m_import, 0, Qt::AlignLeft);
    const auto ask = [this] {
        const QString path = m_file->text().trimmed();
        path.isEmpty() ? m_file->setFocus() : emit fileWanted(path);
    };
    connect(read, &QPushButton::clicked, this, ask);
    connect(m_file, &QLineEdit::returnPressed, this, ask);
    connect(m_file, &QLineEdit::textChanged, this, [this] { m_file->setWrong({}); });
    connect(m_import, &QPushButton::clicked, this, [this] { emit importRequested(m_offer.file, chosen()); });
    setOffer({}, {});
}

void ImportList::setOffer(const ImportOffer& offer, const QStringList& known)
{
    m_offer = offer;
    m_file->setWrong({});
    setTone(*m_caption, Tone::Text2);
    fillBoxes(offer.file.isEmpty() ? known : QStringList());
    fillProblems();
    const auto rows = m_checks.size();
    const QString where = offer.file.isEmpty() ? QString() : QStringLiteral(" in ") + offer.file;
    m_caption->setText(
        rows == 0
            ? QStringLiteral("No host there that is not a node already.")
            : QStringLiteral("%1 found%2. Nothing is contacted before you press Import.").arg(counted(rows), where));
    recount();
}

void ImportList::setRefused(const QString& sentence)
{
    m_file->setWrong(sentence);
    setTone(*m_caption, Tone::Bad);
    m_caption->setText(sentence);
}

void ImportList::fillBoxes(const QStringList& known)
{
    qDeleteAll(m_checks);
    m_checks.clear();
    for (const auto& [name, detail] : m_offer.hosts) {
        if (known.contains(name))
            continue;
        auto* check = new QCheckBox(QStringLiteral("%1   %2").arg(name, detail));
        check->setFont(m_theme.font(FontRole::Cell));
        check->setProperty("alias", name);
        check->setFixedHeight(m_theme.px(24));
        check->setChecked(!m_offer.file.isEmpty()); // a file that was asked for is meant as a whole
        connect(check, &QCheckBox::toggled, this, &ImportList::recount);
        m_boxes->addWidget(check);
        m_checks.append(check);
    }
    auto* scroll = findChild<QScrollArea*>(QStringLiteral("aliases"));
    scroll->setFixedHeight(std::min(static_cast<int>(m_checks.size()), kRowsShown) * m_theme.px(24));
}

void ImportList::fillProblems()
{
    while (QLayoutItem* item = m_problems->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    const auto& problems = m_offer.problems;
    for (qsizetype i = 0; i < std::min<qsizetype>(problems.size(), kProblemsShown); ++i)
        m_problems->addWidget(new ElidedLabel(m_theme, FontRole::Cell, Tone::Warn, problems[i]));
    if (problems.size() > kProblemsShown)
        m_problems->addWidget(
            new ElidedLabel(m_theme, FontRole::Cell, Tone::Text2,
                            QStringLiteral("%1 more lines were left out; lockstep nodes import lists them")
                                .arg(problems.size() - kProblemsShown)));
}

QStringList ImportList::chosen() const
{
    QStringList names;
    for (const QCheckBox* check : m_checks)
        if (check->isChecked())
            names.append(check->property("alias").toString());
    return names;
}

void ImportList::recount()
{
    const auto count = chosen().size();
    m_import->setVisible(!m_checks.isEmpty());
    m_import->setEnabled(count > 0);
    m_import->setText(count == 0 ? QStringLiteral("Choose hosts to import")
                                 : QStringLiteral("Import %1").arg(counted(count)));
}

} // namespace lockstep::ui
