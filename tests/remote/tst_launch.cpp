// SPDX-License-Identifier: GPL-3.0-or-later
// Runs on two made nodes, from the spec to the proof, on the real agent.
#include "tests/remote/madenodes.h"
#include "tests/remote/maderun.h"
#include "tests/remote/ownnetwork.h"

#include <QCoreApplication>
#include <QSignalSpy>
#include <QTest>

using namespace lockstep;
using namespace lockstep::test;

namespace {

constexpr int kEndMs = 60'000;

} // namespace

class TstLaunch : public QObject {
    Q_OBJECT

private slots:
    void trainsOnTwoNodes();
    void stopsWithProof();
    void endsItsGraceEarly();
    void stopsBeforeTheStart();
    void failsByItsFirstCause_data();
    void failsByItsFirstCause();
    void startsNowhereWhenOneNodeCannot_data();
    void startsNowhereWhenOneNodeCannot();
    void endsARunWhoseWorldIsWrong();
    void launchesAgainWhenThePortWasTaken();
    void refusesWhatCannotBeMeant();
    void measuresWithoutStarting();

private:
    static void verifySpools(MadeNodes& made, const RunStore& store, const QString& run)
    {
        for (int i = 0; i < made.nodes().size(); ++i) {
            const QString name = made.nodes()[i].name;
            const QByteArray there = made.spool(i, run);
            const auto here = store.readSpool(run, name, 0, 64 << 20);
            QVERIFY(here.has_value());
            QVERIFY(!there.isEmpty());
            QVERIFY(*here == there);
        }
    }
};

void TstLaunch::trainsOnTwoNodes()
{
    MadeNodes made(2);
    QString run;
    {
        StoreThread store(DataFolder(made.dataFolder()));
        RunSession session(made.parts(), store);
        const Seen seen(session);
        QSignalSpy finished(&session, &RunSession::finished);
        session.launch(madeSpec(2, {{"steps", "20"}}), made.nodes());
        QVERIFY(finished.wait(kEndMs));
        run = session.state().id;
        QVERIFY2(session.state().phase == RunPhase::Finished, qPrintable(session.state().reason));
        QCOMPARE(session.state().exitCode(), 0);
        QCOMPARE(session.state().ranks.size(), 4);
        QCOMPARE(session.plan().masterAddr, QStringLiteral("10.77.0.1"));
        QVERIFY(session.plan().masterPort > 1023);
        QVERIFY(!session.plan().nodes[1].reach.isEmpty());
        QVERIFY(session.plan().nodes[1].master.source.contains(QStringLiteral("reached")));
        for (int rank = 0; rank < 4; ++rank)
            QCOMPARE(seen.steps.at({1, rank}), upTo(20));
        for (const RunPhase phase :
             {RunPhase::Planning, RunPhase::Deploying, RunPhase::Starting, RunPhase::Running, RunPhase::Finished})
            QVERIFY2(seen.phases.contains(phase), toString(phase));
        QCOMPARE(MadeNodes::tagged(run), QList<qint64>());
    }
    RunStore store{DataFolder(made.dataFolder())};
    verifySpools(made, store, run);
    QCOMPARE(words(store.state(run)->phase), words(RunPhase::Finished));
    QCOMPARE(store.plan(run)->masterPort > 0, true);
}

void TstLaunch::stopsWithProof()
{
    MadeNodes made(2);
    StoreThread store(DataFolder(made.dataFolder()));
    RunSession session(made.parts(), store);
    RunSession beside(made.parts(), store); // an identical run on the same nodes
    QSignalSpy finished(&session, &RunSession::finished);
    const RunSpec spec = madeSpec(2, {{"steps", "100000"}, {"ignore_term", "1"}, {"orphan", "1"}});
    session.launch(spec, made.nodes());
    beside.launch(spec, made.nodes());
    QTRY_COMPARE_WITH_TIMEOUT(words(session.state().phase), words(RunPhase::Running), kEndMs);
    QTRY_COMPARE_WITH_TIMEOUT(words(beside.state().phase), words(RunPhase::Running), kEndMs);
    QTRY_VERIFY(MadeNodes::tagged(session.state().id).size() >= 8);
    session.stop(1);
    session.stop(1);
    QVERIFY(finished.wait(kEndMs));
    QCOMPARE(words(session.state().phase), words(RunPhase::Stopped));
    QCOMPARE(MadeNodes::tagged(session.state().id), QList<qint64>());
    for (const NodeRunState& node : session.state().nodes)
        QCOMPARE(node.left, 0);
    QCOMPARE(session.state().proof(), QStringLiteral("4 of 4 ranks gone, 0 left behind"));
    QVERIFY(MadeNodes::tagged(beside.state().id).size() >= 8);
    QCOMPARE(words(beside.state().phase), words(RunPhase::Running));

    QSignalSpy besideFinished(&beside, &RunSession::finished);
    beside.stop(RunSession::kSpecGrace);
    QVERIFY(besideFinished.wait(kEndMs));
    QCOMPARE(MadeNodes::tagged(beside.state().id), QList<qint64>());
}

void TstLaunch::endsItsGraceEarly()
{
    MadeNodes made(2);
    StoreThread store(DataFolder(made.dataFolder()));
    RunSession session(made.parts(), store);
    const Seen seen(session);
    QSignalSpy finished(&session, &RunSession::finished);
    session.launch(madeSpec(2, {{"steps", "100000"}, {"ignore_term", "1"}}), made.nodes());
    QTRY_COMPARE_WITH_TIMEOUT(words(session.state().phase), words(RunPhase::Running), kEndMs);
    session.stop(300);
    for (int i = 0; i < 2; ++i) // TERM was sent, to no avail
        QTRY_VERIFY(made.spool(i, session.state().id).contains("phase=stopping"));
    session.stop(0);
    QVERIFY(finished.wait(kEndMs));
    QCOMPARE(words(session.state().phase), words(RunPhase::Stopped));
    QCOMPARE(session.state().proof(), QStringLiteral("4 of 4 ranks gone, 0 left behind"));
    QCOMPARE(MadeNodes::tagged(session.state().id), QList<qint64>());
}

void TstLaunch::stopsBeforeTheStart()
{
    MadeNodes made(2);
    StoreThread store(DataFolder(made.dataFolder()));
    RunSession session(made.parts(), store);
    QSignalSpy finished(&session, &RunSession::finished);
    session.launch(madeSpec(2, {{"steps", "100000"}}), made.nodes());
    QTRY_VERIFY_WITH_TIMEOUT(!session.state().id.isEmpty(), kEndMs);
    session.stop(RunSession::kSpecGrace);
    QVERIFY(finished.wait(kEndMs));
    QCOMPARE(words(session.state().phase), words(RunPhase::Stopped));
    QCOMPARE(MadeNodes::tagged(session.state().id), QList<qint64>());
}

void TstLaunch::failsByItsFirstCause_data()
{
    QTest::addColumn<QByteArray>("code");
    QTest::addColumn<QString>("wanted");
    QTest::addColumn<int>("exitCode");
    QTest::newRow("exit code") << QByteArray("3") << QStringLiteral("exit code 3") << 3;
    QTest::newRow("signal") << QByteArray("kill") << QStringLiteral("SIGKILL") << 137;
}

void TstLaunch::failsByItsFirstCause()
{
    QFETCH(QByteArray, code);
    QFETCH(QString, wanted);
    QFETCH(int, exitCode);
    MadeNodes made(2);
    StoreThread store(DataFolder(made.dataFolder()));
    RunSession session(made.parts(), store);
    QSignalSpy finished(&session, &RunSession::finished);
    session.launch(madeSpec(2, {{"steps", "100000"}, {"fail_rank", "3"}, {"code", code}}), made.nodes());
    QTRY_VERIFY_WITH_TIMEOUT(session.state().cause.has_value(), kEndMs);
    QElapsedTimer sinceCause;
    sinceCause.start();
    QVERIFY(finished.wait(kEndMs));
    qInfo("others gone %lld ms after the cause was known", sinceCause.elapsed());
    const RunState& state = session.state();
    QCOMPARE(words(state.phase), words(RunPhase::Failed));
    QCOMPARE(state.cause->rank, 3);
    QCOMPARE(state.cause->node, QStringLiteral("n2"));
    QVERIFY2(state.cause->title.contains(wanted), qPrintable(state.cause->title));
    QVERIFY(state.cause->lastLines.contains(QStringLiteral("no more memory on rank 3")));
    QCOMPARE(state.exitCode(), exitCode);
    QCOMPARE(MadeNodes::tagged(state.id), QList<qint64>());
    for (const NodeRunState& node : state.nodes)
        QCOMPARE(node.left, 0);
}

void TstLaunch::startsNowhereWhenOneNodeCannot_data()
{
    QTest::addColumn<QString>("fault");
    QTest::addColumn<QString>("wanted");
    QTest::newRow("prepare fails") << QStringLiteral("unprepared") << QStringLiteral("the disk is full");
    QTest::newRow("no answer") << QStringLiteral("cut") << QStringLiteral("does not answer");
}

void TstLaunch::startsNowhereWhenOneNodeCannot()
{
    QFETCH(QString, fault);
    QFETCH(QString, wanted);
    MadeNodes made(3);
    (fault == QLatin1String("cut") ? made[1].cut : made[1].unprepared) = true;
    StoreThread store(DataFolder(made.dataFolder()));
    RunSession session(made.parts(), store);
    QSignalSpy finished(&session, &RunSession::finished);
    session.launch(madeSpec(2, {{"steps", "100000"}}), made.nodes());
    QVERIFY(finished.wait(kEndMs));
    const RunState& state = session.state();
    QCOMPARE(words(state.phase), words(RunPhase::Failed));
    QVERIFY2(state.reason.contains(wanted) && state.reason.contains(QStringLiteral("n2")), qPrintable(state.reason));
    QCOMPARE(state.cause->node, QStringLiteral("n2"));
    QCOMPARE(state.exitCode(), 1);
    QTRY_COMPARE(MadeNodes::tagged(state.id), QList<qint64>());
    for (int i : {0, 2}) // forgotten there too
        QTRY_VERIFY(!QDir(made[i].runs + QLatin1Char('/') + state.id).exists());
}

void TstLaunch::endsARunWhoseWorldIsWrong()
{
    MadeNodes made(2);
    StoreThread store(DataFolder(made.dataFolder()));
    RunSession session(made.parts(), store);
    QSignalSpy finished(&session, &RunSession::finished);
    session.launch(madeSpec(2, {{"steps", "100000"}, {"world", "1"}}), made.nodes());
    QVERIFY(finished.wait(kEndMs));
    QCOMPARE(words(session.state().phase), words(RunPhase::Failed));
    QVERIFY2(session.state().reason.contains(QStringLiteral("world of 1, the plan has 4")),
             qPrintable(session.state().reason));
    QCOMPARE(MadeNodes::tagged(session.state().id), QList<qint64>());
}

void TstLaunch::launchesAgainWhenThePortWasTaken()
{
    MadeNodes made(2);
    StoreThread store(DataFolder(made.dataFolder()));
    RunSession session(made.parts(), store);
    const Seen seen(session);
    QSignalSpy finished(&session, &RunSession::finished);
    session.launch(madeSpec(2, {{"steps", "5"}, {"busy_port", "1"}}), made.nodes());
    QVERIFY(finished.wait(kEndMs));
    QVERIFY2(session.state().phase == RunPhase::Finished, qPrintable(session.state().reason));
    QCOMPARE(session.state().attempt, 2);
    QVERIFY2(seen.said.join(u' ').contains(QStringLiteral("was taken between the plan and the start")),
             qPrintable(seen.said.join(u' ')));
    for (int rank = 0; rank < 4; ++rank)
        QCOMPARE(seen.steps.at({2, rank}), upTo(5));
}

void TstLaunch::refusesWhatCannotBeMeant()
{
    MadeNodes made(1);
    StoreThread store(DataFolder(made.dataFolder()));
    RunSession session(made.parts(), store);
    const Seen seen(session);
    QSignalSpy finished(&session, &RunSession::finished);
    session.launch(madeSpec(2, {}), {});
    QVERIFY(finished.count() > 0 || finished.wait(kEndMs));
    QVERIFY(seen.refusal.has_value());
    QVERIFY(session.state().id.isEmpty());
    QCOMPARE(store.ask([](RunStore& runs) { return runs.list()->size(); }).get(), 0);
}

void TstLaunch::measuresWithoutStarting()
{
    MadeNodes made(2);
    const auto measured = measurePlan(made.parts(), madeSpec(2, {{"steps", "1"}}), made.nodes(), {});
    QVERIFY2(measured.has_value(), measured ? "" : qPrintable(measured.error().text));
    QVERIFY(measured->plan.launchable());
    QVERIFY(measured->plan.masterPort > 1023);
    QVERIFY(measured->probes[0].roundTripMs > 0);
    QVERIFY(qAbs(measured->probes[0].clock.offsetUs().value()) < 5'000'000);
    QCOMPARE(QDir(made[0].runs).entryList(QDir::Dirs | QDir::NoDotAndDotDot), QStringList());
}

int main(int argc, char** argv)
{
    enterOwnNetwork();
    QCoreApplication app(argc, argv);
    TstLaunch test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_launch.moc"
