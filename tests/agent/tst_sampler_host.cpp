// SPDX-License-Identifier: GPL-3.0-or-later
#include "nvml_script.h"
#include "remote/agent/hostsample.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

using namespace lockstep;
using namespace lockstep::test;

namespace {

constexpr std::int64_t kSecondUs = 1'000'000;

// A /proc whose files change while they are open, as the kernel's do.
class Proc {
public:
    Proc() { QDir(m_folder.path()).mkdir(QStringLiteral("net")); }
    void write(const QString& name, const QByteArray& content) const
    {
        QFile file(m_folder.filePath(name));
        QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
        file.write(content);
    }
    void cpu(const QByteArray& ticks) const
    {
        write(QStringLiteral("stat"), "cpu  " + ticks + "\ncpu0 1 2 3 4\nintr 1\n");
    }
    void net(const QByteArray& lines) const
    {
        write(QStringLiteral("net/dev"),
              "Inter-|   Receive                    |  Transmit\n"
              " face |bytes    packets errs drop fifo frame compressed multicast|bytes packets\n" +
                  lines);
    }
    [[nodiscard]] agent::HostSampleOptions options() const { return {m_folder.path().toStdString(), {}}; }

private:
    QTemporaryDir m_folder;
};

QList<Sample> sampled(agent::HostSample& host, std::int64_t nowUs)
{
    std::string out;
    host.append(out, nowUs);
    return samplesIn(QByteArray::fromStdString(out));
}

} // namespace

class TestSamplerHost : public QObject {
    Q_OBJECT

private slots:
    void cpu_data();
    void cpu();
    void memory_data();
    void memory();
    void network();
    void aTickTooSoonHasNoRates();
    void manyInterfacesAreCutToTheBusiest();
    void withoutFilesOnlyWhatIsKnown();
    void thisMachine();
};

void TestSamplerHost::cpu_data()
{
    QTest::addColumn<QByteArray>("before");
    QTest::addColumn<QByteArray>("after");
    QTest::addColumn<double>("util"); // -1: missing
    QTest::newRow("quarter") << QByteArray("100 0 100 800 0 0 0 0 0 0") << QByteArray("125 0 125 950 0 0 0 0 0 0")
                             << 25.0;
    QTest::newRow("all busy") << QByteArray("0 0 0 0 0 0 0 0 0 0") << QByteArray("10 20 30 0 0 20 10 10 0 0") << 100.0;
    QTest::newRow("waiting for a disk is idle")
        << QByteArray("0 0 0 0 0 0 0 0 0 0") << QByteArray("50 0 0 25 25 0 0 0 0 0") << 50.0;
    QTest::newRow("guests are in user already")
        << QByteArray("0 0 0 0 0 0 0 0 0 0") << QByteArray("50 0 0 50 0 0 0 0 50 0") << 50.0;
    QTest::newRow("nothing moved") << QByteArray("1 1 1 1 1 1 1 1 1 1") << QByteArray("1 1 1 1 1 1 1 1 1 1") << -1.0;
    QTest::newRow("iowait went backwards")
        << QByteArray("5 0 0 5 90 0 0 0 0 0") << QByteArray("6 0 0 6 10 0 0 0 0 0") << -1.0;
    QTest::newRow("garbage") << QByteArray("x") << QByteArray("y") << -1.0;
}

void TestSamplerHost::cpu()
{
    QFETCH(QByteArray, before);
    QFETCH(QByteArray, after);
    QFETCH(double, util);
    const Proc proc;
    proc.cpu(before);
    proc.write(QStringLiteral("loadavg"), "3.25 2.00 1.00 2/300 12345\n");
    agent::HostSample host(proc.options());
    const Sample first = samplesOf(sampled(host, kSecondUs), QStringLiteral("cpu")).value(0);
    QVERIFY(!first.has(QStringLiteral("util"))); // nothing to compare with yet: unknown, not zero
    proc.cpu(after);
    const Sample second = samplesOf(sampled(host, 2 * kSecondUs), QStringLiteral("cpu")).value(0);
    QCOMPARE(second.number(QStringLiteral("util")).value_or(-1), util);
    QCOMPARE(second.number(QStringLiteral("load1")), 3.25);
    QVERIFY(second.number(QStringLiteral("cores")) >= 1.0);
    QCOMPARE(second.timeUs, 2 * kSecondUs);
}

void TestSamplerHost::memory_data()
{
    QTest::addColumn<QByteArray>("meminfo");
    QTest::addColumn<double>("used"); // -1: missing
    QTest::newRow("available") << QByteArray(
                                      "MemTotal: 1000 kB\nMemFree: 10 kB\nMemAvailable: 600 kB\nCached: 700 kB\n")
                               << 400.0 * 1024;
    QTest::newRow("old kernel") << QByteArray("MemTotal: 1000 kB\nMemFree: 100 kB\nBuffers: 50 kB\nCached: 250 kB\n")
                                << 600.0 * 1024;
    QTest::newRow("empty") << QByteArray() << -1.0;
    QTest::newRow("more available than there is") << QByteArray("MemTotal: 10 kB\nMemAvailable: 20 kB\n") << 0.0;
}

void TestSamplerHost::memory()
{
    QFETCH(QByteArray, meminfo);
    QFETCH(double, used);
    const Proc proc;
    proc.write(QStringLiteral("meminfo"), meminfo);
    agent::HostSample host(proc.options());
    const Sample sample = samplesOf(sampled(host, kSecondUs), QStringLiteral("cpu")).value(0);
    QCOMPARE(sample.number(QStringLiteral("mem_used")).value_or(-1), used);
    QCOMPARE(sample.has(QStringLiteral("mem_total")), used >= 0);
}

void TestSamplerHost::network()
{
    const Proc proc;
    proc.net("    lo: 500 1 0 0 0 0 0 0 500 1 0 0 0 0 0 0\n  eth0: 1000 1 0 0 0 0 0 0 2000 1 0 0 0 0 0 0\n"
             "ib0:100 1 0 0 0 0 0 0 100 1 0 0 0 0 0 0\nidle0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
    agent::HostSample host(proc.options());
    QVERIFY(samplesOf(sampled(host, kSecondUs), QStringLiteral("net:eth0")).isEmpty());
    proc.net("    lo: 900 1 0 0 0 0 0 0 900 1 0 0 0 0 0 0\n  eth0: 5000 1 0 0 0 0 0 0 2000 1 0 0 0 0 0 0\n"
             "ib0:50 1 0 0 0 0 0 0 50 1 0 0 0 0 0 0\nveth1: 7 0 0 0 0 0 0 0 7 0 0 0 0 0 0 0\n");
    const QList<Sample> samples = sampled(host, 3 * kSecondUs);
    const Sample eth0 = samplesOf(samples, QStringLiteral("net:eth0")).value(0);
    QCOMPARE(eth0.number(QStringLiteral("rx_bytes_per_s")), 2000.0);
    QCOMPARE(eth0.number(QStringLiteral("tx_bytes_per_s")), 0.0);
    QVERIFY(samplesOf(samples, QStringLiteral("net:lo")).isEmpty());
    QVERIFY(samplesOf(samples, QStringLiteral("net:ib0")).isEmpty());   // made anew: its counter fell
    QVERIFY(samplesOf(samples, QStringLiteral("net:veth1")).isEmpty()); // not seen before
    const QList<Sample> later = sampled(host, 4 * kSecondUs);
    QCOMPARE(samplesOf(later, QStringLiteral("net:veth1")).value(0).number(QStringLiteral("rx_bytes_per_s")), 0.0);
}

void TestSamplerHost::aTickTooSoonHasNoRates()
{
    const Proc proc;
    proc.cpu("0 0 0 0 0 0 0 0 0 0");
    agent::HostSample host(proc.options());
    sampled(host, kSecondUs);
    proc.cpu("1 0 0 1 0 0 0 0 0 0");
    QVERIFY(!sampled(host, kSecondUs + 1000).value(0).has(QStringLiteral("util")));
    proc.cpu("20 0 0 80 0 0 0 0 0 0");
    QCOMPARE(sampled(host, 2 * kSecondUs).value(0).number(QStringLiteral("util")),
             20.0); // against the first, not the hasty one
}

void TestSamplerHost::manyInterfacesAreCutToTheBusiest()
{
    QByteArray lines;
    for (int number = 0; number < 500; ++number)
        lines += "veth" + QByteArray::number(number) + ": " + QByteArray::number(1 + number) + " 0 0 0 0 0 0 0 0 0\n";
    const Proc proc;
    proc.net(lines);
    agent::HostSample host(proc.options());
    sampled(host, kSecondUs);
    const QList<Sample> samples = sampled(host, 2 * kSecondUs);
    QCOMPARE(samples.size(), 1 + 32);
    QCOMPARE(samplesOf(samples, QStringLiteral("net:veth499")).size(), 1);
    QVERIFY(samplesOf(samples, QStringLiteral("net:veth0")).isEmpty());
}

void TestSamplerHost::withoutFilesOnlyWhatIsKnown()
{
    agent::HostSample host({"/nonexistent", {"/nonexistent"}});
    sampled(host, kSecondUs);
    const QList<Sample> samples = sampled(host, 2 * kSecondUs);
    QCOMPARE(samples.size(), 1);
    QCOMPARE(samples.first().values.keys().size(), 2); // id, cores
}

void TestSamplerHost::thisMachine()
{
    agent::HostSample host({});
    sampled(host, kSecondUs);
    const Sample disk = samplesOf(sampled(host, 2 * kSecondUs), QStringLiteral("disk:/var/tmp")).value(0);
    QVERIFY(disk.number(QStringLiteral("free")) > 0.0);
    QVERIFY(disk.number(QStringLiteral("total")) >= disk.number(QStringLiteral("free")));
}

QTEST_GUILESS_MAIN(TestSamplerHost)
#include "tst_sampler_host.moc"
