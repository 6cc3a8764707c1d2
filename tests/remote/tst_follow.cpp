// SPDX-License-Identifier: GPL-3.0-or-later
// Cut links, a desktop that is gone for a while, two desktops: not one byte is missing or doubled.
#include "remote/runsession.h"
#include "tests/remote/madenodes.h"
#include "tests/remote/ownnetwork.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QFile>
#include <QProcess>
#include <QSignalSpy>
#include <QTest>

#include <csignal>

using namespace lockstep;
using namespace lockstep::test;

namespace {

constexpr int kEndMs = 60'000;
constexpr int kStepsOfAPause = 100; // of 20 ms at least: longer than the pause before another try would be

RunSpec specOf(int steps)
{
    RunSpec spec;
    spec.name = QStringLiteral("followed");
    spec.ranksPerNode = 1;
    spec.graceS = 2;
    spec.trainer.clear();
    spec.setOption(QStringLiteral("steps"), QByteArray::number(steps));
    return spec;
}

qint64 newestStep(const RunSession& session, int rank)
{
    return rank < session.state().ranks.size() ? session.state().ranks[rank].step : -1;
}

} // namespace

class TstFollow : public QObject {
    Q_OBJECT

private slots:
    void goesOnAfterACutLink();
    void goesOnWhenTheFollowProcessIsKilled();
    void doesNotTryAgainWhereAPersonIsNeeded();
    void takesUpARunAfterTheDesktopWasGone();
    void readsARunThatIsOver();
    void stopsARunThatIsBeingTakenUp();
    void twoDesktopsOnOneFolder();
    void saysWhenTheSupervisorIsGone();
    void aClockThatJumpsIsMeasuredAgain();

private:
    static void verifySpools(MadeNodes& made, StoreThread& store, const QString& run)
    {
        for (int i = 0; i < made.nodes().size(); ++i) {
            const QString name = made.nodes()[i].name;
            const auto here =
                store.ask([&](RunStore& runs) { return runs.readSpool(run, name, 0, 64 << 20).value_or(QByteArray()); })
                    .get();
            const QByteArray there = made.spool(i, run);
            QVERIFY(!there.isEmpty());
            QCOMPARE(here.size(), there.size());
            QVERIFY(here == there);
        }
    }
};

void TstFollow::goesOnAfterACutLink()
{
    MadeNodes made(2);
    StoreThread store(DataFolder(made.dataFolder()));
    RunSession session(made.parts(), store);
    QSignalSpy finished(&session, &RunSession::finished);
    session.launch(specOf(400), made.nodes());
    QTRY_VERIFY_WITH_TIMEOUT(newestStep(session, 1) > 10, kEndMs);
    const int before = made[1].connections;
    made[1].cut = true;
    QTRY_COMPARE_WITH_TIMEOUT(session.state().nodes[1].link, LinkPhase::Stale, kEndMs);
    QCOMPARE(session.state().nodes[0].link, LinkPhase::Live); // the other one is not delayed
    QTRY_COMPARE_WITH_TIMEOUT(session.state().nodes[1].link, LinkPhase::Reconnecting, kEndMs);
    const qint64 atCut = newestStep(session, 1);
    QTRY_VERIFY_WITH_TIMEOUT(newestStep(session, 0) > atCut + 60, kEndMs);
    QCOMPARE(newestStep(session, 1), atCut);
    made[1].cut = false;
    QTRY_COMPARE_WITH_TIMEOUT(session.state().nodes[1].link, LinkPhase::Live, kEndMs);
    QTRY_VERIFY_WITH_TIMEOUT(newestStep(session, 1) > atCut + 60, kEndMs);
    QVERIFY(finished.wait(kEndMs));
    QVERIFY2(session.state().phase == RunPhase::Finished, qPrintable(session.state().reason));
    QVERIFY(made[1].connections >= before);
    verifySpools(made, store, session.state().id);
}

void TstFollow::goesOnWhenTheFollowProcessIsKilled()
{
    MadeNodes made(1);
    StoreThread store(DataFolder(made.dataFolder()));
    RunSession session(made.parts(), store);
    QSignalSpy finished(&session, &RunSession::finished);
    session.launch(specOf(300), made.nodes());
    for (int round = 1; round <= 3; ++round) {
        QTRY_VERIFY_WITH_TIMEOUT(newestStep(session, 0) > 40 * round, kEndMs);
        const QList<qint64> followers = made.followers(session.state().id);
        QVERIFY(!followers.isEmpty());
        for (const qint64 pid : followers)
            ::kill(static_cast<pid_t>(pid), SIGKILL);
    }
    QVERIFY(finished.wait(kEndMs));
    QVERIFY2(session.state().phase == RunPhase::Finished, qPrintable(session.state().reason));
    verifySpools(made, store, session.state().id);
}

void TstFollow::doesNotTryAgainWhereAPersonIsNeeded()
{
    MadeNodes made(2);
    StoreThread store(DataFolder(made.dataFolder()));
    RunSession session(made.parts(), store);
    QSignalSpy finished(&session, &RunSession::finished);
    session.launch(specOf(500), made.nodes());
    QTRY_VERIFY_WITH_TIMEOUT(newestStep(session, 1) > 10, kEndMs);
    made[1].refuses = true;
    for (const qint64 pid : made.followers(session.state().id))
        ::kill(static_cast<pid_t>(pid), SIGKILL);
    const auto reason = [&session] { return session.state().nodes[1].linkReason; };
    QTRY_VERIFY_WITH_TIMEOUT(reason().contains(QLatin1String("not tried again by itself")), kEndMs);
    const qint64 refusedAt = newestStep(session, 0);
    QTRY_VERIFY_WITH_TIMEOUT(newestStep(session, 0) > refusedAt + kStepsOfAPause, kEndMs);
    QCOMPARE(made[1].refusals.load(), 1);
    QVERIFY2(reason().contains(QLatin1String("did not let us in")), qPrintable(reason()));
    made[1].refuses = false; // somebody has got in
    QTRY_COMPARE_WITH_TIMEOUT(session.state().nodes[1].link, LinkPhase::Live, kEndMs);
    QVERIFY(finished.wait(kEndMs));
    QVERIFY2(session.state().phase == RunPhase::Finished, qPrintable(session.state().reason));
    verifySpools(made, store, session.state().id);
}

void TstFollow::takesUpARunAfterTheDesktopWasGone()
{
    MadeNodes made(2);
    StoreThread store(DataFolder(made.dataFolder()));
    QString run;
    {
        RunSession session(made.parts(), store);
        session.launch(specOf(300), made.nodes());
        QTRY_VERIFY_WITH_TIMEOUT(newestStep(session, 1) > 20, kEndMs);
        run = session.state().id;
    } // nothing is told to the nodes
    QVERIFY(!MadeNodes::tagged(run).isEmpty());
    RunSession again(made.parts(), store);
    QList<int> steps;
    connect(&again, &RunSession::updated, this, [&steps](const RunUpdate& update) {
        for (const auto& [key, points] : update.points)
            if (key.metric == QLatin1String("loss") && key.rank == 1)
                for (const Point& point : points)
                    steps.append(static_cast<int>(point.step));
    });
    QSignalSpy finished(&again, &RunSession::finished);
    again.attach(run, made.inventory());
    QVERIFY(finished.wait(kEndMs));
    QVERIFY2(again.state().phase == RunPhase::Finished, qPrintable(again.state().reason));
    QCOMPARE(again.state().id, run);
    QCOMPARE(steps.size(), 300); // those before and after, each once
    QVERIFY(std::is_sorted(steps.begin(), steps.end()));
    verifySpools(made, store, run);
}

void TstFollow::readsARunThatIsOver()
{
    MadeNodes made(1);
    StoreThread store(DataFolder(made.dataFolder()));
    QString run;
    {
        RunSession session(made.parts(), store);
        QSignalSpy finished(&session, &RunSession::finished);
        session.launch(specOf(20), made.nodes());
        QVERIFY(finished.wait(kEndMs));
        run = session.state().id;
    }
    made[0].cut = true; // no node is asked
    RunSession reading(made.parts(), store);
    int points = 0;
    connect(&reading, &RunSession::updated, this, [&points](const RunUpdate& update) {
        for (const auto& [key, series] : update.points)
            if (key.metric == QLatin1String("loss"))
                points += static_cast<int>(series.size());
    });
    QSignalSpy finished(&reading, &RunSession::finished);
    reading.attach(run, made.inventory());
    QVERIFY(finished.wait(kEndMs));
    QCOMPARE(words(reading.state().phase), words(RunPhase::Finished));
    QCOMPARE(points, 20);
}

void TstFollow::stopsARunThatIsBeingTakenUp()
{
    MadeNodes made(2);
    StoreThread store(DataFolder(made.dataFolder()));
    QString run;
    {
        RunSession session(made.parts(), store);
        session.launch(specOf(100000), made.nodes());
        QTRY_VERIFY_WITH_TIMEOUT(newestStep(session, 1) > 3, kEndMs);
        run = session.state().id;
    }
    RunSession again(made.parts(), store);
    QSignalSpy finished(&again, &RunSession::finished);
    again.attach(run, made.inventory());
    again.stop(1); // at once, before the run is read
    QVERIFY(finished.wait(kEndMs));
    QCOMPARE(words(again.state().phase), words(RunPhase::Stopped));
    QCOMPARE(again.state().proof(), QStringLiteral("2 of 2 ranks gone, 0 left behind"));
    QCOMPARE(MadeNodes::tagged(run), QList<qint64>());
}

void TstFollow::twoDesktopsOnOneFolder()
{
    MadeNodes made(1);
    StoreThread store(DataFolder(made.dataFolder()));
    StoreThread otherStore(DataFolder(made.dataFolder()));
    RunSession session(made.parts(), store);
    RunSession other(made.parts(), otherStore);
    QSignalSpy finished(&session, &RunSession::finished);
    QSignalSpy otherFinished(&other, &RunSession::finished);
    QList<int> steps;
    connect(&other, &RunSession::updated, this, [&steps](const RunUpdate& update) {
        for (const auto& [key, points] : update.points)
            if (key.metric == QLatin1String("loss"))
                for (const Point& point : points)
                    steps.append(static_cast<int>(point.step));
    });
    session.launch(specOf(250), made.nodes());
    QTRY_VERIFY_WITH_TIMEOUT(newestStep(session, 0) > 10, kEndMs);
    other.attach(session.state().id, made.inventory());
    QTRY_VERIFY_WITH_TIMEOUT(finished.count() == 1 && otherFinished.count() == 1, kEndMs);
    QCOMPARE(words(session.state().phase), words(RunPhase::Finished));
    QCOMPARE(words(other.state().phase), words(RunPhase::Finished));
    QCOMPARE(steps.size(), 250);
    verifySpools(made, store, session.state().id);
}

void TstFollow::saysWhenTheSupervisorIsGone()
{
    MadeNodes made(2);
    StoreThread store(DataFolder(made.dataFolder()));
    RunSession session(made.parts(), store);
    QStringList said;
    connect(&session, &RunSession::said, this, [&said](const QString& text) { said.append(text); });
    QSignalSpy finished(&session, &RunSession::finished);
    session.launch(specOf(100000), made.nodes());
    QTRY_VERIFY_WITH_TIMEOUT(newestStep(session, 1) > 3, kEndMs);
    const qint64 supervisor = made.supervisor(1, session.state().id);
    QVERIFY(supervisor > 1);
    ::kill(static_cast<pid_t>(supervisor), SIGKILL);
    QVERIFY(finished.wait(kEndMs));
    QCOMPARE(words(session.state().phase), words(RunPhase::Failed));
    QVERIFY2(said.join(u' ').contains(QStringLiteral("supervisor on n2 is gone")), qPrintable(said.join(u' ')));
    QCOMPARE(session.state().nodes[1].left, 0);
    QCOMPARE(MadeNodes::tagged(session.state().id), QList<qint64>());
}

void TstFollow::aClockThatJumpsIsMeasuredAgain()
{
    MadeNodes made(2);
    made[1].clockFile = made.folder() + QStringLiteral("/clock");
    RunParts parts = made.parts();
    parts.clockEvery = std::chrono::milliseconds(300);
    StoreThread store(DataFolder(made.dataFolder()));
    RunSession session(parts, store);
    QStringList clocksSaid;
    connect(&session, &RunSession::said, this, [&clocksSaid](const QString& sentence) {
        if (sentence.startsWith(QLatin1String("The clock of n2")))
            clocksSaid << sentence;
    });
    const auto timesOf = [this](RunSession& of, QList<qint64>& times) {
        connect(&of, &RunSession::updated, this, [&times](const RunUpdate& update) {
            for (const LogLine& line : update.lines)
                if (update.nodeIndex == 1 && line.rank == 1)
                    times << line.wallUs;
        });
    };
    QList<qint64> times, again;
    timesOf(session, times);
    session.launch(specOf(100000), made.nodes());
    QTRY_VERIFY_WITH_TIMEOUT(newestStep(session, 1) > 20, kEndMs);
    QFile jump(made[1].clockFile);
    QVERIFY(jump.open(QIODevice::WriteOnly) && jump.write("3600 100") > 0);
    jump.close();
    QTRY_COMPARE_WITH_TIMEOUT(clocksSaid.size(), 1, kEndMs);
    QVERIFY2(clocksSaid[0].contains("+3600.0 s"), qPrintable(clocksSaid[0]));
    const qint64 measuredUs = QDateTime::currentMSecsSinceEpoch() * 1000;
    const qsizetype seen = times.size();
    QTRY_VERIFY_WITH_TIMEOUT(times.size() > seen + 60, kEndMs);
    const qint64 nowUs = QDateTime::currentMSecsSinceEpoch() * 1000;
    for (qsizetype i = seen + 10; i < times.size(); ++i) // some were on their way
        QVERIFY2(times[i] > measuredUs - 5'000'000 && times[i] < nowUs + 1'000'000,
                 qPrintable(QString::number(times[i] - nowUs)));
    QSignalSpy finished(&session, &RunSession::finished);
    session.stop(1);
    QVERIFY(finished.wait(kEndMs));
    QCOMPARE(clocksSaid.size(), 1); // measured again and again, said once

    RunSession replay(made.parts(), store);
    timesOf(replay, again);
    QSignalSpy read(&replay, &RunSession::finished);
    replay.attach(session.state().id, made.inventory());
    QVERIFY(read.wait(kEndMs));
    QCOMPARE(again, times);
}

int main(int argc, char** argv)
{
    enterOwnNetwork();
    QCoreApplication app(argc, argv);
    TstFollow test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_follow.moc"
