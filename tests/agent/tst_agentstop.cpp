// SPDX-License-Identifier: GPL-3.0-or-later
// The end of a run on real processes: all of ours gone, nobody else's touched, and the proof.
#include "tests/agent/agentbox.h"

#include <QElapsedTimer>
#include <QFile>
#include <QTest>

#include <csignal>

namespace {

constexpr int kWaitMs = 60'000;

qint64 pidOf(const QList<AgentRecord>& records, int rank)
{
    return phases(records, rank, "starting").value(0)["pid"].toLongLong();
}

} // namespace

class TestStop : public QObject {
    Q_OBJECT

private slots:
    void stubbornFamiliesGoAndTheirTwinsStay()
    {
        AgentBox box;
        TestJob job;
        TestJob twin;
        twin.run = "twin";
        const QByteArray mine = box.path("mine").toLocal8Bit();
        const QByteArray theirs = box.path("theirs").toLocal8Bit();
        job.ranks = {probeRank({"family", mine}), probeRank({"family", mine})};
        twin.ranks = {probeRank({"family", theirs}), probeRank({"family", theirs})};
        QCOMPARE(box.launch(job).exitCode, 0);
        QCOMPARE(box.launch(twin).exitCode, 0);
        QTRY_COMPARE_WITH_TIMEOUT(AgentBox::pidsIn(mine).size(), 8, kWaitMs);
        QTRY_COMPARE_WITH_TIMEOUT(AgentBox::pidsIn(theirs).size(), 8, kWaitMs);

        const AgentAnswer stopped = box.verb({"stop", "run", "--grace", "1"});
        QCOMPARE(stopped.exitCode, 0);
        QCOMPARE(stopped.records.value(0)["phase"], QByteArray("stopping"));
        QCOMPARE(stopped.last().kind, QByteArray("proof"));
        QCOMPARE(stopped.last()["left"], QByteArray("0"));
        QCOMPARE(stopped.last()["gone"], QByteArray("8"));
        for (const qint64 pid : AgentBox::pidsIn(mine))
            QVERIFY2(!AgentBox::isRunning(pid), qPrintable(QString::number(pid)));
        for (const qint64 pid : AgentBox::pidsIn(theirs))
            QVERIFY2(AgentBox::isRunning(pid), qPrintable(QString::number(pid)));
        QCOMPARE(box.listed("twin")["phase"], QByteArray("running"));

        const AgentAnswer followed = box.follow("run");
        QCOMPARE(followed.exitCode, 0);
        QCOMPARE(followed.records.last()["reason"], QByteArray("stopped on request"));
        QCOMPARE(followed.records.last()["gone"], QByteArray("8"));
        QCOMPARE(phases(followed.records, 1, "exited").value(0)["signal"], QByteArray("9"));
        QCOMPARE(box.verb({"stop", "run", "--grace", "1"}).exitCode, 0); // again: harmless
    }

    void aRankThatHearsTermEndsByIt()
    {
        AgentBox box;
        TestJob job;
        job.graceS = 20;
        job.ranks = {shellRank("trap 'echo saved; exit 5' TERM; echo ready; while :; do sleep 0.05; done")};
        QCOMPARE(box.launch(job).exitCode, 0);
        QTRY_VERIFY_WITH_TIMEOUT(box.spool("run").contains("text=ready"), kWaitMs);
        QCOMPARE(box.verb({"stop", "run", "--grace", "20"}).exitCode, 0);
        const auto records = box.records("run");
        QCOMPARE(ofKind(records, "out").last()["text"], QByteArray("saved"));
        QCOMPARE(phases(records, 0, "exited").value(0)["code"], QByteArray("5"));
    }

    void headsThatGrowAgainAreCutOff()
    {
        AgentBox box;
        TestJob job;
        const QByteArray file = box.path("heads").toLocal8Bit();
        job.ranks = {probeRank({"hydra", file})};
        QCOMPARE(box.launch(job).exitCode, 0);
        QTRY_COMPARE_WITH_TIMEOUT(AgentBox::pidsIn(file).size(), 1, kWaitMs);
        const AgentAnswer stopped = box.verb({"stop", "run", "--grace", "1"});
        QCOMPARE(stopped.exitCode, 0);
        QCOMPARE(stopped.last()["left"], QByteArray("0"));
        const auto heads = AgentBox::pidsIn(file);
        QVERIFY(heads.size() > 2);
        for (const qint64 pid : heads)
            QVERIFY(!AgentBox::isRunning(pid));
    }

    void failure_data()
    {
        QTest::addColumn<QByteArray>("script");
        QTest::addColumn<QByteArray>("key");
        QTest::addColumn<QByteArray>("value");
        QTest::addColumn<QByteArray>("reason");
        QTest::newRow("SIGKILL") << QByteArray("kill -9 $$") << QByteArray("signal") << QByteArray("9")
                                 << QByteArray("killed by SIGKILL");
        QTest::newRow("SIGSEGV") << QByteArray("kill -SEGV $$") << QByteArray("signal") << QByteArray("11")
                                 << QByteArray("killed by SIGSEGV");
        QTest::newRow("exit 1") << QByteArray("echo last words >&2; exit 1") << QByteArray("code") << QByteArray("1")
                                << QByteArray("exit code 1");
    }
    void failure()
    {
        QFETCH(QByteArray, script);
        QFETCH(QByteArray, key);
        QFETCH(QByteArray, value);
        QFETCH(QByteArray, reason);
        AgentBox box;
        TestJob job;
        job.graceS = 30; // a failed run does not wait that long
        job.ranks = {probeRank({"family", box.path("family").toLocal8Bit()}), shellRank(script)};
        QCOMPARE(box.launch(job).exitCode, 0);
        const AgentAnswer followed = box.follow("run");
        QCOMPARE(followed.exitCode, 0);
        const auto& records = followed.records;
        const AgentRecord exited = phases(records, 1, "exited").value(0);
        QCOMPARE(exited.fields.value(key), value);
        QCOMPARE(exited["reason"], reason);
        QCOMPARE(records.last()["reason"], "rank 1: " + reason);
        QCOMPARE(records.last()["left"], QByteArray("0"));
        QVERIFY(phases(records, 0, "exited").value(0).timeUs - exited.timeUs < 10'000'000);
        QCOMPARE(phases(records, -1, "stopping").value(0)["reason"], "rank 1: " + reason);
        if (key == "code") { // what it said stands before how it ended
            const qsizetype words = followed.out.indexOf("text=last\\swords");
            QVERIFY(words > 0 &&
                    words < followed.out.indexOf("phase 1 " + QByteArray::number(exited.timeUs) + " phase=exited"));
        }
    }

    void whatARankLeavesBehindGoesToo()
    {
        AgentBox box;
        TestJob job;
        const QByteArray file = box.path("daemon").toLocal8Bit();
        job.ranks = {shellRank("setsid sh -c 'echo $$ > \"" + file + "\"; exec sleep 100' & while [ ! -s '" + file +
                               "' ]; do sleep 0.01; done; exit 0")};
        QCOMPARE(box.launch(job).exitCode, 0);
        const AgentAnswer followed = box.follow("run");
        QCOMPARE(followed.records.last()["reason"], QByteArray("finished"));
        QCOMPARE(followed.records.last()["gone"], QByteArray("2"));
        QVERIFY(phases(followed.records, -1, "stopping").isEmpty());
        QVERIFY(!AgentBox::isRunning(AgentBox::pidsIn(file).value(0)));
    }

    void aLostSupervisorIsSeenAndItsRanksAreFound()
    {
        AgentBox box;
        TestJob job;
        const QByteArray file = box.path("family").toLocal8Bit();
        job.ranks = {probeRank({"family", file}), shellRank("exec sleep 100")};
        QCOMPARE(box.launch(job).exitCode, 0);
        QTRY_COMPARE_WITH_TIMEOUT(AgentBox::pidsIn(file).size(), 4, kWaitMs);
        const qint64 sleeper = pidOf(box.records("run"), 1);
        const auto live = box.start({"follow", "run", "--from", "0"});
        ::kill(static_cast<pid_t>(box.supervisor("run")), SIGKILL);

        QTRY_COMPARE_WITH_TIMEOUT(box.listed("run")["phase"], QByteArray("lost"), kWaitMs);
        QVERIFY(AgentBox::isRunning(sleeper));
        QVERIFY(live->waitForFinished(kWaitMs)); // the one that was following, too
        QCOMPARE(live->exitCode(), 1);
        QCOMPARE(live->readAllStandardOutput(), box.spool("run"));
        const AgentAnswer followed = box.follow("run");
        QCOMPARE(followed.exitCode, 1);
        QCOMPARE(followed.out, box.spool("run"));
        QCOMPARE(ofKind(recordsOf(followed.err), "error").value(0)["code"], QByteArray("lost"));

        TestJob next;
        next.run = "next";
        next.ranks = {shellRank("exit 0")};
        const AgentAnswer refused = box.launch(next);
        QCOMPARE(refused.last()["code"], QByteArray("busy"));
        QVERIFY2(refused.last()["text"].contains("earlier run run") &&
                     refused.last()["text"].contains(QByteArray::number(sleeper)),
                 refused.last()["text"].constData());

        const AgentAnswer stopped = box.verb({"stop", "run", "--grace", "1"});
        QCOMPARE(stopped.exitCode, 0);
        QCOMPARE(stopped.last()["left"], QByteArray("0"));
        QVERIFY(stopped.last()["gone"].toInt() >= 5); // the one without the environment, too: it holds a rank's pipes
        QVERIFY(!AgentBox::isRunning(sleeper));
        QCOMPARE(box.listed("run")["phase"], QByteArray("ended"));
        QCOMPARE(box.follow("run").exitCode, 0);
        QCOMPARE(box.launch(next).exitCode, 0);
        for (const qint64 pid : AgentBox::pidsIn(file))
            QVERIFY2(!AgentBox::isRunning(pid), qPrintable(QString::number(pid)));
    }

    void aStopThatWasKilledIsDoneByTheNext_data()
    {
        QTest::addColumn<bool>("lost");
        QTest::newRow("supervised") << false;
        QTest::newRow("lost") << true;
    }
    void aStopThatWasKilledIsDoneByTheNext()
    {
        QFETCH(bool, lost);
        AgentBox box;
        TestJob job;
        const QByteArray file = box.path("family").toLocal8Bit();
        job.ranks = {probeRank({"family", file})};
        QCOMPARE(box.launch(job).exitCode, 0);
        QTRY_COMPARE_WITH_TIMEOUT(AgentBox::pidsIn(file).size(), 4, kWaitMs);
        if (lost) {
            ::kill(static_cast<pid_t>(box.supervisor("run")), SIGKILL);
            QTRY_COMPARE_WITH_TIMEOUT(box.listed("run")["phase"], QByteArray("lost"), kWaitMs);
        }
        const auto first = box.start({"stop", "run", "--grace", "600"});
        QByteArray said;
        QTRY_VERIFY_WITH_TIMEOUT((said += first->readAllStandardOutput()).contains("phase=stopping"), kWaitMs);
        first->kill();
        QVERIFY(first->waitForFinished(kWaitMs));
        const AgentAnswer second = box.verb({"stop", "run", "--grace", "1"});
        QCOMPARE(second.exitCode, 0);
        QCOMPARE(second.last()["left"], QByteArray("0"));
        for (const qint64 pid : AgentBox::pidsIn(file))
            QVERIFY2(!AgentBox::isRunning(pid), qPrintable(QString::number(pid)));
        QCOMPARE(box.follow("run").records.last()["phase"], QByteArray("ended"));
    }

    void aPersonsStopIsForGood_data()
    {
        QTest::addColumn<QStringList>("words");
        QTest::addColumn<bool>("forGood");
        QTest::newRow("a person") << QStringList{"--grace", "1"} << true;
        QTest::newRow("the driver") << QStringList{"--by", "driver", "--grace", "1"} << false;
    }
    void aPersonsStopIsForGood()
    {
        QFETCH(QStringList, words);
        QFETCH(bool, forGood);
        AgentBox box;
        TestJob job;
        job.ranks = {shellRank("exec sleep 100")};
        QCOMPARE(box.launch(job).exitCode, 0);
        QCOMPARE(box.verb(QStringList{"stop", "run"} + words).exitCode, 0);
        const auto records = box.records("run");
        for (const char* phase : {"stopping", "ended"})
            QCOMPARE(phases(records, -1, phase).value(0)["asked_grace"], forGood ? QByteArray("1") : QByteArray());
        job.attempt = 2;
        const AgentAnswer next = box.launch(job);
        QCOMPARE(next.exitCode, forGood ? 1 : 0);
        QCOMPARE(next.last()["code"], forGood ? QByteArray("stopped") : QByteArray());
        QCOMPARE(box.verb({"stop", "run", "--grace", "0"}).exitCode, 0);
    }

    // Nothing of the run is left there, so whoever launches it learns of the stop by the answer to its `go` alone.
    void aStopBeforeGoIsToldToTheLaunch()
    {
        AgentBox box;
        TestJob job;
        const QString marker = box.path("started");
        job.ranks = {shellRank("touch '" + marker.toUtf8() + "'")};
        const auto launch = box.start({"launch", "run"});
        launch->write(job.text());
        QByteArray said;
        QTRY_VERIFY_WITH_TIMEOUT((said += launch->readAllStandardOutput()).contains("prepared"), kWaitMs);
        QCOMPARE(box.verb({"stop", "run", "--grace", "1"}).exitCode, 0);
        launch->write("go - 0\n");
        QVERIFY(launch->waitForFinished(kWaitMs));
        const auto records = recordsOf(said + launch->readAllStandardOutput());
        QCOMPARE(records.last()["code"], QByteArray("stopped"));
        QVERIFY(!QFile::exists(box.runFolder("run")));
        QVERIFY(!QFile::exists(marker));
    }

    void aHungSupervisorDoesNotPreventStop()
    {
        AgentBox box;
        TestJob job;
        job.ranks = {shellRank("exec sleep 100")};
        QCOMPARE(box.launch(job).exitCode, 0);
        const qint64 rank = pidOf(box.records("run"), 0);
        const qint64 supervisor = box.supervisor("run");
        ::kill(static_cast<pid_t>(supervisor), SIGSTOP);
        const AgentAnswer stopped = box.verb({"stop", "run", "--grace", "0"});
        QCOMPARE(stopped.exitCode, 0);
        QVERIFY(!AgentBox::isRunning(rank));
        QVERIFY(!AgentBox::isRunning(supervisor));
    }

    void aSupervisorThatIsAskedToEndStopsItsRanks()
    {
        AgentBox box;
        TestJob job;
        job.ranks = {shellRank("exec sleep 100")};
        QCOMPARE(box.launch(job).exitCode, 0);
        const qint64 rank = pidOf(box.records("run"), 0);
        ::kill(static_cast<pid_t>(box.supervisor("run")), SIGTERM);
        QCOMPARE(box.follow("run").records.last()["phase"], QByteArray("ended"));
        QVERIFY(!AgentBox::isRunning(rank));
    }

    void anUnknownRunIsSaidSo()
    {
        AgentBox box;
        for (const char* verb : {"stop", "follow"}) {
            const AgentAnswer answer = box.verb({verb, "nobody"});
            QCOMPARE(answer.exitCode, 1);
            QCOMPARE(recordsOf(answer.out + answer.err).value(0)["code"], QByteArray("not_found"));
        }
        QCOMPARE(box.verb({"stop", "../../etc", "--grace", "1"}).last()["code"], QByteArray("not_found"));
        QCOMPARE(box.verb({"dance"}).last()["code"], QByteArray("usage"));
    }
};

QTEST_GUILESS_MAIN(TestStop)
#include "tst_agentstop.moc"
