// SPDX-License-Identifier: GPL-3.0-or-later
// What a plan is measured with: listen, reach and clock; and what of it a rank is started with: its CPUs, a device that
// another run holds.
#include "agentbox.h"

#include <QDateTime>
#include <QTcpServer>
#include <QTcpSocket>
#include <QTest>

namespace {

constexpr int kAnswerMs = 20'000;

// The first line that a verb which is held open says.
AgentRecord firstLine(QProcess& process)
{
    while (!process.canReadLine())
        if (!process.waitForReadyRead(kAnswerMs))
            return {};
    return recordsOf(process.readLine()).value(0);
}

} // namespace

class TestAgentReach : public QObject {
    Q_OBJECT

private slots:
    void holdsOnePortOnEveryAddress();
    void reaches_data();
    void reaches();
    void takenPort();
    void refused_data();
    void refused();
    void tellsTheTime();
    void keepsToItsCpus();
    void badCpus();
    void sharesADevice();
};

void TestAgentReach::holdsOnePortOnEveryAddress()
{
    const AgentBox box;
    const auto listener = box.start({"listen", "127.0.0.2,127.0.0.3", "0"});
    const AgentRecord said = firstLine(*listener);
    QCOMPARE(said.kind, "port");
    const QString port = QString::fromLatin1(said["port"]);
    QFile range(QStringLiteral("/proc/sys/net/ipv4/ip_local_port_range"));
    QVERIFY(range.open(QIODevice::ReadOnly));
    const QList<QByteArray> ends = range.readAll().simplified().split(' ');
    QVERIFY2(port.toInt() < ends.value(0).toInt() || port.toInt() > ends.value(1).toInt(), qPrintable(port));

    const AgentAnswer answer = box.verb({"reach", "127.0.0.2,127.0.0.3,127.0.0.4", port});
    QCOMPARE(answer.exitCode, 0);
    QCOMPARE(answer.records.size(), 3);
    for (int i = 0; i < 2; ++i) {
        const AgentRecord& way = answer.records[i];
        QCOMPARE(way.kind, "reached");
        QCOMPARE(way["addr"], "127.0.0." + QByteArray::number(i + 2));
        QVERIFY(way["rtt_us"].toInt() > 0 && way["rtt_us"].toInt() < 5'000'000);
        QVERIFY(way["from"].startsWith("127."));
        QCOMPARE(way["if"], way["from"] == "127.0.0.1" ? "lo" : "");
    }
    QCOMPARE(answer.records[2].kind, "unreached");
    QCOMPARE(answer.records[2]["text"], "Connection refused");

    listener->write("\n"); // the tries are over: nothing listens, nobody else gets the port
    QCOMPARE(firstLine(*listener).kind, "held");
    QCOMPARE(box.verb({"reach", "127.0.0.2", port}).records[0]["text"], "Connection refused");
    QTcpServer server;
    QVERIFY(!server.listen(QHostAddress("127.0.0.2"), static_cast<quint16>(port.toInt())));

    listener->closeWriteChannel(); // let go: at once anybody's
    QVERIFY(listener->waitForFinished(kAnswerMs));
    QVERIFY(server.listen(QHostAddress("127.0.0.2"), static_cast<quint16>(port.toInt())));
}

void TestAgentReach::reaches_data()
{
    QTest::addColumn<QString>("address");
    QTest::newRow("IPv4") << "127.0.0.1";
    QTest::newRow("IPv6") << "::1";
}

void TestAgentReach::reaches()
{
    QFETCH(QString, address);
    const AgentBox box;
    const auto listener = box.start({"listen", address, "0"});
    const AgentRecord said = firstLine(*listener);
    QCOMPARE(said.kind, "port");
    const AgentAnswer answer = box.verb({"reach", address, QString::fromLatin1(said["port"])});
    QCOMPARE(answer.last().kind, "reached");
    QCOMPARE(answer.last()["from"], address.toLatin1());
    QCOMPARE(answer.last()["if"], "lo");
    listener->closeWriteChannel();
    QVERIFY(listener->waitForFinished(kAnswerMs));
}

void TestAgentReach::takenPort()
{
    QTcpServer server;
    QVERIFY(server.listen(QHostAddress("127.0.0.3")));
    const AgentBox box;
    const AgentAnswer answer = box.verb({"listen", "127.0.0.2,127.0.0.3", QString::number(server.serverPort())});
    QCOMPARE(answer.exitCode, 1);
    QCOMPARE(answer.last()["code"], "busy");
    QVERIFY2(answer.last()["text"].contains("of 127.0.0.3 is taken"), answer.last()["text"]);
}

void TestAgentReach::refused_data()
{
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QByteArray>("code");
    QTest::newRow("a name") << QStringList{"listen", "localhost", "0"} << QByteArray("usage");
    QTest::newRow("no address") << QStringList{"reach", "", "80"} << QByteArray("usage");
    QTest::newRow("an empty one among others")
        << QStringList{"reach", "127.0.0.1,,127.0.0.2", "80"} << QByteArray("usage");
    QTest::newRow("port 70000") << QStringList{"reach", "127.0.0.1", "70000"} << QByteArray("usage");
    QTest::newRow("somebody else's address") << QStringList{"listen", "192.0.2.1", "0"} << QByteArray("io");
}

void TestAgentReach::refused()
{
    QFETCH(QStringList, words);
    const AgentAnswer answer = AgentBox().verb(words);
    QCOMPARE(answer.exitCode, 1);
    QTEST(answer.last()["code"], "code");
}

void TestAgentReach::tellsTheTime()
{
    const AgentBox box;
    const AgentAnswer probe = box.verb({"probe"}, "\n\n"); // facts and clock in one exchange
    QCOMPARE(probe.exitCode, 0);
    QCOMPARE(probe.records.size(), 3);
    QCOMPARE(probe.records.first().kind, "facts");
    for (const AgentRecord& record : ofKind(probe.records, "clock"))
        QVERIFY(qAbs(record["wall_us"].toLongLong() / 1000 - QDateTime::currentMSecsSinceEpoch()) < 60'000);
    QCOMPARE(ofKind(probe.records, "clock").size(), 2);
}

void TestAgentReach::keepsToItsCpus()
{
    const AgentBox box;
    TestJob job;
    job.ranks = {shellRank("grep Cpus_allowed_list /proc/self/status"),
                 shellRank("grep Cpus_allowed_list /proc/self/status"),
                 shellRank("grep Cpus_allowed_list /proc/self/status")};
    job.ranks[0].cpus = "0";
    job.ranks[1].cpus = "4000-4001"; // not to be had: it runs on all, which is slower, not broken
    QCOMPARE(box.launch(job).exitCode, 0);
    const QList<AgentRecord> records = box.follow(job.run).records;
    QMap<int, QByteArray> lists;
    for (const AgentRecord& line : ofKind(records, "out"))
        lists[line.rank] = line["text"].simplified().split(' ').value(1);
    QCOMPARE(lists.size(), 3);
    QCOMPARE(lists[0], "0");
    QCOMPARE(lists[1], lists[2]);
}

void TestAgentReach::badCpus()
{
    const AgentBox box;
    TestJob job;
    job.ranks = {shellRank("exit 0")};
    job.ranks[0].cpus = "all";
    const AgentAnswer answer = box.launch(job);
    QCOMPARE(answer.last()["code"], "bad_job");
    QVERIFY2(answer.last()["text"].contains("they are written 0-3,8-11"), answer.last()["text"]);
}

void TestAgentReach::sharesADevice()
{
    const AgentBox box;
    TestJob first, second;
    first.run = "first";
    second.run = "second";
    first.ranks = second.ranks = {shellRank("sleep 60")};
    first.ranks[0].env = second.ranks[0].env = {{"CUDA_VISIBLE_DEVICES", "GPU-a"}};
    QCOMPARE(box.launch(first).exitCode, 0);
    const AgentAnswer refusal = box.launch(second);
    QCOMPARE(refusal.last()["code"], "busy");
    const QByteArray today = QDate::currentDate().toString(Qt::ISODate).toLatin1();
    QVERIFY2(refusal.last()["text"].contains("is held by rank 0 of the run first since " + today),
             refusal.last()["text"]);
    // Until the first run is over, the probe tells of it.
    const AgentRecord facts = ofKind(box.verb({"probe"}).records, "facts").value(0);
    QCOMPARE(facts["run/0/name"], "first");
    QCOMPARE(facts["run/0/ranks"], "1");
    QCOMPARE(facts["run/0/devices"], "GPU-a");
    second.shareDevices = true;
    QCOMPARE(box.launch(second).exitCode, 0);
}

QTEST_GUILESS_MAIN(TestAgentReach)
#include "tst_agentreach.moc"
