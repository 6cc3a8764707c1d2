// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/factspanel.h"

#include "ui/run/factsmodel.h"
#include "ui/widgets/datatable.h"
#include "ui/widgets/field.h"
#include "ui/widgets/panel.h"

#include <QBoxLayout>

namespace lockstep::ui {

namespace {

constexpr int kHeader = 36, kRow = 24, kControl = 24, kFilterWidth = 120;

} // namespace

FactsPanel::FactsPanel(Theme& theme, const RunData& run, QWidget* parent)
    : QWidget(parent), m_run(run), m_model(new FactsModel(this))
{
    auto* header = new PanelHeader(theme, QStringLiteral("facts"), kHeader);
    auto* filter = new Field(theme, QStringLiteral("Filter"), Icon::Search);
    filter->setFixedSize(theme.px(kFilterWidth), theme.px(kControl));
    filter->setFont(theme.font(FontRole::Cell));
    header->row().addWidget(filter);
    auto* table = new DataTable(theme, *m_model,
                                {{.sample = QStringLiteral("steps_per_epoch_")},
                                 {.sample = QStringLiteral("model=cnn data="), .stretch = 1},
                                 {.sample = QStringLiteral("0-63, 65")}},
                                kRow);
    table->setObjectName(QStringLiteral("facts"));
    auto* column = makeColumn(this);
    column->addWidget(header);
    column->addWidget(table, 1);
    connect(filter, &QLineEdit::textChanged, table, &DataTable::setFilter);
}

void FactsPanel::refresh()
{
    if (isVisible())
        m_model->setFacts(factsOf(m_run));
}

void FactsPanel::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    refresh();
}

} // namespace lockstep::ui
