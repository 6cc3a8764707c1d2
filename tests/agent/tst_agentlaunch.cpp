// SPDX-License-Identifier: GPL-3.0-or-later
// The launch verb on real processes: what a rank gets, what is refused, one start and no more.
#include "tests/agent/agentbox.h"

#include <QDir>
#include <QFile>
#include <QTest>

#include <fcntl.h>
#include <pwd.h>
#include <unistd.h>

namespace {

constexpr int kWaitMs = 60'000;

QList<QByteArray> splitStrings(const QByteArray& bytes)
{
    QList<QByteArray> strings = bytes.split('\0');
    strings.removeLast(); // every one is ended
    return strings;
}

} // namespace

class TestLaunch : public QObject {
    Q_OBJECT

private slots:
    void aRunFromHelloToProof()
    {
        AgentBox box;
        TestJob job;
        job.ranks = {shellRank("echo hello; echo 'metric - 0 step=1 loss=2.3' >&3; echo oh >&2"),
                     shellRank("until grep -q '^proc 1 ' spool.000000; do sleep 0.02; done")};
        const AgentAnswer launched = box.launch(job);
        QCOMPARE(launched.exitCode, 0);
        QCOMPARE(launched.records.size(), 2);
        QCOMPARE(launched.records[0].kind, QByteArray("prepared"));
        QCOMPARE(launched.records[1].kind, QByteArray("launched"));
        const AgentAnswer followed = box.follow("run");
        QCOMPARE(followed.exitCode, 0);
        const auto& records = followed.records;
        QCOMPARE(records.first().kind, QByteArray("hello"));
        QCOMPARE(records.first()["run"], QByteArray("run"));
        QCOMPARE(records.first()["node"], QByteArray("test"));
        QCOMPARE(records.first()["version"], QByteArray("1"));
        for (const char* phase : {"prepared", "starting", "running", "ended"})
            QCOMPARE(phases(records, -1, phase).size(), 1);
        for (const int rank : {0, 1}) {
            const auto exited = phases(records, rank, "exited");
            QCOMPARE(exited.size(), 1);
            QCOMPARE(exited[0]["code"], QByteArray("0"));
        }
        QCOMPARE(ofKind(records, "out").value(0)["text"], QByteArray("hello"));
        QCOMPARE(ofKind(records, "err").value(0)["text"], QByteArray("oh"));
        const AgentRecord metric = ofKind(records, "metric").value(0);
        QCOMPARE(metric.rank, 0);
        QVERIFY(metric.timeUs > records.first().timeUs);
        QCOMPARE(metric["loss"], QByteArray("2.3"));
        QVERIFY(!ofKind(records, "clock").isEmpty());
        QVERIFY(!ofKind(records, "device").isEmpty());
        QVERIFY(!ofKind(records, "proc").isEmpty());
        QCOMPARE(records.last()["phase"], QByteArray("ended"));
        QCOMPARE(records.last()["gone"], QByteArray("2"));
        QCOMPARE(records.last()["left"], QByteArray("0"));
        QCOMPARE(box.listed("run")["phase"], QByteArray("ended"));
        QCOMPARE(AgentBox::contentOf(box.runFolder("run") + "/rank-0.out"), QByteArray("hello\n"));
    }

    void words_data() // cases/remote.md, Arguments
    {
        QTest::addColumn<QByteArray>("word");
        const QList<QByteArray> words{
            "a b",      "$HOME", "`id`",    "$(id)", "\"x\"", "'y'",  "it's", "a&b", "a;b",       "a|b",
            "(1)",      "*",     "~",       "!x",    "\\",    "%d",   "#c",   "",    "--lr=1e-4", "{\"a\": [1, 2]}",
            "     ",    "-",     "--",      "naïve", "学习",  "1\n2", "\tt",  "\r",  "\x1b[31m",  "caf\xe9",
            "\xff\xfe", "a=b",   "\\x41\\s"};
        for (const QByteArray& word : words)
            QTest::newRow(word.isEmpty() ? "empty" : word.toPercentEncoding().constData()) << word;
        QTest::newRow("64 KiB of spaces") << QByteArray(64 << 10, ' ');
        QTest::newRow("the longest, 128 KiB with its NUL") << QByteArray((128 << 10) - 1, '\x01');
    }
    void words()
    {
        QFETCH(QByteArray, word);
        AgentBox box;
        const QByteArray file = box.path("words").toLocal8Bit();
        TestJob job;
        TestRank rank = probeRank({"args", file, word, "end"});
        const QByteArray value = word.left((128 << 10) - 8); // NAME=VALUE has the same limit
        rank.env = {{"X", value}, {"PATH", "/bin"}, {"BASH_FUNC_x%%", "() { id; }"}};
        job.ranks = {rank};
        QCOMPARE(box.launch(job).exitCode, 0);
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(file), kWaitMs);
        QCOMPARE(splitStrings(AgentBox::contentOf(file)), (QList<QByteArray>{word, "end"}));
        QList<QByteArray> env = splitStrings(AgentBox::contentOf(file + ".env"));
        QVERIFY(env.contains("X=" + value));
        QVERIFY(env.contains("PATH=/bin"));
        QVERIFY(env.contains("BASH_FUNC_x%%=() { id; }"));
    }

    void nothingOfTheLoginButItsIdentity()
    {
        qputenv("SLURM_JOB_ID", "77");
        qputenv("MASTER_PORT", "1");
        AgentBox box;
        const QByteArray file = box.path("words").toLocal8Bit();
        TestJob job;
        job.ranks = {probeRank({"args", file})};
        QCOMPARE(box.launch(job).exitCode, 0);
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(file), kWaitMs);
        QStringList names;
        for (const QByteArray& entry : splitStrings(AgentBox::contentOf(file + ".env")))
            names.append(entry.left(entry.indexOf('=')));
        for (const QString& name : std::as_const(names))
            QVERIFY2(QStringList({"LOCKSTEP_RUN_FOLDER", "LOCKSTEP_RUN", "LOCKSTEP_ATTEMPT", "HOME", "USER", "LOGNAME",
                                  "PATH", "LANG"})
                         .contains(name),
                     qPrintable(name));
        QVERIFY(names.contains("HOME") && names.contains("PATH") && names.contains("LOCKSTEP_RUN"));
    }

    void refused_data()
    {
        QTest::addColumn<QByteArray>("job");
        QTest::addColumn<QByteArray>("code");
        QTest::addColumn<QByteArray>("words");
        const QByteArray head = "job - 0 run=run attempt=1 node=n cwd=\nrank 3 0 local=0\n";
        const auto withArgument = [&](const QByteArray& value) {
            return head + "arg 3 0 v=/bin/true\narg 3 0 v=" + value + "\nend - 0\n";
        };
        QTest::newRow("NUL") << withArgument("a\\x00b") << QByteArray("bad_job")
                             << QByteArray("argument 1 of rank 3 contains a NUL");
        TestJob large;
        large.ranks = {{{"/bin/true", "a", QByteArray(128 << 10, 'x')}, {}}};
        QTest::newRow("128 KiB") << large.text() << QByteArray("bad_job")
                                 << QByteArray("argument 2 of rank 0 is longer than 128 KiB");
        large.ranks = {{{"/bin/true"}, {{"BIG", QByteArray(128 << 10, 'x')}}}};
        QTest::newRow("128 KiB variable")
            << large.text() << QByteArray("bad_job") << QByteArray("variable BIG of rank 0 is longer");
        QTest::newRow("NUL in a variable")
            << head + "arg 3 0 v=/bin/true\nenv 3 0 name=A v=\\x00\nend - 0\n"
            << QByteArray("bad_job") << QByteArray("variable A of rank 3 contains a NUL");
        QTest::newRow("name with =") << head + "arg 3 0 v=/bin/true\nenv 3 0 name=A=B v=1\nend - 0\n"
                                     << QByteArray("bad_job") << QByteArray("\"A=B\" can't be the name");
        QTest::newRow("no such program") << head + "arg 3 0 v=/no/such\nend - 0\n"
                                         << QByteArray("bad_job")
                                         << QByteArray("rank 3: the program /no/such can't be started: No such file");
        QTest::newRow("not in PATH") << head + "arg 3 0 v=nosuchprogram\nend - 0\n"
                                     << QByteArray("bad_job") << QByteArray("nosuchprogram is not in PATH");
        QTest::newRow("a folder") << head + "arg 3 0 v=/tmp\nend - 0\n"
                                  << QByteArray("bad_job") << QByteArray("is not a program");
        QTest::newRow("not executable") << head + "arg 3 0 v=/etc/passwd\nend - 0\n"
                                        << QByteArray("bad_job") << QByteArray("Permission denied");
        QTest::newRow("no such folder") << QByteArray(
                                               "job - 0 run=run cwd=/no/such\nrank 0 0\narg 0 0 v=/bin/true\nend - 0\n")
                                        << QByteArray("bad_job") << QByteArray("working directory /no/such");
        QTest::newRow("relative folder") << QByteArray(
                                                "job - 0 run=run cwd=here\nrank 0 0\narg 0 0 v=/bin/true\nend - 0\n")
                                         << QByteArray("bad_job") << QByteArray("not an absolute path");
        QTest::newRow("another run") << QByteArray("job - 0 run=other\nrank 0 0\narg 0 0 v=/bin/true\nend - 0\n")
                                     << QByteArray("bad_job") << QByteArray("of the run other, not of run");
        QTest::newRow("a name that climbs") << QByteArray("job - 0 run=../x\nrank 0 0\narg 0 0 v=/bin/true\nend - 0\n")
                                            << QByteArray("bad_job") << QByteArray("\"../x\" is not one");
        QTest::newRow("no rank") << QByteArray("job - 0 run=run\nend - 0\n") << QByteArray("bad_job")
                                 << QByteArray("no rank");
        QTest::newRow("no program") << head + "end - 0\n"
                                    << QByteArray("bad_job") << QByteArray("no argument, not even a program");
        QTest::newRow("a rank twice") << head + "arg 3 0 v=/bin/true\nrank 3 0\nend - 0\n"
                                      << QByteArray("bad_job") << QByteArray("rank 3 is there twice");
        QTest::newRow("cut") << withArgument("abc cut=5") << QByteArray("bad_job") << QByteArray("came cut");
        QTest::newRow("grace of a year")
            << QByteArray("job - 0 run=run grace=31536000\nrank 0 0\narg 0 0 v=/bin/true\nend - 0\n")
            << QByteArray("bad_job") << QByteArray("the job's grace");
        QTest::newRow("no end") << head << QByteArray("protocol") << QByteArray("came to no end");
        QTest::newRow("no record") << QByteArray("hello world\n") << QByteArray("protocol")
                                   << QByteArray("is no record: hello world");
        QTest::newRow("an endless line") << QByteArray(70'000, 'x') << QByteArray("protocol")
                                         << QByteArray("longer than a record");
    }
    void refused()
    {
        QFETCH(QByteArray, job);
        QFETCH(QByteArray, code);
        QFETCH(QByteArray, words);
        AgentBox box;
        const AgentAnswer answer = box.verb({"launch", "run"}, job + "go - 0\n");
        QCOMPARE(answer.exitCode, 1);
        QCOMPARE(answer.last().kind, QByteArray("error"));
        QCOMPARE(answer.last()["code"], code);
        QVERIFY2(answer.last()["text"].contains(words), answer.last()["text"].constData());
        QVERIFY(!QFile::exists(box.runFolder("run")));
    }

    void withoutGoNothingStays_data()
    {
        QTest::addColumn<QByteArray>("said");
        QTest::addColumn<bool>("endInput");
        QTest::addColumn<QByteArray>("answer");
        QTest::newRow("end of input") << QByteArray() << true << QByteArray("abandoned");
        QTest::newRow("abandon") << QByteArray("abandon - 0\n") << false << QByteArray("abandoned");
        QTest::newRow("nothing said") << QByteArray() << false << QByteArray("error");
    }
    void withoutGoNothingStays()
    {
        QFETCH(QByteArray, said);
        QFETCH(bool, endInput);
        QFETCH(QByteArray, answer);
        AgentBox box;
        TestJob job;
        job.holdS = endInput || !said.isEmpty() ? 60 : 1;
        const QString marker = box.path("started");
        job.ranks = {shellRank("touch '" + marker.toUtf8() + "'")};
        const auto launch = box.start({"launch", "run"});
        launch->write(job.text());
        QTRY_VERIFY_WITH_TIMEOUT(box.listed("run")["phase"] == "running", kWaitMs);
        const qint64 supervisor = box.supervisor("run");
        QVERIFY(AgentBox::isRunning(supervisor));
        launch->write(said);
        if (endInput)
            launch->closeWriteChannel();
        QVERIFY(launch->waitForFinished(kWaitMs));
        const auto records = recordsOf(launch->readAllStandardOutput());
        QCOMPARE(records.value(0).kind, QByteArray("prepared"));
        QCOMPARE(records.value(1).kind, answer);
        QTRY_VERIFY_WITH_TIMEOUT(!AgentBox::isRunning(supervisor), kWaitMs);
        QVERIFY(!QFile::exists(box.runFolder("run")));
        QVERIFY(!QFile::exists(marker));
    }

    void aLaunchThatIsKilledIsForgotten()
    {
        AgentBox box;
        TestJob job;
        job.holdS = 1;
        job.ranks = {shellRank("exit 0")};
        const auto launch = box.start({"launch", "run"});
        launch->write(job.text());
        QTRY_VERIFY_WITH_TIMEOUT(box.listed("run")["phase"] == "running", kWaitMs);
        launch->kill();
        QVERIFY(launch->waitForFinished(kWaitMs));
        QTRY_VERIFY_WITH_TIMEOUT(!QFile::exists(box.runFolder("run")), kWaitMs);
    }

    void theSameJobTwiceIsOneRun()
    {
        AgentBox box;
        const QByteArray file = box.path("starts").toLocal8Bit();
        TestJob job;
        job.ranks = {shellRank("echo started >> '" + file + "'; exec sleep 100")};
        QCOMPARE(box.launch(job).last().kind, QByteArray("launched"));
        QTRY_COMPARE_WITH_TIMEOUT(AgentBox::contentOf(file), QByteArray("started\n"), kWaitMs);
        const qint64 supervisor = box.supervisor("run");
        const AgentAnswer again = box.launch(job);
        QCOMPARE(again.exitCode, 0);
        QCOMPARE(again.records.size(), 1);
        QCOMPARE(again.last().kind, QByteArray("launched"));
        QCOMPARE(again.last()["pid"].toLongLong(), supervisor);
        QCOMPARE(box.verb({"stop", "run", "--grace", "1"}).exitCode, 0);
        QCOMPARE(box.launch(job).last().kind, QByteArray("launched")); // resent late: it has run
        QCOMPARE(AgentBox::contentOf(file), QByteArray("started\n"));
        QCOMPARE(phases(box.records("run"), 0, "starting").size(), 1);
        job.ranks = {shellRank("exit 0")};
        QCOMPARE(box.launch(job).last()["code"], QByteArray("exists"));
    }

    // The link was cut after `prepared`: the desktop comes again, and the launch that is left behind decides nothing
    // any more.
    void aSecondLaunchTakesOver()
    {
        AgentBox box;
        TestJob job;
        job.ranks = {shellRank("exec sleep 100")};
        const auto first = box.start({"launch", "run"});
        first->write(job.text());
        QTRY_VERIFY_WITH_TIMEOUT(box.listed("run")["phase"] == "running", kWaitMs);
        const auto second = box.start({"launch", "run"});
        second->write(job.text());
        QByteArray said;
        QTRY_VERIFY_WITH_TIMEOUT(
            (second->waitForReadyRead(10), said += second->readAllStandardOutput()).contains("prepared"), kWaitMs);
        first->closeWriteChannel();
        QVERIFY(first->waitForFinished(kWaitMs));
        second->write("go - 0\n");
        QVERIFY(second->waitForFinished(kWaitMs));
        QVERIFY(second->readAllStandardOutput().contains("launched"));
        QCOMPARE(phases(box.records("run"), 0, "starting").size(), 1);
    }

    void twoAtTheSameMomentAreOneRun()
    {
        AgentBox box;
        TestJob job;
        job.ranks = {shellRank("exec sleep 100")};
        const auto first = box.start({"launch", "run"});
        const auto second = box.start({"launch", "run"});
        for (const auto& launch : {first.get(), second.get()})
            launch->write(job.text() + "go - 0\n");
        for (const auto& launch : {first.get(), second.get()}) {
            QVERIFY(launch->waitForFinished(kWaitMs));
            QCOMPARE(launch->exitCode(), 0);
            QVERIFY(launch->readAllStandardOutput().contains("launched"));
        }
        QCOMPARE(phases(box.records("run"), 0, "starting").size(), 1);
        QCOMPARE(ofKind(box.records("run"), "hello").size(), 1);
    }

    void theNextAttemptGoesOnInTheSpool()
    {
        AgentBox box;
        TestJob job;
        job.ranks = {shellRank("exit 3")};
        QCOMPARE(box.launch(job).exitCode, 0);
        const QByteArray first = box.follow("run").out;
        job.attempt = 2;
        job.ranks = {shellRank("exit 0")};
        QCOMPARE(box.launch(job).last().kind, QByteArray("launched"));
        const AgentAnswer rest = box.follow("run", first.size());
        QCOMPARE(rest.exitCode, 0);
        QCOMPARE(rest.records.value(0)["attempt"], QByteArray("2"));
        QCOMPARE(first + rest.out, box.spool("run"));
        job.attempt = 1;
        QCOMPARE(box.launch(job).last()["code"], QByteArray("exists"));
    }

    void placedWhereItSurvives_data()
    {
        QTest::addColumn<bool>("lingers");
        QTest::addColumn<QByteArray>("systemdRun"); // what stands in for it; empty: there is none
        QTest::addColumn<QByteArray>("place");
        const QByteArray scope("in a scope of the user's systemd"), session("in a session of its own");
        const QByteArray works("#!/bin/sh\necho \"$*\" >\"${0%/*}/asked\"\n"
                               "while [ \"$1\" != -- ]; do shift; done; shift; exec \"$@\"\n");
        QTest::newRow("lingers") << true << works << scope;
        QTest::newRow("does not linger") << false << works << session;
        QTest::newRow("no systemd-run") << true << QByteArray() << session;
        QTest::newRow("refused") << true << QByteArray("#!/bin/sh\necho Failed to connect to bus >&2\nexit 1\n")
                                 << session;
    }
    void placedWhereItSurvives()
    {
        QFETCH(bool, lingers);
        QFETCH(QByteArray, systemdRun);
        QFETCH(QByteArray, place);
        AgentBox box;
        for (const char* folder : {"bin", "linger", "runtime"})
            QVERIFY(QDir().mkpath(box.path(folder)));
        const auto write = [&box](const QString& name, const QByteArray& text) {
            QFile file(box.path(name));
            QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text) == text.size());
            file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        };
        write("runtime/bus", {});
        if (lingers)
            write(QStringLiteral("linger/") + QString::fromLocal8Bit(::getpwuid(::getuid())->pw_name), {});
        if (!systemdRun.isEmpty())
            write("bin/systemd-run", systemdRun);
        for (const char* tool : {"sh", "sleep"})
            QVERIFY(
                QFile::link(QStringLiteral("/bin/") + QLatin1String(tool), box.path(QStringLiteral("bin/") + tool)));
        const QByteArray path = qgetenv("PATH");
        qputenv("PATH", box.path("bin").toLocal8Bit());
        qputenv("LOCKSTEP_LINGER_DIR", box.path("linger").toLocal8Bit());
        qputenv("XDG_RUNTIME_DIR", box.path("runtime").toLocal8Bit());
        TestJob job;
        job.ranks = {shellRank("exec sleep 100")};
        const AgentAnswer launched = box.launch(job);
        const AgentAnswer again = box.launch(job);
        qputenv("PATH", path);
        qunsetenv("LOCKSTEP_LINGER_DIR");
        qunsetenv("XDG_RUNTIME_DIR");
        QCOMPARE(launched.last().kind, QByteArray("launched"));
        QCOMPARE(again.last().kind, QByteArray("launched"));
        const auto prepared = phases(box.records("run"), -1, "prepared");
        QCOMPARE(prepared.size(), 1);
        QCOMPARE(prepared[0]["reason"], place);
        const QByteArray asked = AgentBox::contentOf(box.path("bin/asked"));
        QCOMPARE(asked.isEmpty(), place.startsWith("in a session"));
        if (!asked.isEmpty())
            QVERIFY2(asked.startsWith("--user --scope --quiet --collect --unit=lockstep-run-1.scope -- "), asked);
        // The rank has nothing of it in its environment, and the supervisor leads a session without a terminal.
        const qint64 supervisor = box.supervisor("run");
        QVERIFY(supervisor > 1);
        QVERIFY(::getsid(static_cast<pid_t>(supervisor)) != ::getsid(0));
        QCOMPARE(box.verb({"stop", "run", "--grace", "0"}).last()["left"], QByteArray("0"));
    }

    void aboutGivesThePapersBack()
    {
        AgentBox box;
        TestJob job;
        job.ranks = {shellRank("exit 0")};
        QByteArray text = job.text();
        text.insert(text.indexOf("end - 0"), "paper - 0 name=spec.toml v=a\\sb\npaper - 0 name=spec.toml more=c\n");
        QCOMPARE(box.verb({"launch", "run"}, text + "go - 0\n").last().kind, QByteArray("launched"));
        const AgentAnswer about = box.verb({"about", "run"});
        QCOMPARE(about.exitCode, 0);
        QCOMPARE(about.records.value(0).kind, QByteArray("job"));
        const auto papers = ofKind(about.records, "paper");
        QCOMPARE(papers.size(), 2);
        QCOMPARE(papers[0]["v"] + papers[1]["more"], QByteArray("a bc"));
        QCOMPARE(about.last().kind, QByteArray("run"));
        QCOMPARE(box.verb({"about", "nothing"}).last()["code"], QByteArray("not_found"));
    }

    void devicesOfALivingRunAreHeld()
    {
        AgentBox box;
        TestJob job;
        job.ranks = {shellRank("exec sleep 100"), shellRank("exec sleep 100")};
        job.ranks[1].env = {{"CUDA_VISIBLE_DEVICES", "GPU-aaa,GPU-bbb"}};
        QCOMPARE(box.launch(job).exitCode, 0);
        TestJob other;
        other.run = "other";
        other.ranks = {shellRank("exit 0")};
        other.ranks[0].env = {{"CUDA_VISIBLE_DEVICES", "GPU-bbb"}};
        const AgentAnswer refused = box.launch(other);
        QCOMPARE(refused.last()["code"], QByteArray("busy"));
        QVERIFY2(refused.last()["text"].contains("device GPU-bbb") &&
                     refused.last()["text"].contains("held by rank 1 of the run run"),
                 refused.last()["text"].constData());
        QVERIFY(!QFile::exists(box.runFolder("other")));
        other.ranks[0].env = {{"CUDA_VISIBLE_DEVICES", "GPU-ccc"}};
        QCOMPARE(box.launch(other).exitCode, 0);
    }

    void aBundleThatIsBeingRemovedIsNotStartedFrom()
    {
        AgentBox box;
        const QByteArray hash(32, 'b');
        const QString bundles = box.path("cache/bundles/"), program = bundles + hash + "/sleep";
        QVERIFY(QDir().mkpath(bundles + hash) && QFile::copy("/bin/sleep", program));
        TestJob job;
        job.ranks = {TestRank{{program.toLocal8Bit(), "100"}, {}}};
        {
            QFile used(bundles + "." + hash + ".used"); // as whoever removes it holds it
            QVERIFY(used.open(QIODevice::ReadWrite));
            struct flock lock {};
            lock.l_type = F_WRLCK;
            QCOMPARE(::fcntl(used.handle(), F_SETLK, &lock), 0);
            const AgentAnswer refused = box.launch(job);
            QCOMPARE(refused.last()["code"], QByteArray("busy"));
            QVERIFY2(refused.last()["text"].contains("is being removed"), refused.last()["text"].constData());
            QVERIFY(!QFile::exists(box.runFolder("run")));
        }
        QCOMPARE(box.launch(job).exitCode, 0);
        const AgentAnswer kept = box.verb({"forget", hash});
        QCOMPARE(ofKind(kept.records, "kept").value(0)["code"], QByteArray("busy"));
        QVERIFY(QFile::exists(program));
        QCOMPARE(box.verb({"stop", "run", "--grace", "0"}).last()["left"], QByteArray("0"));
        const auto isRemoved = [&] { return ofKind(box.verb({"forget", hash}).records, "removed").size() == 1; };
        QVERIFY(QTest::qWaitFor(isRemoved, kWaitMs)); // the supervisor lets go of it with its very end
        QVERIFY(!QFile::exists(program));
        job.run = "next";
        QCOMPARE(box.launch(job).last()["code"], QByteArray("bad_job")); // its program is gone
    }

    void aFolderOfSomebodyElseIsRefused()
    {
        AgentBox box;
        TestJob job;
        job.ranks = {shellRank("exit 0")};
        QVERIFY(QDir().mkpath(box.path("elsewhere")));
        QVERIFY(QFile::link(box.path("elsewhere"), box.path("runs")));
        const AgentAnswer answer = box.launch(job);
        QCOMPARE(answer.last()["code"], QByteArray("io"));
        QVERIFY(answer.last()["text"].contains("not a folder of ours"));
        QVERIFY(QDir(box.path("elsewhere")).isEmpty());
    }

    void filesAreClosedToOthers()
    {
        AgentBox box;
        TestJob job;
        job.ranks = {shellRank("exit 0")};
        QCOMPARE(box.launch(job).exitCode, 0);
        QCOMPARE(box.follow("run").exitCode, 0);
        const auto others = QFile::ReadGroup | QFile::WriteGroup | QFile::ReadOther | QFile::WriteOther;
        QVERIFY(!(QFile::permissions(box.path("runs")) & others));
        const auto files =
            QDir(box.runFolder("run")).entryInfoList(QDir::AllEntries | QDir::NoDotAndDotDot | QDir::System);
        QVERIFY(files.size() > 4);
        for (const QFileInfo& file : files)
            QVERIFY2(!(file.permissions() & others), qPrintable(file.fileName()));
    }
};

QTEST_GUILESS_MAIN(TestLaunch)
#include "tst_agentlaunch.moc"
