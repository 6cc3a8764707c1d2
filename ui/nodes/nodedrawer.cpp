// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/nodes/nodedrawer.h"

#include "ui/nodes/addnode.h"
#include "ui/nodes/editnode.h"
#include "ui/nodes/importlist.h"
#include "ui/widgets/button.h"
#include "ui/widgets/elidedlabel.h"
#include "ui/widgets/panel.h"

#include <QBoxLayout>

namespace lockstep::ui {

NodeDrawer::NodeDrawer(Theme& theme, QWidget* parent) : QFrame(parent)
{
    setGround(*this, Ground::Surface);
    auto* column = makeColumn(this);
    auto* row = makeRow(nullptr);
    row->setContentsMargins(theme.px(16), theme.px(12), theme.px(16), theme.px(12));
    row->setSpacing(theme.px(16));
    m_addBox = new QWidget;
    auto* addRow = makeRow(m_addBox);
    m_add = new AddNode(theme);
    m_add->setFixedWidth(theme.px(400));
    addRow->addWidget(m_add);
    auto* hint =
        new ElidedLabel(theme, FontRole::Cell, Tone::Text2,
                        QStringLiteral("Anything that ssh takes: gpu1, alice@10.0.0.11:2222, an alias, gpu[1-8]"));
    hint->setFixedHeight(theme.px(28));
    addRow->addWidget(hint, 1, Qt::AlignTop);
    m_import = new ImportList(theme);
    auto* close = new Button(theme, QStringLiteral("Close"), ButtonKind::Flat, Icon::Close);
    row->addWidget(m_addBox, 1);
    row->addWidget(m_import, 1);
    m_edit = new EditNode(theme);
    row->addWidget(m_edit, 1);
    row->addWidget(close, 0, Qt::AlignTop);
    column->addLayout(row);
    column->addWidget(makeLine(LineKind::Border, Qt::Horizontal));
    connect(close, &QPushButton::clicked, this, [this] { toggle(m_form); });
    hide();
}

void NodeDrawer::toggle(Form form)
{
    m_form = form == m_form ? Form::Closed : form;
    setVisible(m_form != Form::Closed);
    m_addBox->setVisible(m_form == Form::Add);
    m_import->setVisible(m_form == Form::Import);
    m_edit->setVisible(m_form == Form::Edit);
    if (m_form == Form::Add)
        m_add->takeFocus();
    else if (m_form == Form::Edit)
        m_edit->takeFocus();
}

void NodeDrawer::open(Form form)
{
    if (form != m_form)
        toggle(form);
}

void NodeDrawer::edit(const Node& node, const QList<NodeGroup>& groups)
{
    const bool same = m_form == Form::Edit && m_edit->node().name == node.name;
    m_edit->setNode(node, groups);
    if (m_form != Form::Edit || same) // a second press closes it
        toggle(Form::Edit);
}

} // namespace lockstep::ui
