// SPDX-License-Identifier: GPL-3.0-or-later
// A deploy over real SSH on a line of 40 Mbit/s, and what can happen in the middle of it: a link that is cut and heals,
// a disk that is full or can't be written. Bytes are those of the protocol.
#include "remote/deployahead.h"
#include "remote/iothread.h"
#include "remote/sshtransport.h"
#include "tests/support/testcluster.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <random>
#include <thread>

using namespace lockstep;
using namespace lockstep::test;
using namespace std::chrono_literals;

namespace {

constexpr qsizetype kBytes = 30'000'000; // 6 s on that line
constexpr qint64 kTwice = 6'000'000;     // in flight at the cut: what lies in the buffers of both ends

void slowLine(const QString& host)
{
    QProcess tc;
    tc.start(QStringLiteral("nsenter"), {"--net=/run/netns/switch", "tc", "qdisc", "replace", "dev", host, "root",
                                         "tbf", "rate", "40mbit", "burst", "256k", "latency", "200ms"});
    if (!tc.waitForFinished() || tc.exitCode() != 0)
        qFatal("tc: %s", tc.readAllStandardError().constData());
}

QByteArray made(qsizetype bytes)
{
    QByteArray noise(bytes, '\0');
    std::minstd_rand random(5);
    for (char& c : noise)
        c = static_cast<char>(random() >> 8);
    return noise;
}

QByteArray sumOn(const QString& host)
{
    return TestCluster::exec(host,
                             "find /home/trainer/.cache/lockstep/bundles -name weights -exec md5sum {} + | cut -c-32")
        .out.trimmed();
}

bool pastTenMegabytes(const QString& words) // "sending 12 of 30 MB, ..."
{
    return words.startsWith(QStringLiteral("sending ")) && words.section(QLatin1Char(' '), 1, 1).toDouble() >= 10;
}

[[nodiscard]] bool clear(const QString& host)
{
    return TestCluster::exec(host, "umount /home/trainer/.cache 2>/dev/null; rm -rf /home/trainer/.cache").exitCode ==
           0;
}

} // namespace

class TestSshDeploy : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void cutAndHealed_data();
    void cutAndHealed();
    void stoppedAndTakenUpAgain();
    void aDiskThatTakesNothing_data();
    void aDiskThatTakesNothing();

private:
    [[nodiscard]] RunParts parts()
    {
        RunParts parts;
        parts.transports = [this](const Node& node) -> std::unique_ptr<Transport> {
            return std::make_unique<SshTransport>(node, m_io, TestCluster::settings());
        };
        parts.agentFile = QStringLiteral(LOCKSTEP_BIN_DIR "/lockstep-agent");
        parts.bundleFolder = m_folder.filePath(QStringLiteral("bundle"));
        parts.cacheFolder = m_folder.filePath(QStringLiteral("cache"));
        return parts;
    }
    [[nodiscard]] Result<std::vector<DeployedNode>>
    deploy(const QStringList& hosts, std::function<void(const QString&)> progressed = {}, std::stop_token stop = {})
    {
        DeployAhead order;
        for (const QString& host : hosts)
            order.nodes.append(TestCluster::node(host));
        order.progressed = [progressed = std::move(progressed)](const QString&, const QString& words) {
            if (progressed)
                progressed(words);
        };
        return deployAhead(parts(), order, std::move(stop));
    }

    QTemporaryDir m_folder;
    QByteArray m_sum;
    IoThread m_io;
};

void TestSshDeploy::initTestCase()
{
    QDir().mkpath(parts().bundleFolder);
    QFile file(parts().bundleFolder + QStringLiteral("/weights"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(file.write(made(kBytes)), kBytes);
    file.close();
    QProcess sum;
    sum.start(QStringLiteral("md5sum"), {file.fileName()});
    QVERIFY(sum.waitForFinished());
    m_sum = sum.readAllStandardOutput().left(32);
    slowLine(QStringLiteral("n1"));
}

void TestSshDeploy::cutAndHealed_data()
{
    QTest::addColumn<int>("seconds");
    QTest::newRow("1 s") << 1;
    QTest::newRow("8 s") << 8;
    QTest::newRow("30 s") << 30;
}

void TestSshDeploy::cutAndHealed()
{
    QFETCH(int, seconds);
    QVERIFY(clear("n1"));
    std::jthread fault;
    const auto cutOnce = [&](const QString& words) {
        if (fault.joinable() || !pastTenMegabytes(words))
            return;
        TestCluster::cut("n1");
        fault = std::jthread([seconds] {
            std::this_thread::sleep_for(std::chrono::seconds(seconds)); // the fault itself, not a wait for something
            TestCluster::heal("n1");
        });
    };
    const auto deployed = deploy({"n1"}, cutOnce);
    QVERIFY(fault.joinable());
    fault.join();
    QVERIFY2(deployed.has_value(), deployed ? "" : qPrintable(deployed.error().text));
    const DeployedNode& node = deployed->front();
    QVERIFY2(node.result.has_value(), node.result ? "" : qPrintable(node.result.error().text));
    qInfo("cut for %d s: %d cuts noticed, %lld bytes sent, %.1f s in all", seconds, node.result->cuts,
          static_cast<long long>(node.result->bytesSent), node.result->seconds);
    QCOMPARE(sumOn("n1"), m_sum);
    QVERIFY(node.result->bytesSent < kBytes + kTwice);
}

void TestSshDeploy::stoppedAndTakenUpAgain()
{
    QVERIFY(clear("n1"));
    std::stop_source stop;
    const auto stopped = deploy(
        {"n1"},
        [&](const QString& words) {
            if (pastTenMegabytes(words))
                stop.request_stop();
        },
        stop.get_token());
    QVERIFY(!stopped.has_value() || !stopped->front().result.has_value());
    const auto again = deploy({"n1"});
    QVERIFY(again.has_value() && again->front().result.has_value());
    QCOMPARE(sumOn("n1"), m_sum);
    QVERIFY(again->front().result->bytesSent < kBytes - 5'000'000);
    const auto third = deploy({"n1"});
    QVERIFY(third.has_value() && third->front().result.has_value());
    QCOMPARE(third->front().result->filesSent, 0);
    QVERIFY(third->front().result->bytesSent < 10'000);
}

void TestSshDeploy::aDiskThatTakesNothing_data()
{
    QTest::addColumn<QByteArray>("options"); // of a tmpfs over ~/.cache
    QTest::addColumn<QString>("words");
    QTest::newRow("full")
        << QByteArray("size=48m") /* the agent fits, with sanitizers too */ << QStringLiteral("MB free and");
    QTest::newRow("no inodes") << QByteArray("size=200m,nr_inodes=20") << QStringLiteral("more files and");
    QTest::newRow("read-only") << QByteArray("ro") << QStringLiteral("Read-only file system");
}

void TestSshDeploy::aDiskThatTakesNothing()
{
    QFETCH(QByteArray, options);
    QFETCH(QString, words);
    QVERIFY(clear("n2"));
    QVERIFY(clear("n3"));
    const Ran mounted =
        TestCluster::exec("n3", "mkdir -p /home/trainer/.cache && mount -t tmpfs -o mode=700,uid=2077," + options +
                                    " none /home/trainer/.cache");
    QVERIFY2(mounted.exitCode == 0, mounted.err);
    const auto deployed = deploy({"n2", "n3"});
    QVERIFY(clear("n3"));
    QVERIFY(deployed.has_value());
    const auto& fine = deployed->at(0).result;
    QVERIFY2(fine.has_value(), fine ? "" : qPrintable(fine.error().text));
    QCOMPARE(sumOn("n2"), m_sum); // one that fails keeps none from being filled
    const auto& failed = deployed->at(1).result;
    QVERIFY(!failed.has_value());
    QVERIFY2(failed.error().text.contains(words), qPrintable(failed.error().text));
    QCOMPARE(failed.error().node, QStringLiteral("n3"));
}

LOCKSTEP_CLUSTER_MAIN(TestSshDeploy, 3)
#include "tst_sshdeploy.moc"
