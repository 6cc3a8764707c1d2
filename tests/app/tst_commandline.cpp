// SPDX-License-Identifier: GPL-3.0-or-later
// The program as a user runs it: exit codes, JSON, messages; and a real run of two ranks on this machine.
#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <memory>
#include <vector>

namespace {

constexpr int kRunTimeMs = 120'000;

struct Answer {
    int code = -1;
    QByteArray out, err;

    [[nodiscard]] QJsonObject object() const { return QJsonDocument::fromJson(out).object(); }
    [[nodiscard]] QJsonArray array() const { return QJsonDocument::fromJson(out).array(); }
};

} // namespace

class TestCommandLine : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_home;

    QProcessEnvironment environment() const
    {
        auto own = QProcessEnvironment::systemEnvironment();
        own.insert(QStringLiteral("LOCKSTEP_DATA"), m_home.filePath(QStringLiteral("data")));
        own.insert(QStringLiteral("LOCKSTEP_RUNS_DIR"), m_home.filePath(QStringLiteral("runs")));
        own.insert(QStringLiteral("HOME"), m_home.path());
        // The bundle and its compressed form are shared with other runs of the tests: 0.5 GB that need not be made
        // again.
        own.insert(QStringLiteral("LOCKSTEP_CACHE_DIR"), QStringLiteral(LOCKSTEP_BIN_DIR "/../test-cache"));
        own.remove(QStringLiteral("DISPLAY"));
        own.remove(QStringLiteral("QT_QPA_PLATFORM"));
        return own;
    }

    Answer lockstep(const QStringList& arguments, int timeoutMs = kRunTimeMs) const
    {
        QProcess process;
        process.setProcessEnvironment(environment());
        process.setWorkingDirectory(m_home.path());
        process.start(QStringLiteral(LOCKSTEP_BIN_DIR "/lockstep"), arguments);
        if (!process.waitForFinished(timeoutMs)) {
            process.kill();
            process.waitForFinished();
        }
        return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1, process.readAllStandardOutput(),
                process.readAllStandardError()};
    }

    QString write(const QString& name, const QByteArray& text) const
    {
        QFile file(m_home.filePath(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
            qFatal("cannot write %s", qPrintable(file.fileName()));
        return file.fileName();
    }

private slots:
    void initTestCase() { QVERIFY(m_home.isValid()); }

    void noDisplayNoWindow()
    {
        const Answer answer = lockstep({});
        QCOMPARE(answer.code, 2);
        QVERIFY2(answer.err.contains("no display"), answer.err);
    }

    void inventory()
    {
        const QJsonArray first = lockstep({"nodes", "--json"}).array();
        QCOMPARE(first.size(), 1);
        QCOMPARE(first[0][QStringLiteral("name")].toString(), QStringLiteral("this"));

        QCOMPARE(lockstep({"nodes", "add", "alice@10.0.0.11:2222", "gpu[1-2]"}).code, 0);
        const QJsonArray added = lockstep({"nodes", "list", "--json"}).array();
        QCOMPARE(added.size(), 4);
        const Answer twice = lockstep({"nodes", "add", "gpu1", "--json"});
        QCOMPARE(twice.code, 2);
        QVERIFY2(
            twice.object()[QStringLiteral("error")][QStringLiteral("text")].toString().contains(QLatin1String("gpu1")),
            twice.out);
        QCOMPARE(lockstep({"nodes", "list", "--json"}).array().size(), 4);

        const QString hostfile = write(QStringLiteral("hostfile"), "gpu8 slots=4\ngpu9 lots=8\n");
        const Answer imported = lockstep({"nodes", "import", hostfile});
        QVERIFY2(imported.err.contains(":2:"), imported.err);
        QVERIFY2(imported.out.contains("gpu8"), imported.out);

        write(QStringLiteral("hostfile"), "gpu8 slots=8\ngpu9 slots=8\n"); // it has grown
        QCOMPARE(lockstep({"nodes", "edit", "gpu[1-2]", "tags+=h100", "slots=4"}).code, 0);
        const QJsonObject again = lockstep({"nodes", "import", hostfile, "--json"}).object();
        const QJsonObject file = again[QStringLiteral("files")][0].toObject();
        QCOMPARE(file[QStringLiteral("added")].toArray(), QJsonArray{QStringLiteral("gpu9")});
        QCOMPARE(file[QStringLiteral("updated")][0][QStringLiteral("what")].toString(), QStringLiteral("slots 4 -> 8"));
        const QJsonArray tagged = lockstep({"nodes", "list", "gpu*&@h100", "--json"}).array();
        QCOMPARE(tagged.size(), 2);
        QCOMPARE(tagged[0][QStringLiteral("slots")].toInt(), 4);
        QCOMPARE(lockstep({"nodes", "edit", "@h100", "slot=4"}).code, 2);

        for (const auto& node : lockstep({"nodes", "--json"}).array())
            if (const QString name = node[QStringLiteral("name")].toString(); name != QLatin1String("this"))
                QCOMPARE(lockstep({"nodes", "remove", name}).code, 0);
        QCOMPARE(lockstep({"nodes", "remove", "gpu1"}).code, 2);
    }

    void aNodeThatCannotBeAskedIsInTheList()
    {
        QCOMPARE(lockstep({"nodes", "add", "nobody@127.0.0.1:1"}).code, 0); // no server there
        for (const QStringList& words : {QStringList{"bundles", "list", "127.0.0.1-1", "--json"},
                                         QStringList{"nodes", "runs", "127.0.0.1-1", "--json"}}) {
            const Answer answer = lockstep(words);
            QCOMPARE(answer.code, 1);
            const QJsonObject node = answer.array()[0].toObject();
            QCOMPARE(node[QStringLiteral("node")].toString(), QStringLiteral("127.0.0.1-1"));
            QCOMPARE(node[QStringLiteral("error")][QStringLiteral("code")].toString(), QStringLiteral("unreachable"));
        }
        const Answer accepted = lockstep({"nodes", "accept", "127.0.0.1-1"}); // there is no key to accept
        QCOMPARE(accepted.code, 1);
        QVERIFY2(accepted.err.contains("127.0.0.1-1: "), accepted.err);
        const QJsonArray listed = lockstep({"nodes", "accept", "127.0.0.1-1", "--json"}).array();
        QCOMPARE(listed.size(), 1);
        QCOMPARE(listed[0][QStringLiteral("error")][QStringLiteral("code")].toString(), QStringLiteral("unreachable"));
        QCOMPARE(lockstep({"nodes", "remove", "127.0.0.1-1"}).code, 0);
    }

    void aBundleThatIsNowhereIsNotRemoved()
    {
        const Answer answer = lockstep({"bundles", "remove", "this", "--bundle", "0123nothing"});
        QVERIFY2(answer.code == 2 && answer.err.contains("0123nothing"), answer.err);
        QVERIFY2(answer.out.isEmpty(), answer.out);
    }

    void addsAtOnceLoseNothing()
    {
        std::vector<std::unique_ptr<QProcess>> adds;
        for (int i = 0; i < 6; ++i) {
            adds.push_back(std::make_unique<QProcess>());
            adds.back()->setProcessEnvironment(environment());
            adds.back()->start(QStringLiteral(LOCKSTEP_BIN_DIR "/lockstep"),
                               {QStringLiteral("nodes"), QStringLiteral("add"), QStringLiteral("at-once-%1").arg(i)});
        }
        for (const auto& add : adds) {
            QVERIFY(add->waitForFinished(kRunTimeMs));
            QCOMPARE(add->exitCode(), 0);
        }
        QCOMPARE(lockstep({"nodes", "--json"}).array().size(), 7);
        for (int i = 0; i < 6; ++i)
            QCOMPARE(lockstep({"nodes", "remove", QStringLiteral("at-once-%1").arg(i)}).code, 0);
    }

    void whatCannotBeMeant_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("words");
        QTest::newRow("no spec") << QStringList{"run", "nothing.toml"} << QByteArray("nothing.toml");
        QTest::newRow("no run") << QStringList{"show", "nothing"} << QByteArray("no run yet");
        QTest::newRow("unknown node") << QStringList{"demo", "--terminal", "--nodes", "gpu77"} << QByteArray("gpu77");
        QTest::newRow("unknown key") << QStringList{"demo", "--terminal", "--set", "env_overide.X=1"}
                                     << QByteArray("env_overide");
        QTest::newRow("wrong port") << QStringList{"demo", "--terminal", "--set", "master_port=69420"}
                                    << QByteArray("69420");
    }
    void whatCannotBeMeant()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QByteArray, words);
        const Answer answer = lockstep(arguments);
        QCOMPARE(answer.code, 2);
        QVERIFY2(answer.err.contains(words), answer.err);
        QVERIFY2(answer.out.isEmpty(), answer.out);
    }

    void planStartsNothing()
    {
        const Answer answer = lockstep({"plan", QStringLiteral(LOCKSTEP_SOURCE_DIR "/examples/demo.toml"), "--json"});
        QCOMPARE(answer.code, 0);
        const QJsonObject plan = answer.object();
        QCOMPARE(plan[QStringLiteral("world_size")].toInt(), 2);
        QCOMPARE(plan[QStringLiteral("ranks")].toArray().size(), 2);
        QVERIFY(plan[QStringLiteral("master_port")].toInt() > 1023);
        QVERIFY(lockstep({"runs", "--json"}).array().isEmpty());
    }

    void runsTwoRanksToTheEnd()
    {
        const Answer answer = lockstep({"demo", "--json", "--set", "model=mlp", "--set", "steps=30"});
        QVERIFY2(answer.code == 0, answer.err + answer.out);
        const QJsonObject run = answer.object();
        QCOMPARE(run[QStringLiteral("phase")].toString(), QStringLiteral("finished"));
        QCOMPARE(run[QStringLiteral("proof")].toString(), QStringLiteral("2 of 2 ranks gone, 0 left behind"));
        QCOMPARE(run[QStringLiteral("ranks")].toArray().size(), 2);
        for (const auto& rank : run[QStringLiteral("ranks")].toArray())
            QCOMPARE(rank[QStringLiteral("step")].toInt(), 30);

        const QJsonArray runs = lockstep({"runs", "--json"}).array();
        QCOMPARE(runs.size(), 1);
        QCOMPARE(runs[0][QStringLiteral("id")], run[QStringLiteral("id")]);
        QVERIFY(runs[0][QStringLiteral("last_loss")].toDouble() > 0);
        QCOMPARE(lockstep({"show", "last", "--json"}).object()[QStringLiteral("phase")].toString(),
                 QStringLiteral("finished"));
        QVERIFY(lockstep({"logs", "#1", "--rank", "0"}).out.contains("rank 0"));
        QCOMPARE(lockstep({"logs", "#1", "--rank", "2"}).code, 2);
    }

    void exportsEveryPoint()
    {
        const QString csv = m_home.filePath(QStringLiteral("all.csv"));
        QCOMPARE(lockstep({"export", "last", "--format", "csv", "-o", csv}).code, 0);
        QFile file(csv);
        QVERIFY(file.open(QIODevice::ReadOnly));
        int losses[2] = {};
        for (const auto& line : file.readAll().split('\n'))
            for (int rank : {0, 1})
                losses[rank] += line.startsWith("loss," + QByteArray::number(rank) + ',');
        QVERIFY(losses[0] > 0);
        QCOMPARE(losses[0], losses[1]);

        const QString png = m_home.filePath(QStringLiteral("curves.png"));
        QCOMPARE(lockstep({"export", "last", "--format", "png", "-o", png}).code, 0);
        QVERIFY(QFile(png).size() > 5000);
    }

    void aMistakeOnTheNodeIsTheFirstCause()
    {
        const Answer answer = lockstep({"demo", "--json", "--set", "model=mlp", "--set", "data_path=/no/such/folder"});
        QCOMPARE(answer.code, 4); // the trainer's code for data that cannot be read
        const QJsonObject cause = answer.object()[QStringLiteral("cause")].toObject();
        QVERIFY2(!cause.isEmpty(), answer.out);
        QVERIFY2(answer.out.contains("/no/such/folder"), answer.out);
    }

    void controlCStopsWithProof()
    {
        QProcess process;
        process.setProcessEnvironment(environment());
        process.setWorkingDirectory(m_home.path());
        process.start(QStringLiteral(LOCKSTEP_BIN_DIR "/lockstep"),
                      {"demo", "--terminal", "--set", "model=mlp", "--set", "epochs=1000"});
        QByteArray said;
        QTRY_VERIFY_WITH_TIMEOUT((said += process.readAllStandardError(), said.contains("running")), kRunTimeMs);
        QCOMPARE(::kill(static_cast<pid_t>(process.processId()), SIGINT), 0);
        QVERIFY(process.waitForFinished(kRunTimeMs));
        QVERIFY2(process.readAllStandardOutput().contains("2 of 2 ranks gone, 0 left behind"), said);
        QCOMPARE(lockstep({"show", "last", "--json"}).object()[QStringLiteral("phase")].toString(),
                 QStringLiteral("stopped"));
    }

    void outputThatGoesNowhere_data()
    {
        QTest::addColumn<QString>("redirection");
        QTest::addColumn<int>("code");
        QTest::addColumn<QByteArray>("says");
        QTest::newRow("a full disk") << ">/dev/full" << 1 << QByteArray("could not be written");
        QTest::newRow("stdout is closed") << ">&-" << 0 << QByteArray();
        QTest::newRow("all are closed") << "<&- >&- 2>&-" << 0 << QByteArray();
    }

    void outputThatGoesNowhere()
    {
        QFETCH(QString, redirection);
        QProcess process;
        process.setProcessEnvironment(environment());
        process.start(QStringLiteral("bash"),
                      {"-c", QStringLiteral(LOCKSTEP_BIN_DIR "/lockstep nodes list --json ") + redirection});
        QVERIFY(process.waitForFinished(kRunTimeMs));
        const QByteArray said = process.readAllStandardError();
        QVERIFY2(process.exitStatus() == QProcess::NormalExit, said);
        QTEST(process.exitCode(), "code");
        QFETCH(QByteArray, says);
        QVERIFY2(says.isEmpty() ? said.isEmpty() : said.contains(says), said);
    }

    void wrongUsageIsJsonToo()
    {
        for (const QStringList& words : {QStringList{"bogus", "--json"}, QStringList{"plan", "--json"},
                                         QStringList{"logs", "last", "--rank", "-1", "--json"},
                                         QStringList{"doctor", "this", "--set", "lr=1", "--json"},
                                         QStringList{"deploy", "this", "--nodes", "this", "--json"}}) {
            const Answer answer = lockstep(words);
            QCOMPARE(answer.code, 2);
            QCOMPARE(answer.object()[QStringLiteral("error")].toObject()[QStringLiteral("code")].toString(),
                     QStringLiteral("bad_input"));
        }
    }

    void termLeavesTheRunToItsNodes()
    {
        QProcess process;
        process.setProcessEnvironment(environment());
        process.setWorkingDirectory(m_home.path());
        process.start(QStringLiteral(LOCKSTEP_BIN_DIR "/lockstep"),
                      {"demo", "--terminal", "--set", "model=mlp", "--set", "epochs=1000"});
        QByteArray said;
        QTRY_VERIFY_WITH_TIMEOUT((said += process.readAllStandardError(), said.contains("running")), kRunTimeMs);
        QCOMPARE(::kill(static_cast<pid_t>(process.processId()), SIGTERM), 0);
        QVERIFY(process.waitForFinished(kRunTimeMs));
        QCOMPARE(process.exitCode(), 1);
        const Answer attached = lockstep({"attach", "last", "--detach", "--json"});
        QCOMPARE(attached.object()[QStringLiteral("phase")].toString(), QStringLiteral("running"));
        QCOMPARE(lockstep({"stop", "last", "--grace", "2"}).code, 0);
    }

    void killedWithMinusNineAndAttached()
    {
        QProcess process;
        process.setProcessEnvironment(environment());
        process.setWorkingDirectory(m_home.path());
        process.start(QStringLiteral(LOCKSTEP_BIN_DIR "/lockstep"),
                      {"demo", "--terminal", "--set", "model=mlp", "--set", "epochs=1000"});
        QByteArray said;
        QTRY_VERIFY_WITH_TIMEOUT((said += process.readAllStandardError(), said.contains("running")), kRunTimeMs);
        process.kill();
        QVERIFY(process.waitForFinished());
        const Answer fetched = lockstep({"attach", "last", "--detach", "--json"});
        QCOMPARE(fetched.code, 0);
        QVERIFY2(fetched.object()[QStringLiteral("nodes")][0][QStringLiteral("spool_bytes")].toInt() > 0, fetched.out);
        QProcess viewer; // whose Ctrl-C ends the looking, not the run
        viewer.setProcessEnvironment(environment());
        viewer.start(QStringLiteral(LOCKSTEP_BIN_DIR "/lockstep"), {"attach", "last"});
        said.clear();
        QTRY_VERIFY_WITH_TIMEOUT((said += viewer.readAllStandardError(), said.contains("running")), kRunTimeMs);
        QCOMPARE(::kill(static_cast<pid_t>(viewer.processId()), SIGINT), 0);
        QVERIFY(viewer.waitForFinished(kRunTimeMs));
        QCOMPARE(lockstep({"show", "last", "--json"}).object()[QStringLiteral("phase")].toString(),
                 QStringLiteral("running"));
        const Answer stopped = lockstep({"stop", "last", "--grace", "2", "--json"});
        QVERIFY2(stopped.code == 0, stopped.err + stopped.out);
        QCOMPARE(stopped.object()[QStringLiteral("proof")].toString(),
                 QStringLiteral("2 of 2 ranks gone, 0 left behind"));
    }

    void anEmptyInventory() // is no success of what was asked about its nodes
    {
        QCOMPARE(lockstep({"nodes", "remove", "*"}).code, 0);
        for (const QStringList& arguments : {QStringList{"nodes", "check"},
                                             {"nodes", "runs"},
                                             {"nodes", "clean"},
                                             {"bundles"},
                                             {"deploy"},
                                             {"doctor"}}) {
            const Answer answer = lockstep(arguments);
            QVERIFY2(answer.code == 2, qPrintable(arguments.join(u' ')));
            QVERIFY2(answer.err.contains("The inventory has no node"), answer.err);
        }
    }
};

QTEST_GUILESS_MAIN(TestCommandLine)
#include "tst_commandline.moc"
