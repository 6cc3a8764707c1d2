// SPDX-License-Identifier: GPL-3.0-or-later
// What a node says of itself: from made trees, and by the program itself on this machine.
#include "nvml_script.h"
#include "remote/agent/facts.h"
#include "remote/agent/factscores.h"

#include <QDir>
#include <QElapsedTimer>
#include <QHostInfo>
#include <QNetworkInterface>
#include <QProcess>
#include <QStorageInfo>
#include <QTemporaryDir>
#include <QTest>
#include <QThread>

using namespace lockstep;
using namespace lockstep::test;

namespace {

class Tree {
public:
    void write(const QString& path, const QByteArray& content) const
    {
        const QString full = m_folder.filePath(path);
        QDir().mkpath(QFileInfo(full).path());
        QFile file(full);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(content);
    }
    [[nodiscard]] std::string at(const char* name) const
    {
        return m_folder.filePath(QString::fromLatin1(name)).toStdString();
    }
    [[nodiscard]] QString path(const QString& name) const { return m_folder.filePath(name); }

private:
    QTemporaryDir m_folder;
};

Sample factsOf(const Tree& tree)
{
    std::string out;
    agent::appendFacts(out, {tree.at("proc"), tree.at("sys"), tree.at("etc")});
    return samplesIn(QByteArray::fromStdString(out)).value(0);
}

struct Probe {
    Sample facts;
    int exitCode = -1;
    qint64 elapsedMs = 0;
};

Probe probe(Driver driver, const QByteArray& script = {})
{
    const Tree tree;
    tree.write(QStringLiteral("script"), script);
    QProcess agent;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("LD_LIBRARY_PATH"), driverFolder(driver));
    environment.insert(QStringLiteral("FAKE_NVML_SCRIPT"), tree.path(QStringLiteral("script")));
    environment.insert(QStringLiteral("PATH"), QStringLiteral("/nonexistent"));
    agent.setProcessEnvironment(environment);
    QElapsedTimer time;
    time.start();
    agent.start(QStringLiteral(LOCKSTEP_BIN_DIR "/lockstep-agent"), {QStringLiteral("probe")});
    Probe result;
    if (!agent.waitForFinished(60'000))
        return result;
    result.elapsedMs = time.elapsed();
    result.exitCode = agent.exitCode();
    const QList<Sample> records = samplesIn(agent.readAllStandardOutput());
    if (records.size() == 1)
        result.facts = records.first();
    return result;
}

} // namespace

class TestFacts : public QObject {
    Q_OBJECT

private slots:
    void systemTexts_data();
    void systemTexts();
    void limitsOfControlGroups_data();
    void limitsOfControlGroups();
    void thisMachine();
    void gpus();
    void gpuFailures_data();
    void gpuFailures();
};

void TestFacts::systemTexts_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QString>("key");
    QTest::addColumn<QString>("value");
    const QString os = QStringLiteral("etc/os-release");
    const QString cpu = QStringLiteral("proc/cpuinfo");
    QTest::newRow("os quoted") << os << QByteArray("NAME=x\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n")
                               << QStringLiteral("os") << QStringLiteral("Debian GNU/Linux 12 (bookworm)");
    QTest::newRow("os plain") << os << QByteArray("PRETTY_NAME=Void\n") << QStringLiteral("os")
                              << QStringLiteral("Void");
    QTest::newRow("os single quotes") << os << QByteArray("PRETTY_NAME='Rocky Linux 9'\n") << QStringLiteral("os")
                                      << QStringLiteral("Rocky Linux 9");
    QTest::newRow("os unsaid") << os << QByteArray("ID=x\nPRETTY_NAME_X=y\n") << QStringLiteral("os") << QString();
    QTest::newRow("cpu") << cpu << QByteArray("processor\t: 0\nmodel name\t: AMD EPYC 9654\nflags: a\n")
                         << QStringLiteral("cpu") << QStringLiteral("AMD EPYC 9654");
    QTest::newRow("cpu of Arm boards") << QStringLiteral("proc/device-tree/model")
                                       << QByteArray("NVIDIA Jetson Orin\0", 19) << QStringLiteral("cpu")
                                       << QStringLiteral("NVIDIA Jetson Orin");
    QTest::newRow("boot id") << QStringLiteral("proc/sys/kernel/random/boot_id") << QByteArray("b55a677d-97a2\n")
                             << QStringLiteral("boot_id") << QStringLiteral("b55a677d-97a2");
    QTest::newRow("memory") << QStringLiteral("proc/meminfo") << QByteArray("MemTotal: 1000 kB\nMemAvailable: 250 kB\n")
                            << QStringLiteral("mem_available") << QStringLiteral("256000");
    QTest::newRow("speed of loopback") << QStringLiteral("sys/class/net/lo/speed") << QByteArray("10000\n")
                                       << QStringLiteral("if/0/speed_mbps") << QStringLiteral("10000");
    QTest::newRow("speed that nobody knows") << QStringLiteral("sys/class/net/lo/speed") << QByteArray("-1\n")
                                             << QStringLiteral("if/0/speed_mbps") << QString();
}

void TestFacts::systemTexts()
{
    QFETCH(QString, file);
    QFETCH(QByteArray, content);
    QFETCH(QString, key);
    QFETCH(QString, value);
    const Tree tree;
    tree.write(file, content);
    const Sample facts = factsOf(tree);
    QCOMPARE(facts.has(key), !value.isEmpty());
    QCOMPARE(facts.values.value(key), value);
}

void TestFacts::limitsOfControlGroups_data()
{
    using Files = QList<QPair<QString, QByteArray>>;
    const QString base = QStringLiteral("sys/fs/cgroup");
    const QString groups = QStringLiteral("proc/self/cgroup");
    QTest::addColumn<Files>("files");
    QTest::addColumn<double>("cores");  // -1: no limit
    QTest::addColumn<double>("memory"); // -1: no limit
    QTest::newRow("none") << Files{} << -1.0 << -1.0;
    QTest::newRow("cgroup 2") << Files{{groups, "0::/job\n"},
                                       {base + QStringLiteral("/job/cpu.max"), "150000 100000\n"},
                                       {base + QStringLiteral("/job/memory.max"), "8589934592\n"}}
                              << 1.5 << 8589934592.0;
    QTest::newRow("cgroup 2 without limits") << Files{{groups, "0::/job\n"},
                                                      {base + QStringLiteral("/job/cpu.max"), "max 100000\n"},
                                                      {base + QStringLiteral("/job/memory.max"), "max\n"}}
                                             << -1.0 << -1.0;
    QTest::newRow("the tightest of the groups above")
        << Files{{groups, "0::/slurm/job/step\n"},
                 {base + QStringLiteral("/slurm/cpu.max"), "800000 100000\n"},
                 {base + QStringLiteral("/slurm/job/cpu.max"), "200000 100000\n"},
                 {base + QStringLiteral("/slurm/job/step/cpu.max"), "max 100000\n"},
                 {base + QStringLiteral("/memory.max"), "100\n"}}
        << 2.0 << 100.0;
    QTest::newRow("a container's own root")
        << Files{{groups, "0::/\n"}, {base + QStringLiteral("/cpu.max"), "50000 100000\n"}} << 0.5 << -1.0;
    QTest::newRow("cgroup 1") << Files{{groups, "5:memory:/docker/x\n4:cpu,cpuacct:/docker/x\n0::/\n"},
                                       {base + QStringLiteral("/cpu/docker/x/cpu.cfs_quota_us"), "400000\n"},
                                       {base + QStringLiteral("/cpu/docker/x/cpu.cfs_period_us"), "100000\n"},
                                       {base + QStringLiteral("/memory/docker/x/memory.limit_in_bytes"), "1000\n"}}
                              << 4.0 << 1000.0;
    QTest::newRow("cgroup 1 without a quota") << Files{{groups, "4:cpu,cpuacct:/x\n"},
                                                       {base + QStringLiteral("/cpu/x/cpu.cfs_quota_us"), "-1\n"},
                                                       {base + QStringLiteral("/cpu/x/cpu.cfs_period_us"), "100000\n"}}
                                              << -1.0 << -1.0;
    QTest::newRow("garbage") << Files{{groups, "nonsense\n::\n0:\n"}, {base + QStringLiteral("/cpu.max"), "a b\n"}}
                             << -1.0 << -1.0;
}

void TestFacts::limitsOfControlGroups()
{
    using Files = QList<QPair<QString, QByteArray>>;
    QFETCH(Files, files);
    QFETCH(double, cores);
    QFETCH(double, memory);
    const Tree tree;
    for (const auto& [name, content] : files)
        tree.write(name, content);
    const agent::CgroupLimits limits = agent::cgroupLimits(tree.at("proc"), tree.at("sys"));
    QCOMPARE(limits.cores.value_or(-1), cores);
    QCOMPARE(limits.memory.value_or(-1), memory);
}

void TestFacts::thisMachine()
{
    const Probe result = probe(Driver::None);
    QCOMPARE(result.exitCode, 0);
    const Sample& facts = result.facts;
    QVERIFY(facts.timeUs > 0);
    QCOMPARE(facts.values.value(QStringLiteral("host")), QSysInfo::machineHostName());
    QCOMPARE(facts.values.value(QStringLiteral("kernel")), QSysInfo::kernelVersion());
    QCOMPARE(facts.values.value(QStringLiteral("arch")), QSysInfo::currentCpuArchitecture());
    QCOMPARE(facts.number(QStringLiteral("cores")), double(QThread::idealThreadCount()));
    QCOMPARE(facts.values.value(QStringLiteral("boot_id")), QString::fromLatin1(QSysInfo::bootUniqueId()));
    QCOMPARE(facts.values.value(QStringLiteral("gpu_note")),
             QStringLiteral("none found: libnvidia-ml.so.1 is not installed"));
    const double wallS = facts.number(QStringLiteral("wall_us")).value_or(0) / 1e6;
    QVERIFY(std::abs(wallS - double(QDateTime::currentSecsSinceEpoch())) < 60);
    const double free = facts.number(QStringLiteral("runs_free")).value_or(-1);
    const double total = double(QStorageInfo(QStringLiteral("/var/tmp")).bytesTotal());
    QVERIFY(free > 0 && free <= total);

    QStringList told;
    QStringList expected;
    for (int number = 0; facts.has(QStringLiteral("if/%1/name").arg(number)); ++number) {
        for (int at = 0; facts.has(QStringLiteral("if/%1/addr/%2").arg(number).arg(at)); ++at)
            told.append(facts.values.value(QStringLiteral("if/%1/name").arg(number)) + u' ' +
                        facts.values.value(QStringLiteral("if/%1/addr/%2").arg(number).arg(at)));
    }
    for (const QNetworkInterface& interface : QNetworkInterface::allInterfaces()) {
        for (const QNetworkAddressEntry& entry : interface.addressEntries()) {
            QHostAddress address = entry.ip();
            address.setScopeId({});
            expected.append(interface.name() + u' ' + address.toString() + u'/' +
                            QString::number(entry.prefixLength()));
        }
    }
    told.sort();
    expected.sort();
    QVERIFY(!told.isEmpty());
    QCOMPARE(told, expected);
}

void TestFacts::gpus()
{
    const Probe result = probe(
        Driver::New, "driver 570.86.15\ncuda 13020\ngpus 2\ngpu 0 name NVIDIA H200\ngpu 0 uuid GPU-aaaa\n"
                     "gpu 0 mem_total 150000000000\ngpu 0 mem_used 1\n"
                     "gpu 0 process " +
                         QByteArray::number(qint64(QCoreApplication::applicationPid())) +
                         " 1048576\n"
                         "gpu 0 process 4194000 -1\ngpu 1 name NVIDIA H200\ngpu 1 uuid GPU-bbbb\ngpu 1 lost 15\n");
    QCOMPARE(result.exitCode, 0);
    const auto value = [&result](const char* key) { return result.facts.values.value(QString::fromLatin1(key)); };
    QCOMPARE(value("driver"), QStringLiteral("570.86.15"));
    QCOMPARE(value("cuda"), QStringLiteral("13.2"));
    QCOMPARE(value("gpu/0/uuid"), QStringLiteral("GPU-aaaa"));
    QCOMPARE(value("gpu/0/name"), QStringLiteral("NVIDIA H200"));
    QCOMPARE(value("gpu/0/mem_total"), QStringLiteral("150000000000"));
    const QStringList process = value("gpu/0/process/0").split(u':');
    QCOMPARE(process.size(), 4);
    QCOMPARE(process.at(0).toLongLong(), QCoreApplication::applicationPid());
    QCOMPARE(process.at(1), QStringLiteral("1048576"));
    QCOMPARE(process.at(2), value("user"));
    QCOMPARE(process.at(3), QStringLiteral("tst_facts"));
    QCOMPARE(value("gpu/0/process/1"), QStringLiteral("4194000:-1::"));
    QCOMPARE(value("gpu/1/index"), QStringLiteral("1"));
    QVERIFY2(value("gpu/1/error").contains(QStringLiteral("GPU is lost")), qPrintable(value("gpu/1/error")));
    QVERIFY(!result.facts.has(QStringLiteral("gpu_note")));
}

void TestFacts::gpuFailures_data()
{
    QTest::addColumn<QByteArray>("script");
    QTest::addColumn<QString>("words");
    QTest::newRow("driver not loaded") << QByteArray("init 9\n") << QStringLiteral("Driver Not Loaded");
    QTest::newRow("versions differ") << QByteArray("init 18\n") << QStringLiteral("Driver/library version mismatch");
    QTest::newRow("no device") << QByteArray("gpus 0\n") << QStringLiteral("shows no GPU");
    QTest::newRow("a call that never returns")
        << QByteArray("stall 600\n") << QStringLiteral("has not answered for 6 s");
}

void TestFacts::gpuFailures()
{
    QFETCH(QByteArray, script);
    QFETCH(QString, words);
    const Probe result = probe(Driver::New, script);
    QCOMPARE(result.exitCode, 0);
    QVERIFY(result.elapsedMs < 30'000);
    const QString note = result.facts.values.value(QStringLiteral("gpu_note"));
    QVERIFY2(note.contains(words), qPrintable(note));
    QVERIFY(!result.facts.has(QStringLiteral("gpu/0/index")));
    QCOMPARE(result.facts.values.value(QStringLiteral("host")), QSysInfo::machineHostName());
}

QTEST_GUILESS_MAIN(TestFacts)
#include "tst_facts.moc"
