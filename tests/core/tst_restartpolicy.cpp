// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/restartpolicy.h"

#include "core/runclaim.h"

#include <QTemporaryDir>
#include <QTest>

#include <csignal>

using namespace lockstep;

class TstRestartPolicy : public QObject {
    Q_OBJECT

private slots:
    void decides_data();
    void decides();
    void leavesAnOverriddenPortAlone();
    void pauses();
    void resumesFromTheNewestCheckpoint_data();
    void resumesFromTheNewestCheckpoint();
    void aSpecSaysHowOften_data();
    void aSpecSaysHowOften();
    void oneDrives();
};

Q_DECLARE_METATYPE(lockstep::Again)

void TstRestartPolicy::decides_data()
{
    QTest::addColumn<int>("restarts"); // of the spec
    QTest::addColumn<int>("port");
    QTest::addColumn<int>("exitCode");
    QTest::addColumn<int>("signal");
    QTest::addColumn<bool>("stopRequested");
    QTest::addColumn<AttemptsSoFar>("soFar");
    QTest::addColumn<Again>("wanted");
    const AttemptsSoFar none;
    QTest::newRow("never") << 0 << 0 << 1 << 0 << false << none << Again::No;
    QTest::newRow("a crash") << 1 << 0 << 1 << 0 << false << none << Again::NewAttempt;
    QTest::newRow("killed") << 3 << 0 << 0 << SIGKILL << false << AttemptsSoFar{2} << Again::NewAttempt;
    QTest::newRow("all used") << 3 << 0 << 1 << 0 << false << AttemptsSoFar{3} << Again::No;
    QTest::newRow("on request") << 3 << 0 << 1 << 0 << true << none << Again::No;
    QTest::newRow("a wrong option") << 3 << 0 << 2 << 0 << false << none << Again::No;
    QTest::newRow("NaN, and bit for bit again") << 3 << 0 << 8 << 0 << false << none << Again::No;
    QTest::newRow("a lost peer") << 3 << 0 << 7 << 0 << false << none << Again::NewAttempt;
    QTest::newRow("a wrong world") << 3 << 0 << 1 << 0 << false << AttemptsSoFar{0, false, false, true} << Again::No;
    QTest::newRow("port taken") << 0 << 0 << 1 << 0 << false << AttemptsSoFar{0, false, true} << Again::OtherPort;
    QTest::newRow("port taken twice") << 0 << 0 << 1 << 0 << false << AttemptsSoFar{0, true, true} << Again::No;
    QTest::newRow("port taken twice, restarts left")
        << 1 << 0 << 1 << 0 << false << AttemptsSoFar{0, true, true} << Again::NewAttempt;
    QTest::newRow("a port that was asked for")
        << 0 << 29500 << 1 << 0 << false << AttemptsSoFar{0, false, true} << Again::No;
}

void TstRestartPolicy::decides()
{
    QFETCH(int, restarts);
    QFETCH(int, port);
    QFETCH(int, exitCode);
    QFETCH(int, signal);
    QFETCH(bool, stopRequested);
    QFETCH(AttemptsSoFar, soFar);
    QFETCH(Again, wanted);
    RunSpec spec;
    spec.restarts = restarts;
    spec.masterPort = port;
    RunState state;
    state.phase = RunPhase::Failed;
    state.stopRequested = stopRequested;
    RankState rank;
    rank.exitCode = exitCode;
    rank.signal = signal;
    state.ranks = {rank};
    state.cause = FirstCause{0, QStringLiteral("n1"), QStringLiteral("Rank 0 on n1 failed"), {}, {}, {}};
    QCOMPARE(startAgain(spec, state, soFar), wanted);
    state.cause.reset();
    QCOMPARE(startAgain(spec, state, soFar), Again::No);
}

void TstRestartPolicy::leavesAnOverriddenPortAlone()
{
    RunSpec spec;
    spec.envOverride = {{"MASTER_PORT", "29500"}}; // the plan would set no other
    RunState state;
    state.phase = RunPhase::Failed;
    RankState rank;
    rank.exitCode = 1;
    state.ranks = {rank};
    state.cause = FirstCause{0, QStringLiteral("n1"), QStringLiteral("Rank 0 on n1 failed"), {}, {}, {}};
    QCOMPARE(startAgain(spec, state, {0, false, true}), Again::No);
}

void TstRestartPolicy::pauses()
{
    QCOMPARE(pauseBefore(1).count(), 2);
    QCOMPARE(pauseBefore(3).count(), 8);
    QCOMPARE(pauseBefore(6).count(), 60);
    QCOMPARE(pauseBefore(1000).count(), 60);
}

void TstRestartPolicy::resumesFromTheNewestCheckpoint_data()
{
    QTest::addColumn<QByteArray>("checkpoint");
    QTest::addColumn<QByteArray>("resume");
    QTest::addColumn<bool>("has");
    QTest::addColumn<QByteArray>("wanted");
    QTest::newRow("no folder") << QByteArray() << QByteArray() << false << QByteArray();
    QTest::newRow("a folder") << QByteArray("ck") << QByteArray() << true << QByteArray("ck");
    QTest::newRow("a folder with nothing yet") << QByteArray("ck") << QByteArray() << false << QByteArray("ck");
    QTest::newRow("began elsewhere, nothing yet")
        << QByteArray("ck") << QByteArray("/old/a.pt") << false << QByteArray("/old/a.pt");
    QTest::newRow("began elsewhere") << QByteArray("ck") << QByteArray("/old/a.pt") << true << QByteArray("ck");
    QTest::newRow("the same") << QByteArray("ck") << QByteArray("ck") << false << QByteArray("ck");
}

void TstRestartPolicy::resumesFromTheNewestCheckpoint()
{
    QFETCH(QByteArray, checkpoint);
    QFETCH(QByteArray, resume);
    QFETCH(bool, has);
    QFETCH(QByteArray, wanted);
    RunSpec spec;
    if (!checkpoint.isEmpty())
        spec.setOption(QStringLiteral("checkpoint"), checkpoint);
    if (!resume.isEmpty())
        spec.setOption(QStringLiteral("resume"), resume);
    const RunSpec next = resumed(spec, has ? Checkpoints::Written : Checkpoints::None);
    QCOMPARE(next.option(QStringLiteral("resume")), wanted);
    const bool own = !checkpoint.isEmpty() && wanted == checkpoint;
    QCOMPARE(next.option(QStringLiteral("resume_older")), own ? QByteArray("yes") : QByteArray());
}

void TstRestartPolicy::aSpecSaysHowOften_data()
{
    QTest::addColumn<QByteArray>("toml");
    QTest::addColumn<int>("wanted"); // < 0: refused
    QTest::newRow("missing") << QByteArray() << 0;
    QTest::newRow("never") << QByteArray("restarts = 0") << 0;
    QTest::newRow("three") << QByteArray("restarts = 3") << 3;
    QTest::newRow("negative") << QByteArray("restarts = -1") << -1;
    QTest::newRow("too many") << QByteArray("restarts = 1001") << -1;
    QTest::newRow("a text") << QByteArray("restarts = \"3\"") << -1;
}

void TstRestartPolicy::aSpecSaysHowOften()
{
    QFETCH(QByteArray, toml);
    QFETCH(int, wanted);
    const auto spec = RunSpec::parse(toml, QStringLiteral("spec.toml"));
    QCOMPARE(spec.has_value(), wanted >= 0);
    if (!spec) {
        QVERIFY2(spec.error().text.contains(QStringLiteral("restarts")), qPrintable(spec.error().text));
        return;
    }
    QCOMPARE(spec->restarts, wanted);
    QCOMPARE(RunSpec::parse(spec->toToml(), QStringLiteral("spec.toml"))->restarts, wanted);
    RunSpec set;
    QCOMPARE(set.set(QStringLiteral("restarts=%1").arg(wanted)).has_value(), true);
    QCOMPARE(set.restarts, wanted);
}

void TstRestartPolicy::oneDrives()
{
    const QTemporaryDir folder;
    QVERIFY(!RunClaim::isHeld(folder.path()));
    auto first = RunClaim::take(folder.path());
    QVERIFY(first);
    QVERIFY(RunClaim::isHeld(folder.path()));
    QVERIFY(!RunClaim::take(folder.path()));
    first.reset();
    QVERIFY(!RunClaim::isHeld(folder.path()));
    QVERIFY(RunClaim::take(folder.path()));
}

QTEST_GUILESS_MAIN(TstRestartPolicy)
#include "tst_restartpolicy.moc"
