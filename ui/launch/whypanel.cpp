// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/launch/whypanel.h"

#include "core/sentence.h"
#include "ui/launch/reachmodel.h"
#include "ui/widgets/datatable.h"
#include "ui/widgets/elidedlabel.h"

#include <QBoxLayout>
#include <QHeaderView>

namespace lockstep::ui {

WhyPanel::WhyPanel(Theme& theme, QWidget* parent) : QFrame(parent), m_model(new ReachModel(this))
{
    setProperty("ground", QStringLiteral("surface"));
    auto* column = makeColumn(this);
    m_title = new ElidedLabel(theme, FontRole::PanelTitle, Tone::Text);
    m_title->setFixedHeight(theme.px(36));
    m_title->setContentsMargins(theme.px(16), 0, theme.px(16), 0);
    m_sentence = makeLabel(theme, FontRole::Cell, Tone::Text);
    m_sentence->setWordWrap(true);
    m_sentence->setAlignment(Qt::AlignLeft | Qt::AlignTop); // alone, it has the panel to itself
    m_sentence->setContentsMargins(theme.px(16), 0, theme.px(16), theme.px(10));
    m_table = new DataTable(theme, *m_model,
                            {{QStringLiteral("100.100.100.100:29417"), 16, 1, 0},
                             {QStringLiteral("not reached: it is gpu2's own"), 0, 3, 0},
                             {QStringLiteral("ens1f0, 100 Gb/s"), 0, 1, 0}},
                            24);
    m_table->horizontalHeader()->hide();
    m_table->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Ignored); // it takes what is there and scrolls
    m_table->setSelectionMode(QAbstractItemView::NoSelection);
    m_table->setFocusPolicy(Qt::NoFocus);
    column->addWidget(m_title);
    column->addWidget(m_sentence);
    column->addWidget(makeLine(LineKind::Grid, Qt::Horizontal));
    column->addWidget(m_table, 1);
    setNothing();
}

void WhyPanel::setSubject(const QString& node, const QString& column, const Sourced& value,
                          const QList<ReachTry>& reach, About about)
{
    const QString what = value.value.isEmpty() ? column : value.value;
    m_title->setText(
        about == About::Master
            ? QStringLiteral("Why %1 on %2?")
                  .arg(what.section(QLatin1Char(':'), 0, -2).isEmpty() ? what : what.section(QLatin1Char(':'), 0, -2),
                       node)
            : QStringLiteral("Why %1 %2 on %3?").arg(column, value.value, node));
    QString sentence =
        value.source.isEmpty() ? QStringLiteral("not measured yet; Launch measures it first") : value.source;
    sentence[0] = sentence[0].toUpper();
    m_sentence->setText(withFullStop(sentence));
    m_model->setTries(about == About::Master ? reach : QList<ReachTry>());
    m_table->setVisible(m_model->rowCount() > 0 || about == About::Value);
}

void WhyPanel::setNothing()
{
    m_title->setText(QStringLiteral("Why?"));
    m_sentence->setText(QStringLiteral("Select a value in the table above to see where it comes from."));
    m_model->setTries({});
}

} // namespace lockstep::ui
