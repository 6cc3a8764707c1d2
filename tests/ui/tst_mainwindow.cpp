// SPDX-License-Identifier: GPL-3.0-or-later
// The window: keys, places, the way from what a page asks to the window's signals, a live switch of the scheme.
#include "tests/ui/madenodes.h"
#include "ui/launch/launchpage.h"
#include "ui/mainwindow.h"
#include "ui/nodes/nodespage.h"
#include "ui/run/runpage.h"
#include "ui/runs/runspage.h"
#include "ui/shell/questionbar.h"
#include "ui/shell/rail.h"
#include "ui/widgets/button.h"
#include "ui/widgets/datatable.h"
#include "ui/widgets/field.h"

#include <QApplication>
#include <QPushButton>
#include <QRadioButton>
#include <QSignalSpy>
#include <QStackedWidget>
#include <QTest>

using namespace lockstep;
using namespace lockstep::ui;

class TestMainWindow : public QObject {
    Q_OBJECT

    std::unique_ptr<Theme> m_theme;

private slots:
    void initTestCase() { m_theme = std::make_unique<Theme>(*qApp); }
    void cleanupTestCase() { m_theme.reset(); }
    void init()
    {
        QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support)")));
        m_theme->setChoice(SchemeChoice::Light);
    }

    void keysLeadToPages_data()
    {
        QTest::addColumn<int>("key");
        QTest::addColumn<Qt::KeyboardModifiers>("modifiers");
        QTest::addColumn<QByteArray>("page");
        QTest::newRow("nodes") << int(Qt::Key_1) << Qt::KeyboardModifiers(Qt::ControlModifier)
                               << QByteArray("lockstep::ui::NodesPage");
        QTest::newRow("launch") << int(Qt::Key_2) << Qt::KeyboardModifiers(Qt::ControlModifier)
                                << QByteArray("lockstep::ui::LaunchPage");
        QTest::newRow("runs") << int(Qt::Key_3) << Qt::KeyboardModifiers(Qt::ControlModifier)
                              << QByteArray("lockstep::ui::RunsPage");
        QTest::newRow("keys") << int(Qt::Key_F1) << Qt::KeyboardModifiers() << QByteArray("lockstep::ui::KeysPage");
    }
    void keysLeadToPages()
    {
        QFETCH(int, key);
        QFETCH(Qt::KeyboardModifiers, modifiers);
        QFETCH(QByteArray, page);
        NodeList nodes;
        RunList runs;
        MainWindow window(*m_theme, nodes, runs);
        made::fill(nodes, made::cluster());
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        window.showPlace(Place::Preferences);
        QTest::keyClick(&window, static_cast<Qt::Key>(key), modifiers);
        QCOMPARE(QByteArray(window.findChild<QStackedWidget*>()->currentWidget()->metaObject()->className()), page);
    }

    void controlEnterLaunchesWhatTheFormSays()
    {
        NodeList nodes;
        RunList runs;
        MainWindow window(*m_theme, nodes, runs);
        made::fill(nodes, made::cluster());
        window.setLaunchSpec(made::spec(0.4, 3));
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        QSignalSpy run(&window, &MainWindow::runRequested);
        QTest::keyClick(&window, Qt::Key_Return, Qt::ControlModifier);
        QCOMPARE(run.size(), 0); // another page is shown: no launch out of sight
        window.showPlace(Place::Launch);
        QTest::keyClick(&window, Qt::Key_Return, Qt::ControlModifier);
        QCOMPARE(run.size(), 1);
        QCOMPARE(run[0][0].value<RunSpec>(), made::spec(0.4, 3));
    }

    void aNodesQuestionIsAskedAboveEveryPage()
    {
        NodeList nodes;
        RunList runs;
        MainWindow window(*m_theme, nodes, runs);
        made::fill(nodes, made::cluster());
        window.show();
        auto* bar = window.findChild<QuestionBar*>();
        QVERIFY(bar && !bar->isVisible());
        QList<QPair<int, QByteArray>> answers;
        connect(&window, &MainWindow::questionAnswered, &window,
                [&answers](int id, const std::shared_ptr<Secret>& secret) {
                    answers.append({id, secret ? QByteArray(secret->text()) : QByteArray("skipped")});
                });
        SignInQuestion first;
        first.id = 1;
        first.kind = SignInQuestion::Kind::Passphrase;
        first.node = "gpu1";
        first.whom = "~/.ssh/id_ed25519";
        SignInQuestion second = first;
        second.id = 2;
        second.kind = SignInQuestion::Kind::Prompt;
        second.words = "Verification code:";
        second.echo = SignInQuestion::Echo::Shown;
        window.ask(first);
        window.ask(second);
        window.showPlace(Place::Runs);
        QVERIFY(bar->isVisible());
        QVERIFY2(bar->text().contains("Passphrase of the key ~/.ssh/id_ed25519"), qPrintable(bar->text()));
        QCOMPARE(bar->field().echoMode(), QLineEdit::Password);
        QTest::keyClicks(&bar->field(), QStringLiteral("two words"));
        QTest::keyClick(&bar->field(), Qt::Key_Return);
        window.withdrawQuestion(1); // as the board does when it is answered
        QVERIFY2(bar->text().contains("Verification code:"), qPrintable(bar->text()));
        QCOMPARE(bar->field().echoMode(), QLineEdit::Normal);
        QCOMPARE(bar->field().text(), QString());
        QTest::mouseClick(&bar->skipButton(), Qt::LeftButton);
        window.withdrawQuestion(2);
        QVERIFY(!bar->isVisible());
        QCOMPARE(answers, (QList<QPair<int, QByteArray>>{{1, "two words"}, {2, "skipped"}}));
    }

    void demoIsOnePressAway()
    {
        NodeList nodes;
        RunList runs;
        MainWindow window(*m_theme, nodes, runs);
        made::fill(nodes, made::firstStart());
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        QSignalSpy demo(&window, &MainWindow::demoRequested);
        QTest::keyClick(&window, Qt::Key_R, Qt::ControlModifier);
        QTest::mouseClick(window.findChild<QPushButton*>(QStringLiteral("runDemo")), Qt::LeftButton);
        QCOMPARE(demo.size(), 2);
    }

    void aRunIsAskedForAndShownOnceOpen()
    {
        NodeList nodes;
        RunList runs;
        MainWindow window(*m_theme, nodes, runs);
        made::fill(nodes, made::firstStart());
        runs.setRuns(made::runs());
        window.show();
        const QString id = made::runs()[1].id;
        QSignalSpy open(&window, &MainWindow::openRunRequested);
        window.showRun(id);
        QCOMPARE(open.size(), 1);
        QCOMPARE(open[0][0].toString(), id);
        runs.attach(id); // as app does
        QVERIFY(qobject_cast<RunPage*>(window.findChild<QStackedWidget*>()->currentWidget()));
        runs.close(id);
        QVERIFY(qobject_cast<RunsPage*>(window.findChild<QStackedWidget*>()->currentWidget()));
    }

    void switchingTheSchemeRepaintsThePages()
    {
        NodeList nodes;
        RunList runs;
        MainWindow window(*m_theme, nodes, runs);
        made::fill(nodes, made::cluster());
        window.resize(1440, 900);
        window.show();
        QSignalSpy chosen(&window, &MainWindow::schemeChosen);
        const QImage light = window.grab().toImage();
        QCOMPARE(light.pixelColor(4, 400).name(), tokens(Scheme::Light).rail.name());
        window.findChild<QRadioButton*>(QStringLiteral("schemeDark"))->setChecked(true);
        QCOMPARE(chosen.size(), 1);
        const QImage dark = window.grab().toImage();
        QCOMPARE(dark.pixelColor(4, 400).name(), tokens(Scheme::Dark).rail.name());
        QCOMPARE(dark.pixelColor(1430, 20).name(), tokens(Scheme::Dark).surface.name());
    }

    void nothingIsWiderThanTheSmallestWindow_data()
    {
        QTest::addColumn<int>("place");
        QTest::newRow("nodes") << int(Place::Nodes);
        QTest::newRow("launch") << int(Place::Launch);
        QTest::newRow("runs") << int(Place::Runs);
    }
    void nothingIsWiderThanTheSmallestWindow()
    {
        QFETCH(int, place);
        NodeList nodes;
        RunList runs;
        MainWindow window(*m_theme, nodes, runs);
        made::fill(nodes, made::cluster());
        window.showPlace(static_cast<Place>(place));
        window.resize(1024, 640);
        window.show();
        QCOMPARE(window.size(), QSize(1024, 640)); // no page pushes the window wider than that
    }
};

QTEST_MAIN(TestMainWindow)
#include "tst_mainwindow.moc"
