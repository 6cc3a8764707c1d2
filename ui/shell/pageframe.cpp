// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/pageframe.h"

#include "ui/widgets/elidedlabel.h"
#include "ui/widgets/panel.h"

#include <QBoxLayout>
#include <QScrollArea>

namespace lockstep::ui {

QVBoxLayout* makePageFrame(const Theme& theme, QWidget& page, const QString& title, const QString& caption)
{
    auto* column = makeColumn(&page);
    auto* header = makeGround(Ground::Surface);
    header->setFixedHeight(theme.px(55));
    auto* row = makeRow(header);
    row->setContentsMargins(theme.px(16), 0, theme.px(16), 0);
    row->setSpacing(theme.px(12));
    row->addWidget(makeLabel(theme, FontRole::PageTitle, Tone::Text, title));
    row->addWidget(new ElidedLabel(theme, FontRole::Cell, Tone::Text2, caption), 1);
    column->addWidget(header);
    column->addWidget(makeLine(LineKind::Border, Qt::Horizontal));
    auto* body = makeGround(Ground::Surface);
    auto* inner = makeColumn(body);
    inner->setContentsMargins(theme.px(16), theme.px(16), theme.px(16), theme.px(16));
    inner->setSpacing(theme.px(8));
    auto* scroll = new QScrollArea;
    scroll->setWidget(body);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    column->addWidget(scroll, 1);
    return inner;
}

} // namespace lockstep::ui
