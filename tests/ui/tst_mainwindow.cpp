// SPDX-License-Identifier: GPL-3.0-or-later
// The window: keys, places, the way from what a page asks to the window's signals, a live switch of the scheme.
#include "tests/ui/uitest.h"
#include "ui/launch/launchpage.h"
#include "ui/mainwindow.h"
#include "ui/nodes/nodespage.h"
#include "ui/run/runpage.h"
#include "ui/runs/runspage.h"
#include "ui/shell/leftoversbar.h"
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

class TestMainWindow : public UiTest {
    Q_OBJECT

private slots:
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
        made::Over<MainWindow> view(*m_theme, made::cluster());
        auto& [nodes, runs, window] = view;
        QVERIFY(QTest::qWaitForWindowActive(&window));
        window.showPlace(Place::Preferences);
        QTest::keyClick(&window, static_cast<Qt::Key>(key), modifiers);
        QCOMPARE(QByteArray(window.findChild<QStackedWidget*>()->currentWidget()->metaObject()->className()), page);
    }

    void controlEnterLaunchesWhatTheFormSays()
    {
        made::Over<MainWindow> view(*m_theme, made::cluster());
        auto& [nodes, runs, window] = view;
        window.launchPage().setSpec(made::spec(0.4, 3));
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
        made::Over<MainWindow> view(*m_theme, made::cluster());
        auto& [nodes, runs, window] = view;
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
        made::Over<MainWindow> view(*m_theme, made::firstStart());
        auto& [nodes, runs, window] = view;
        QVERIFY(QTest::qWaitForWindowActive(&window));
        QSignalSpy demo(&window, &MainWindow::demoRequested);
        QTest::keyClick(&window, Qt::Key_R, Qt::ControlModifier);
        QTest::mouseClick(window.findChild<QPushButton*>(QStringLiteral("runDemo")), Qt::LeftButton);
        QCOMPARE(demo.size(), 2);
    }

    void aRunIsAskedForAndShownOnceOpen()
    {
        made::Over<MainWindow> view(*m_theme, made::firstStart());
        auto& [nodes, runs, window] = view;
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

    void leftoversAreOfferedUntilTheyAreGone()
    {
        made::Over<MainWindow> view(*m_theme, made::cluster());
        auto& [nodes, runs, window] = view;
        NodeState left = made::gpuNode(1);
        NodeRun run;
        run.run = QStringLiteral("20261129-160401-demo");
        run.standing = NodeRun::Standing::Lost;
        run.processes = 3;
        left.runs = {run};
        LeftoversBar& bar = window.leftovers();
        QVERIFY(!bar.isVisible());
        nodes.update(left);
        QVERIFY(bar.isVisible());
        QVERIFY2(bar.text().startsWith(QLatin1String("3 processes were left behind on gpu1")), qPrintable(bar.text()));
        QSignalSpy clean(&window, &MainWindow::cleanRequested);
        QTest::mouseClick(&bar.action(), Qt::LeftButton);
        QCOMPARE(clean.size(), 1);
        QCOMPARE(clean[0][0].toStringList(), QStringList{QStringLiteral("gpu1")});
        QVERIFY(!bar.isVisible());
        bar.setCleaned(LeftoversBar::Cleaned::NotAll); // they are still there, and so is the offer
        QVERIFY(bar.isVisible());
        QTest::mouseClick(&bar.action(), Qt::LeftButton);
        QCOMPARE(clean.size(), 2);
        bar.setCleaned(LeftoversBar::Cleaned::All);
        QVERIFY(!bar.isVisible());
        left.runs.clear();
        nodes.update(left);
        QVERIFY(!bar.isVisible());
    }

    void switchingTheSchemeRepaintsThePages()
    {
        made::Over<MainWindow> view(*m_theme, made::cluster());
        auto& [nodes, runs, window] = view;
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
        made::Over<MainWindow> view(*m_theme, made::cluster());
        auto& [nodes, runs, window] = view;
        window.showPlace(static_cast<Place>(place));
        window.resize(1024, 640);
        window.show();
        QCOMPARE(window.size(), QSize(1024, 640)); // no page pushes the window wider than that
    }
};

QTEST_MAIN(TestMainWindow)
#include "tst_mainwindow.moc"
