// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/linesplitter.h"

#include "ui/theme.h"

#include <QPainter>
#include <QSplitterHandle>

namespace lockstep::ui {

namespace {

class LineHandle : public QSplitterHandle {
public:
    LineHandle(Theme& theme, Qt::Orientation orientation, QSplitter* parent)
        : QSplitterHandle(orientation, parent), m_theme(theme)
    {
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        painter.fillRect(rect(), m_theme.tokens().border);
    }

private:
    Theme& m_theme;
};

} // namespace

LineSplitter::LineSplitter(Theme& theme, Qt::Orientation orientation, QWidget* parent)
    : QSplitter(orientation, parent), m_theme(theme)
{
    setHandleWidth(1);
    setChildrenCollapsible(false);
}

QSplitterHandle* LineSplitter::createHandle()
{
    return new LineHandle(m_theme, orientation(), this);
}

} // namespace lockstep::ui
