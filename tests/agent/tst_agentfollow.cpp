// SPDX-License-Identifier: GPL-3.0-or-later
// The spool as a follower gets it: byte for byte, from any offset, through floods, endless lines and a full disk.
#include "tests/agent/agentbox.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QTest>

#include <sys/resource.h>

namespace {

constexpr int kWaitMs = 60'000;
constexpr int kSegmentBytes = 8192;

// Many lines of many lengths, then the end.
QByteArray chatter(int lines)
{
    return "i=0; while [ $i -lt " + QByteArray::number(lines) +
           " ]; do echo \"line $i $(printf %0$((i % 90))d 0)\"; i=$((i+1)); done";
}

void limitFileSize(qint64 pid, rlim_t bytes)
{
    rlimit limit{};
    QCOMPARE(::prlimit(static_cast<pid_t>(pid), RLIMIT_FSIZE, nullptr, &limit), 0);
    limit.rlim_cur = bytes;
    QCOMPARE(::prlimit(static_cast<pid_t>(pid), RLIMIT_FSIZE, &limit, nullptr), 0);
}

qint64 residentBytes(qint64 pid)
{
    for (const QByteArray& line : AgentBox::contentOf(QStringLiteral("/proc/%1/status").arg(pid)).split('\n'))
        if (line.startsWith("VmHWM:"))
            return line.simplified().split(' ').value(1).toLongLong() * 1024;
    return -1;
}

} // namespace

class TestFollow : public QObject {
    Q_OBJECT

private slots:
    void fromEveryKindOfOffset()
    {
        AgentBox box;
        TestJob job;
        job.segmentBytes = kSegmentBytes;
        job.ranks = {shellRank(chatter(800))};
        QCOMPARE(box.launch(job).exitCode, 0);
        QCOMPARE(box.follow("run").exitCode, 0);
        QTRY_VERIFY_WITH_TIMEOUT(QDir(box.runFolder("run")).entryList({"spool.*.zst"}).size() >= 3, kWaitMs);
        QTRY_VERIFY_WITH_TIMEOUT(QDir(box.runFolder("run")).entryList({"*.new"}).isEmpty(), kWaitMs); // the next one's
        const QByteArray all = box.spool("run");
        QVERIFY(all.size() > 4 * kSegmentBytes);
        QCOMPARE(recordsOf(all).last()["phase"], QByteArray("ended"));

        QList<qint64> offsets{0, 1, 77, all.indexOf('\n'), all.indexOf('\n') + 1, all.size() - 1, all.size()};
        qint64 end = 0;
        const auto segments = QDir(box.runFolder("run")).entryList({"spool.*"}, QDir::Files, QDir::Name);
        for (int index = 0; index + 1 < segments.size(); ++index) {
            // A segment ends with the record that filled it.
            end = all.indexOf('\n', end + kSegmentBytes - 1) + 1;
            offsets << end - 1 << end << end + 1;
        }
        for (const qint64 offset : std::as_const(offsets)) {
            const AgentAnswer followed = box.follow("run", offset);
            QCOMPARE(followed.exitCode, 0);
            QVERIFY2(followed.out == all.mid(offset), qPrintable(QString::number(offset)));
        }
        const AgentAnswer beyond = box.follow("run", all.size() + 1);
        QCOMPARE(beyond.exitCode, 1);
        QCOMPARE(recordsOf(beyond.err).value(0)["code"], QByteArray("offset"));
        QCOMPARE(box.listed("run")["spool_bytes"].toLongLong(), all.size());
    }

    // Cut again and again while the run goes on and segments are compressed: size of the copy is where it resumes.
    void throughCutLinks()
    {
        AgentBox box;
        TestJob job;
        job.segmentBytes = kSegmentBytes;
        job.ranks = {shellRank(chatter(600)), shellRank(chatter(600))};
        QCOMPARE(box.launch(job).exitCode, 0);
        QByteArray copy;
        int cuts = 0;
        bool ended = false;
        while (!ended) {
            const auto follow = box.start({"follow", "run", "--from", QString::number(copy.size())});
            const qsizetype enough = copy.size() + 5000;
            while (copy.size() < enough && (follow->waitForReadyRead(kWaitMs) || follow->bytesAvailable() > 0))
                copy += follow->read(enough - copy.size()); // what else has come is lost with the link
            ended = follow->bytesAvailable() == 0 && follow->state() == QProcess::NotRunning &&
                    follow->exitStatus() == QProcess::NormalExit;
            if (!ended) {
                ++cuts;
                follow->kill();
                follow->waitForFinished();
            } else {
                QCOMPARE(follow->exitCode(), 0);
            }
        }
        QVERIFY(cuts > 3);
        QCOMPARE(copy, box.spool("run"));
    }

    void beatsAndTheEndOfTheReader()
    {
        AgentBox box;
        TestJob job;
        job.ranks = {shellRank("exec sleep 100")};
        QCOMPARE(box.launch(job).exitCode, 0);
        const auto follow = box.start({"follow", "run", "--from", "0"});
        QByteArray beats;
        QTRY_VERIFY_WITH_TIMEOUT(
            (follow->waitForReadyRead(50), beats += follow->readAllStandardError()).count("beat ") >= 4, kWaitMs);
        const auto records = recordsOf(beats);
        QVERIFY(records.last()["size"].toLongLong() > 0);
        QVERIFY(records[3]["wall_us"].toLongLong() > records[0]["wall_us"].toLongLong());
        follow->closeWriteChannel();
        QVERIFY(follow->waitForFinished(kWaitMs));
        QCOMPARE(box.listed("run")["phase"], QByteArray("running")); // the run goes on
    }

    // One wake of the reader for many records.
    void gathersWhatComesTogether()
    {
        constexpr int kGatherMs = 500, kRecords = 100;
        AgentBox box;
        TestJob job;
        job.ranks = {
            shellRank("i=0; while [ $i -lt 100 ]; do echo metric - 0 step=$i >&3; i=$((i+1)); sleep .02; done")};
        QCOMPARE(box.launch(job).exitCode, 0);
        const auto follow = box.start({"follow", "run", "--gather", QString::number(kGatherMs)});
        QElapsedTimer clock;
        clock.start();
        QByteArray copy;
        int pieces = 0;
        while (follow->waitForReadyRead(kWaitMs)) {
            follow->readAllStandardError();
            const QByteArray piece = follow->readAllStandardOutput();
            if (piece.isEmpty())
                continue;
            ++pieces;
            copy += piece;
        }
        QVERIFY(follow->state() == QProcess::NotRunning || follow->waitForFinished(kWaitMs));
        QCOMPARE(copy + follow->readAllStandardOutput(), box.spool("run"));
        QVERIFY(copy.count("metric ") >= kRecords);
        QVERIFY2(pieces >= 3 && pieces <= 2 * (clock.elapsed() / kGatherMs + 2), qPrintable(QString::number(pieces)));
    }

    // A reader that reads nothing: beats go on, the run is not held up, and nothing is lost.
    void aSlowReader()
    {
        AgentBox box;
        TestJob job;
        job.ranks = {
            shellRank("yes 'metric - 0 step=1 loss=0.123456789 filler=abcdefghijklmnopqrstuvwxyz' | head -n 9000 >&3")};
        QCOMPARE(box.launch(job).exitCode, 0);
        const auto follow = box.start({"follow", "run", "--from", "0"});
        follow->setReadChannel(QProcess::StandardError);
        QTRY_COMPARE_WITH_TIMEOUT(box.listed("run")["phase"], QByteArray("ended"), kWaitMs);
        QVERIFY(box.spool("run").size() > 200'000);
        QVERIFY(follow->waitForFinished(kWaitMs));
        QCOMPARE(follow->readAllStandardOutput(), box.spool("run"));
    }

    // If the metric waited for the flood to end, the flood would never end.
    void aFloodIsThinnedAndDelaysNoMetric()
    {
        AgentBox box;
        TestJob job;
        const QString enough = box.path("enough");
        job.ranks = {probeRank({"flood", enough.toLocal8Bit()})};
        QCOMPARE(box.launch(job).exitCode, 0);
        QTRY_VERIFY_WITH_TIMEOUT(box.spool("run").contains("metric 0 "), kWaitMs);
        // On a quiet machine the metric is there before the flood is one.
        QTRY_VERIFY_WITH_TIMEOUT(AgentBox::contentOf(box.runFolder("run") + "/rank-0.out").count('\n') > 2000, kWaitMs);
        QFile file(enough);
        QVERIFY(file.open(QIODevice::WriteOnly));
        const AgentAnswer followed = box.follow("run");
        QCOMPARE(followed.exitCode, 0);
        const QByteArray raw = AgentBox::contentOf(box.runFolder("run") + "/rank-0.out");
        QVERIFY(raw.endsWith("last line\n"));
        const qint64 lines = raw.count('\n');
        const qint64 shown = ofKind(followed.records, "out").size();
        qint64 dropped = 0, droppedBytes = 0, shownBytes = 0;
        for (const AgentRecord& record : ofKind(followed.records, "dropped")) {
            QCOMPARE(record["what"], QByteArray("out"));
            dropped += record["count"].toLongLong();
            droppedBytes += record["bytes"].toLongLong();
        }
        for (const AgentRecord& record : ofKind(followed.records, "out"))
            shownBytes += record["text"].size() + 1;
        QVERIFY(lines > 2000);
        QVERIFY(dropped > 0);
        QCOMPARE(shown + dropped, lines);
        QCOMPARE(shownBytes + droppedBytes, raw.size());
    }

    void tenMegabytesWithoutANewline()
    {
        AgentBox box;
        TestJob job;
        const QString enough = box.path("enough");
        job.ranks = {shellRank("while [ ! -e '" + enough.toUtf8() +
                               "' ]; do sleep 0.01; done; head -c 10000000 /dev/zero | tr '\\0' x; "
                               "echo 'metric - 0 step=2' >&3; sleep 100")};
        QCOMPARE(box.launch(job).exitCode, 0);
        const qint64 supervisor = box.supervisor("run");
        QTRY_VERIFY_WITH_TIMEOUT(box.spool("run").contains("clock "), kWaitMs);
        const qint64 before = residentBytes(supervisor);
        QFile file(enough);
        QVERIFY(file.open(QIODevice::WriteOnly));
        QTRY_VERIFY_WITH_TIMEOUT(box.spool("run").contains("metric 0 "), kWaitMs);
        QVERIFY(residentBytes(supervisor) - before < 4'000'000);
        QCOMPARE(box.verb({"stop", "run", "--grace", "1"}).exitCode, 0);
        QCOMPARE(QFile(box.runFolder("run") + "/rank-0.out").size(), 10'000'000);
        const AgentRecord line = ofKind(box.records("run"), "out").value(0);
        QVERIFY(line["text"].size() > 10'000);
        QCOMPARE(line["text"].size() + line["cut"].toLongLong(), 10'000'000);
    }

    void tellsTheTimeWhenAsked()
    {
        AgentBox box;
        TestJob job;
        job.ranks = {shellRank("sleep 100")};
        QCOMPARE(box.launch(job).exitCode, 0);
        const auto follow = box.start({"follow", "run"});
        QByteArray said;
        const auto clocks = [&] {
            said += follow->readAllStandardError();
            return ofKind(recordsOf(said.left(said.lastIndexOf('\n') + 1)), "clock");
        };
        // A number of each that is one comes back; a line may come in two pieces.
        follow->write("7\n\n1 of=2\n1234567890123456789\n4");
        QTRY_COMPARE_WITH_TIMEOUT(clocks().size(), 4, kWaitMs);
        follow->write("2\n");
        QTRY_COMPARE_WITH_TIMEOUT(clocks().size(), 5, kWaitMs);
        QStringList numbers;
        for (const AgentRecord& clock : clocks())
            numbers << QString::fromUtf8(clock["of"]);
        QCOMPARE(numbers, (QStringList{"7", "", "", "", "42"}));
        const QByteArray boot = ofKind(box.records("run"), "hello").value(0)["boot_id"];
        QVERIFY(!boot.isEmpty());
        for (const AgentRecord& clock : clocks())
            QCOMPARE(clock["boot_id"], boot);
        for (const AgentRecord& clock : clocks())
            QVERIFY(qAbs(clock["wall_us"].toLongLong() / 1000 - QDateTime::currentMSecsSinceEpoch()) < 60'000);
        QCOMPARE(box.verb({"stop", "run", "--grace", "1"}).exitCode, 0);
        follow->closeWriteChannel();
        QVERIFY(follow->waitForFinished(kWaitMs));
    }

    void aRankMaySayOnlyWhatIsItsOwn()
    {
        AgentBox box;
        TestJob job;
        job.ranks = {shellRank("printf 'phase - 0 phase=ended left=0\\nmetric 7 123 step=1\\nrubbish\\ncustom - 0 "
                               "a=b\\nmetric - 0 x=\\\\s' >&3")};
        QCOMPARE(box.launch(job).exitCode, 0);
        const AgentAnswer followed = box.follow("run");
        QCOMPARE(followed.exitCode, 0);
        QCOMPARE(phases(followed.records, -1, "ended").size(), 1);
        const auto metrics = ofKind(followed.records, "metric");
        QCOMPARE(metrics.size(), 2);
        QCOMPARE(metrics[0].rank, 0);
        QCOMPARE(metrics[0].timeUs, 123);
        QCOMPARE(metrics[1]["x"], QByteArray(" "));
        QCOMPARE(ofKind(followed.records, "custom").value(0)["a"], QByteArray("b"));
        const AgentRecord dropped = ofKind(followed.records, "dropped").value(0);
        QCOMPARE(dropped["what"], QByteArray("metric"));
        QCOMPARE(dropped["unreadable"], QByteArray("2"));
    }

    void aFullDiskStopsNothing()
    {
        AgentBox box;
        TestJob job;
        const QString full = box.path("full"), done = box.path("done");
        job.ranks = {shellRank("echo before; while [ ! -e '" + full.toUtf8() +
                               "' ]; do sleep 0.01; done; i=0; while [ $i -lt 300 ]; do "
                               "echo \"line $i\"; echo \"metric - 0 step=$i\" >&3; i=$((i+1)); done; touch '" +
                               done.toUtf8() + "'")};
        QCOMPARE(box.launch(job).exitCode, 0);
        QTRY_VERIFY_WITH_TIMEOUT(box.spool("run").contains("text=before"), kWaitMs);
        const qint64 supervisor = box.supervisor("run");
        limitFileSize(supervisor, rlim_t(box.spool("run").size() + 20)); // the next record is torn
        QFile file(full);
        QVERIFY(file.open(QIODevice::WriteOnly));
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(done), kWaitMs); // the rank is not held up
        QVERIFY(AgentBox::isRunning(supervisor));
        limitFileSize(supervisor, RLIM_INFINITY);
        const AgentAnswer followed = box.follow("run");
        QVERIFY2(followed.exitCode == 0, followed.err);
        QCOMPARE(followed.out.count('\n'), followed.records.size()); // no torn line
        QCOMPARE(phases(followed.records, 0, "exited").value(0)["code"], QByteArray("0"));
        QCOMPARE(followed.records.last()["phase"], QByteArray("ended"));
        qint64 lost = 0;
        for (const AgentRecord& record : ofKind(followed.records, "dropped"))
            if (record["what"] == "metric" && record["reason"].contains("disk"))
                lost += record["count"].toLongLong();
        QVERIFY(lost > 0);
        QCOMPARE(ofKind(followed.records, "metric").size() + lost, 300);
    }
};

QTEST_GUILESS_MAIN(TestFollow)
#include "tst_agentfollow.moc"
