// SPDX-License-Identifier: GPL-3.0-or-later
// A run beyond its first attempt and its first desktop: restarts, programs that watch beside the one that drives it,
// supervisors that were killed, proofs that were missing. On made nodes with the real agent.
#include "remote/noderuns.h"
#include "tests/remote/madenodes.h"
#include "tests/remote/maderun.h"
#include "tests/remote/ownnetwork.h"

#include <QCoreApplication>
#include <QSignalSpy>
#include <QTest>

#include <csignal>

using namespace lockstep;
using namespace lockstep::test;

namespace {

constexpr int kEndMs = 60'000;

Result<StopProof> stopOn(MadeNodes& made, int index, const QString& run)
{
    return stopOnNode(made.parts().transports, made.nodes()[index], *AgentFile::load(made.parts().agentFile), run,
                      {.graceS = 1}, Deadline::in(std::chrono::milliseconds(kEndMs)), {});
}

bool isRunning(const RunSession& session)
{
    return session.state().phase == RunPhase::Running;
}

} // namespace

class TstAgain : public QObject {
    Q_OBJECT

private slots:
    void restartsFromTheCheckpoint();
    void restartsNoMoreThanAsked();
    void stopsBetweenAttempts();
    void keepsTheGraceOfAStopDuringGo();
    void aStopAtAnotherDesktopIsNoFailure();
    void aStopAtAnotherDesktopBetweenAttempts();
    void aWatcherGoesOnWithTheNextAttempt();
    void watchesWhatAnotherLaunches();
    void aStopReachesWhoeverLaunches();
    void offersWhatALostSupervisorLeft();
    void provesARunThatIsOver();
    void adoptsARunOfAnotherDesktop();
    void believesNoAttemptOfAHostileNode_data();
    void believesNoAttemptOfAHostileNode();
    void cleansWhatWasLeft();
};

void TstAgain::restartsFromTheCheckpoint()
{
    MadeNodes made(2);
    StoreThread store(DataFolder(made.dataFolder()));
    RunSession session(made.parts(), store);
    const Seen seen(session);
    QSignalSpy finished(&session, &RunSession::finished);
    RunSpec spec = madeSpec(1, {{"steps", "8"}, {"fail_rank", "1"}, {"fail_attempt", "1"}, {"checkpoint", "ck"}});
    spec.restarts = 2;
    session.launch(spec, made.nodes());
    QVERIFY(finished.wait(kEndMs));
    QVERIFY2(session.state().phase == RunPhase::Finished, qPrintable(session.state().reason));
    QCOMPARE(session.state().attempt, 2);
    QCOMPARE(session.state().exitCode(), 0);
    QVERIFY2(seen.words().contains(QStringLiteral("Restart 1 of 2 in 2 s, from the checkpoint of step 2")),
             qPrintable(seen.words()));
    QCOMPARE(seen.lines.count(QStringLiteral("resumed from ck")), 2);
    QCOMPARE(seen.steps.at({1, 1}), upTo(4)); // and told once
    for (const int rank : {0, 1})
        QCOMPARE(seen.steps.at({2, rank}), upTo(8));
    QCOMPARE(store.ask([id = session.state().id](RunStore& runs) { return runs.spec(id)->option("resume"); }).get(),
             QByteArray()); // the spec is the user's
}

void TstAgain::restartsNoMoreThanAsked()
{
    MadeNodes made(1);
    StoreThread store(DataFolder(made.dataFolder()));
    RunSession session(made.parts(), store);
    QSignalSpy finished(&session, &RunSession::finished);
    RunSpec spec = madeSpec(1, {{"steps", "8"}, {"fail_rank", "0"}, {"fail_step", "1"}, {"code", "5"}});
    spec.restarts = 1;
    session.launch(spec, made.nodes());
    QVERIFY(finished.wait(kEndMs));
    QCOMPARE(words(session.state().phase), words(RunPhase::Failed));
    QCOMPARE(session.state().attempt, 2);
    QCOMPARE(session.state().exitCode(), 5);
}

void TstAgain::stopsBetweenAttempts()
{
    MadeNodes made(1);
    StoreThread store(DataFolder(made.dataFolder()));
    RunSession session(made.parts(), store);
    const Seen seen(session);
    QSignalSpy finished(&session, &RunSession::finished);
    RunSpec spec = madeSpec(1, {{"steps", "8"}, {"fail_rank", "0"}, {"fail_step", "1"}});
    spec.restarts = 5;
    session.launch(spec, made.nodes());
    QTRY_VERIFY_WITH_TIMEOUT(seen.words().contains(QStringLiteral("Restart 1 of 5")), kEndMs);
    session.stop(RunSession::kSpecGrace);
    QVERIFY(finished.count() == 1 || finished.wait(kEndMs));
    QCOMPARE(words(session.state().phase), words(RunPhase::Stopped));
    QCOMPARE(session.state().attempt, 1);
    QCOMPARE(session.state().nodes[0].left, 0);
}

// Between `go` and its answer a stop waits for the launch to come to its end; with 5 min of grace, as the spec says,
// this one would not come to its own here.
void TstAgain::keepsTheGraceOfAStopDuringGo()
{
    MadeNodes made(1);
    StoreThread store(DataFolder(made.dataFolder()));
    RunSession session(made.parts(), store);
    QSignalSpy finished(&session, &RunSession::finished);
    RunSpec spec = madeSpec(1, {{"steps", "100000"}, {"ignore_term", "1"}});
    spec.graceS = 300;
    made[0].cutAtGo = true;
    session.launch(spec, made.nodes());
    QTRY_VERIFY_WITH_TIMEOUT(made[0].cut, kEndMs);
    session.stop(1);
    QTRY_VERIFY(!MadeNodes::tagged(session.state().id).isEmpty()); // it runs, and the desktop does not know yet
    made[0].cut = false;
    QVERIFY(finished.wait(kEndMs));
    QCOMPARE(words(session.state().phase), words(RunPhase::Stopped));
    QCOMPARE(session.state().proof(), QStringLiteral("1 of 1 ranks gone, 0 left behind"));
    QCOMPARE(MadeNodes::tagged(session.state().id), QList<qint64>());
}

// From another data folder, and it reaches one node only: the program that drives the run does the rest.
void TstAgain::aStopAtAnotherDesktopIsNoFailure()
{
    MadeNodes made(2);
    StoreThread store(DataFolder(made.dataFolder()));
    RunSession session(made.parts(), store);
    const Seen seen(session);
    QSignalSpy finished(&session, &RunSession::finished);
    RunSpec spec = madeSpec(1, {{"steps", "100000"}});
    spec.restarts = 3;
    session.launch(spec, made.nodes());
    QTRY_VERIFY_WITH_TIMEOUT(isRunning(session), kEndMs);
    const auto proof = stopOn(made, 1, session.state().id);
    QVERIFY2(proof.has_value(), proof ? "" : qPrintable(proof.error().text));
    QVERIFY(finished.count() == 1 || finished.wait(kEndMs));
    QCOMPARE(words(session.state().phase), words(RunPhase::Stopped));
    QCOMPARE(session.state().attempt, 1);
    QVERIFY2(seen.words().contains(QStringLiteral("somebody asked for it on n2")), qPrintable(seen.words()));
    QVERIFY2(!seen.words().contains(QStringLiteral("Restart")), qPrintable(seen.words()));
    QCOMPARE(session.state().proof(), QStringLiteral("2 of 2 ranks gone, 0 left behind"));
    QCOMPARE(MadeNodes::tagged(session.state().id), QList<qint64>());
}

// No rank and no supervisor is there to be told; the node refuses the next attempt.
void TstAgain::aStopAtAnotherDesktopBetweenAttempts()
{
    MadeNodes made(2);
    StoreThread store(DataFolder(made.dataFolder()));
    RunSession session(made.parts(), store);
    const Seen seen(session);
    QSignalSpy finished(&session, &RunSession::finished);
    RunSpec spec = madeSpec(1, {{"steps", "1000"}, {"fail_rank", "0"}, {"fail_step", "1"}});
    spec.restarts = 20;
    session.launch(spec, made.nodes());
    QTRY_VERIFY_WITH_TIMEOUT(seen.words().contains(QStringLiteral("Restart 1 of 20")), kEndMs);
    const auto proof = stopOn(made, 1, session.state().id);
    QVERIFY2(proof.has_value(), proof ? "" : qPrintable(proof.error().text));
    QCOMPARE(proof->left, 0);
    QVERIFY(finished.count() == 1 || finished.wait(kEndMs));
    QCOMPARE(words(session.state().phase), words(RunPhase::Stopped));
    QVERIFY2(session.state().reason.contains(QStringLiteral("stopped on request")), qPrintable(session.state().reason));
    QCOMPARE(MadeNodes::tagged(session.state().id), QList<qint64>());
}

void TstAgain::aWatcherGoesOnWithTheNextAttempt()
{
    MadeNodes made(2);
    StoreThread store(DataFolder(made.dataFolder())), other(DataFolder(made.dataFolder()));
    RunSession driver(made.parts(), store), watcher(made.parts(), other);
    const Seen seen(watcher);
    QSignalSpy finished(&driver, &RunSession::finished), watched(&watcher, &RunSession::finished);
    RunSpec spec = madeSpec(1, {{"steps", "60"}, {"fail_rank", "1"}, {"fail_step", "40"}, {"fail_attempt", "1"}});
    spec.restarts = 1;
    driver.launch(spec, made.nodes());
    QTRY_VERIFY_WITH_TIMEOUT(isRunning(driver), kEndMs);
    watcher.attach(driver.state().id, made.inventory());
    QVERIFY(finished.wait(kEndMs));
    QVERIFY2(driver.state().phase == RunPhase::Finished, qPrintable(driver.state().reason));
    QVERIFY(watched.count() == 1 || watched.wait(kEndMs));
    QCOMPARE(words(watcher.state().phase), words(RunPhase::Finished));
    QCOMPARE(watcher.state().attempt, 2);
    QCOMPARE(seen.steps.at({1, 1}), upTo(41));
    for (const int rank : {0, 1})
        QCOMPARE(seen.steps.at({2, rank}), upTo(60));
}

void TstAgain::watchesWhatAnotherLaunches()
{
    MadeNodes made(2);
    StoreThread store(DataFolder(made.dataFolder())), other(DataFolder(made.dataFolder()));
    RunSession driver(made.parts(), store), watcher(made.parts(), other);
    QSignalSpy finished(&driver, &RunSession::finished), watched(&watcher, &RunSession::finished);
    driver.launch(madeSpec(1, {{"steps", "100"}}), made.nodes());
    QTRY_VERIFY_WITH_TIMEOUT(!driver.state().id.isEmpty(), kEndMs);
    watcher.attach(driver.state().id, made.inventory()); // nothing of it is on any node yet
    QVERIFY(finished.wait(kEndMs));
    QVERIFY2(driver.state().phase == RunPhase::Finished, qPrintable(driver.state().reason));
    QVERIFY(watched.count() == 1 || watched.wait(kEndMs));
    QVERIFY2(watcher.state().phase == RunPhase::Finished, qPrintable(watcher.state().reason));
}

void TstAgain::aStopReachesWhoeverLaunches()
{
    MadeNodes made(2);
    StoreThread store(DataFolder(made.dataFolder())), other(DataFolder(made.dataFolder()));
    RunSession driver(made.parts(), store), watcher(made.parts(), other);
    QSignalSpy finished(&driver, &RunSession::finished), watched(&watcher, &RunSession::finished);
    driver.launch(madeSpec(1, {{"steps", "100000"}}), made.nodes());
    QTRY_VERIFY_WITH_TIMEOUT(!driver.state().id.isEmpty(), kEndMs);
    watcher.attach(driver.state().id, made.inventory());
    watcher.stop(RunSession::kSpecGrace);
    QVERIFY(finished.count() == 1 || finished.wait(kEndMs));
    QCOMPARE(words(driver.state().phase), words(RunPhase::Stopped));
    QVERIFY(watched.count() == 1 || watched.wait(kEndMs));
    QCOMPARE(words(watcher.state().phase), words(RunPhase::Stopped));
    QCOMPARE(MadeNodes::tagged(driver.state().id), QList<qint64>());
}

void TstAgain::offersWhatALostSupervisorLeft()
{
    MadeNodes made(2);
    StoreThread store(DataFolder(made.dataFolder()));
    QString run;
    {
        RunSession session(made.parts(), store);
        session.launch(madeSpec(1, {{"steps", "100000"}, {"orphan", "1"}}), made.nodes());
        QTRY_VERIFY_WITH_TIMEOUT(isRunning(session), kEndMs);
        run = session.state().id;
        QTRY_VERIFY(MadeNodes::tagged(run).size() >= 4);
    } // the desktop is gone
    const qint64 supervisor = made.supervisor(1, run);
    QVERIFY(supervisor > 1);
    ::kill(static_cast<pid_t>(supervisor), SIGKILL);
    {
        RunSession session(made.parts(), store);
        const Seen seen(session);
        session.attach(run, made.inventory());
        QTRY_VERIFY_WITH_TIMEOUT(seen.words().contains(QStringLiteral("Stop ends them")), kEndMs);
        QVERIFY2(seen.words().contains(QStringLiteral("The supervisor on n2 is gone")), qPrintable(seen.words()));
        QVERIFY(!MadeNodes::tagged(run).isEmpty()); // only seen
    }
    RunSession session(made.parts(), store);
    QSignalSpy finished(&session, &RunSession::finished);
    session.attach(run, made.inventory());
    session.stop(1);
    QVERIFY(finished.wait(kEndMs));
    QCOMPARE(MadeNodes::tagged(run), QList<qint64>());
    QCOMPARE(session.state().proof(), QStringLiteral("2 of 2 ranks gone, 0 left behind"));
    QCOMPARE(words(session.state().ranks[1].phase), words(RankPhase::Lost));
    QVERIFY2(!session.state().cause && session.state().reason.isEmpty(), "it no longer lives on");
}

// As after a stop whose node could not be reached, or a launch that was given up.
void TstAgain::provesARunThatIsOver()
{
    MadeNodes made(2);
    StoreThread store(DataFolder(made.dataFolder()));
    QString run;
    {
        RunSession session(made.parts(), store);
        session.launch(madeSpec(1, {{"steps", "100000"}}), made.nodes());
        QTRY_VERIFY_WITH_TIMEOUT(isRunning(session), kEndMs);
        run = session.state().id;
    }
    QVERIFY(store
                .ask([run](RunStore& runs) {
                    RunState state = *runs.state(run);
                    state.phase = RunPhase::Stopped;
                    state.reason = QStringLiteral("no answer");
                    return runs.saveState(state).has_value();
                })
                .get());
    {
        RunSession looking(made.parts(), store);
        QSignalSpy finished(&looking, &RunSession::finished);
        looking.attach(run, made.inventory());
        QVERIFY(finished.wait(kEndMs));
        QVERIFY(!MadeNodes::tagged(run).isEmpty()); // who only looks ends nothing
    }
    RunSession session(made.parts(), store);
    QSignalSpy finished(&session, &RunSession::finished);
    session.attach(run, made.inventory());
    session.stop(1);
    QVERIFY(finished.wait(kEndMs));
    QCOMPARE(MadeNodes::tagged(run), QList<qint64>());
    QCOMPARE(session.state().proof(), QStringLiteral("2 of 2 ranks gone, 0 left behind"));
    QCOMPARE(words(session.state().phase), words(RunPhase::Stopped));
    for (int i : {0, 1}) // and what the nodes had written meanwhile
        QCOMPARE(
            store.ask([&, i](RunStore& runs) { return *runs.readSpool(run, made.nodes()[i].name, 0, 64 << 20); }).get(),
            made.spool(i, run));
}

void TstAgain::adoptsARunOfAnotherDesktop()
{
    MadeNodes made(2);
    StoreThread store(DataFolder(made.dataFolder()));
    RunSession session(made.parts(), store);
    session.launch(madeSpec(1, {{"steps", "100000"}}), made.nodes());
    QTRY_VERIFY_WITH_TIMEOUT(isRunning(session), kEndMs);
    const QString run = session.state().id;

    const auto agent = AgentFile::load(made.parts().agentFile);
    const auto link = openNode(made.parts().transports, made.nodes()[1], *agent, {});
    QVERIFY(link.has_value());
    const auto runs = runsOn(*link, {});
    QVERIFY(runs.has_value());
    QCOMPARE(runs->size(), 1);
    QCOMPARE(runs->first().run, run);
    QVERIFY(!runs->first().isLeftover());
    const auto papers = papersOf(*link, run, {});
    QVERIFY2(papers.has_value(), papers ? "" : qPrintable(papers.error().text));
    QCOMPARE(papers->spec, session.spec());
    QCOMPARE(papers->plan.masterPort, session.plan().masterPort);

    StoreThread other(DataFolder(made.folder() + QStringLiteral("/other-desktop")));
    QVERIFY(other
                .ask([&](RunStore& there) {
                    return there.adopt(run, papers->spec, papers->plan, papers->attempt).has_value();
                })
                .get());
    RunSession watcher(made.parts(), other);
    const Seen seen(watcher);
    QSignalSpy watched(&watcher, &RunSession::finished), finished(&session, &RunSession::finished);
    watcher.attach(run, made.inventory());
    QTRY_VERIFY_WITH_TIMEOUT(seen.steps.contains({1, 0}) && seen.steps.contains({1, 1}), kEndMs);
    QCOMPARE(seen.steps.at({1, 1}).first(), 0); // from the first byte on
    watcher.stop(1);
    QVERIFY(watched.wait(kEndMs));
    QCOMPARE(words(watcher.state().phase), words(RunPhase::Stopped));
    QVERIFY(finished.count() == 1 || finished.wait(kEndMs));
    QCOMPARE(words(session.state().phase), words(RunPhase::Stopped));
}

void TstAgain::believesNoAttemptOfAHostileNode_data()
{
    QTest::addColumn<QByteArray>("said");
    QTest::addColumn<int>("attempt");
    QTest::newRow("as it is") << QByteArray("1") << 1;
    QTest::newRow("beyond an int") << QByteArray("9223372036854775807") << 1'000'000;
    QTest::newRow("which an int would turn to 2") << QByteArray("4294967298") << 1'000'000;
    QTest::newRow("negative") << QByteArray("-5") << 1;
    QTest::newRow("no number") << QByteArray("many") << 1;
}

void TstAgain::believesNoAttemptOfAHostileNode()
{
    QFETCH(QByteArray, said);
    QFETCH(int, attempt);
    MadeNodes made(1);
    StoreThread store(DataFolder(made.dataFolder()));
    RunSession session(made.parts(), store);
    QSignalSpy finished(&session, &RunSession::finished);
    session.launch(madeSpec(1, {{"steps", "1"}}), made.nodes());
    QVERIFY(finished.wait(kEndMs));
    auto link = openNode(made.parts().transports, made.nodes()[0], *AgentFile::load(made.parts().agentFile), {});
    QVERIFY(link.has_value());
    QFile liar(made.folder() + QStringLiteral("/liar"));
    QVERIFY(liar.open(QIODevice::WriteOnly));
    liar.write("#!/bin/sh\n'" + link->agent.path + "' \"$@\" | sed 's/ attempt=1 / attempt=" + said + " /'\n");
    liar.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    liar.close();
    link->agent.path = liar.fileName().toUtf8();
    const auto papers = papersOf(*link, session.state().id, {});
    QVERIFY2(papers.has_value(), papers ? "" : qPrintable(papers.error().text));
    QCOMPARE(papers->attempt, attempt);
    const auto runs = runsOn(*link, {});
    QVERIFY(runs.has_value() && runs->size() == 1);
    QCOMPARE(runs->first().attempt, attempt);
}

void TstAgain::cleansWhatWasLeft()
{
    MadeNodes made(1);
    StoreThread store(DataFolder(made.dataFolder()));
    QString run;
    {
        RunSession session(made.parts(), store);
        session.launch(madeSpec(1, {{"steps", "100000"}, {"orphan", "1"}, {"ignore_term", "1"}}), made.nodes());
        QTRY_VERIFY_WITH_TIMEOUT(isRunning(session), kEndMs);
        run = session.state().id;
        QTRY_VERIFY(MadeNodes::tagged(run).size() >= 2);
    }
    const auto nothing = cleanNode(made.parts(), made.nodes()[0], {});
    QVERIFY(nothing.has_value() && nothing->isEmpty()); // its supervisor lives
    ::kill(static_cast<pid_t>(made.supervisor(0, run)), SIGKILL);
    // A new launch is told of it.
    RunSession next(made.parts(), store);
    QSignalSpy finished(&next, &RunSession::finished);
    QTRY_VERIFY_WITH_TIMEOUT(made.supervisor(0, run) == 0, kEndMs);
    next.launch(madeSpec(1, {{"steps", "1"}}), made.nodes());
    QVERIFY(finished.wait(kEndMs));
    QVERIFY2(next.state().reason.contains(run), qPrintable(next.state().reason));
    const auto cleaned = cleanNode(made.parts(), made.nodes()[0], {});
    QVERIFY2(cleaned.has_value(), cleaned ? "" : qPrintable(cleaned.error().text));
    QCOMPARE(cleaned->size(), 1);
    QCOMPARE(cleaned->first().run, run);
    QCOMPARE(cleaned->first().proof.left, 0);
    QVERIFY(cleaned->first().proof.gone >= 1);
    QCOMPARE(MadeNodes::tagged(run), QList<qint64>());
}

int main(int argc, char** argv)
{
    enterOwnNetwork();
    QCoreApplication app(argc, argv);
    TstAgain test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_again.moc"
