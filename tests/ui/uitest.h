// SPDX-License-Identifier: GPL-3.0-or-later
// The frame of a test of the window: a light theme, and any warning of Qt fails it; a page over made-up nodes and runs.
#pragma once

#include "tests/ui/madenodes.h"
#include "ui/theme.h"

#include <QApplication>
#include <QObject>
#include <QRegularExpression>
#include <QTest>

#include <memory>

namespace lockstep::ui {

class UiTest : public QObject {
    Q_OBJECT

protected:
    std::unique_ptr<Theme> m_theme;

private slots:
    void initTestCase() { m_theme = std::make_unique<Theme>(*qApp); }
    void cleanupTestCase() { m_theme.reset(); }
    void init()
    {
        // The offscreen platform says this of itself whatever a program does.
        QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support)")));
        m_theme->setChoice(SchemeChoice::Light);
    }
};

} // namespace lockstep::ui

namespace lockstep::made {

// auto& [nodes, runs, page] = ...: shown, with these nodes.
template <typename Page>
struct Over {
    NodeList nodes;
    RunList runs;
    Page page;

    Over(ui::Theme& theme, const QList<NodeState>& states) : page(theme, nodes, runs)
    {
        fill(nodes, states);
        page.show();
    }
};

} // namespace lockstep::made
