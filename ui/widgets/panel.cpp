// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/panel.h"

#include "ui/widgets/elidedlabel.h"

#include <QBoxLayout>
#include <QScrollArea>
#include <QStyle>

namespace lockstep::ui {

namespace {

QString name(Ground ground)
{
    switch (ground) {
    case Ground::Window:
        return QStringLiteral("window");
    case Ground::Rail:
        return QStringLiteral("rail");
    case Ground::Surface:
        return QStringLiteral("surface");
    case Ground::Alt:
        return QStringLiteral("alt");
    case Ground::Card:
        return QStringLiteral("card");
    case Ground::Warn:
        return QStringLiteral("warn");
    case Ground::Bad:
        return QStringLiteral("bad");
    }
    return {};
}

} // namespace

QFrame* makeGround(Ground ground, QWidget* parent)
{
    auto* frame = new QFrame(parent);
    frame->setProperty("ground", name(ground));
    return frame;
}

void setGround(QFrame& frame, Ground ground)
{
    if (frame.property("ground").toString() == name(ground))
        return;
    frame.setProperty("ground", name(ground));
    frame.style()->unpolish(&frame);
    frame.style()->polish(&frame);
}

QFrame* makeLine(LineKind kind, Qt::Orientation orientation)
{
    auto* line = new QFrame;
    line->setProperty("ground", kind == LineKind::Border ? QStringLiteral("border") : QStringLiteral("grid"));
    if (orientation == Qt::Horizontal)
        line->setFixedHeight(1);
    else
        line->setFixedWidth(1);
    return line;
}

QScrollArea* makeScroll(QWidget* content)
{
    auto* scroll = new QScrollArea;
    scroll->setWidget(content);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus); // what is inside takes the focus and is scrolled to
    return scroll;
}

QVBoxLayout* makeColumn(QWidget* parent)
{
    auto* column = parent ? new QVBoxLayout(parent) : new QVBoxLayout;
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    return column;
}

QHBoxLayout* makeRow(QWidget* parent)
{
    auto* row = parent ? new QHBoxLayout(parent) : new QHBoxLayout;
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(8);
    return row;
}

PanelHeader::PanelHeader(const Theme& theme, const QString& title, int heightAt100, QWidget* parent) : QFrame(parent)
{
    setProperty("ground", name(Ground::Surface));
    setFixedHeight(theme.px(heightAt100));
    auto* column = makeColumn(this);
    auto* strip = new QWidget; // a widget: a bare layout would be no higher than its labels
    m_row = makeRow(strip);
    m_row->setContentsMargins(theme.px(16), 0, theme.px(16), 0);
    m_row->setSpacing(theme.px(12));
    m_title = makeLabel(theme, FontRole::PanelTitle, Tone::Text, title);
    m_caption = new ElidedLabel(theme, FontRole::Cell, Tone::Text2);
    m_row->addWidget(m_title);
    m_row->addWidget(m_caption, 1);
    column->addWidget(strip, 1);
    column->addWidget(makeLine(LineKind::Border, Qt::Horizontal));
}

void PanelHeader::setTitle(const QString& title)
{
    m_title->setText(title);
}

void PanelHeader::setCaption(const QString& caption)
{
    m_caption->setText(caption);
}

} // namespace lockstep::ui
