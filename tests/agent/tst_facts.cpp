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
    agent::appendFacts(
        out, {tree.at("proc"), tree.at("sys"), tree.at("etc"), tree.at("run"), tree.at("var"), tree.at("usr")});
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
    agent.closeWriteChannel(); // nobody asks for the clock
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
    void trees_data();
    void trees();
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

void TestFacts::trees_data()
{
    using Files = QList<QPair<QString, QByteArray>>;
    using Values = QMap<QString, QString>;
    QTest::addColumn<Files>("files");
    QTest::addColumn<Values>("values"); // empty: the key is missing
    const QString ib = QStringLiteral("sys/class/infiniband/");
    const auto port = [&ib](const char* device, const char* state, const char* phys, const char* rate,
                            const char* layer) {
        const QString at = ib + QLatin1String(device) + QStringLiteral("/ports/1/");
        return Files{{at + "state", QByteArray(state) + '\n'},
                     {at + "phys_state", QByteArray(phys) + '\n'},
                     {at + "rate", QByteArray(rate) + '\n'},
                     {at + "link_layer", QByteArray(layer) + '\n'}};
    };
    QTest::newRow("InfiniBand, up and polling, in the order of their numbers")
        << port("mlx5_10", "1: DOWN", "2: Polling", "40 Gb/sec (4X QDR)", "Ethernet") +
               port("mlx5_2", "4: ACTIVE", "5: LinkUp", "400 Gb/sec (4X NDR)", "InfiniBand") +
               Files{{ib + "mlx5_2/device/net/ibp12s0/mtu", "2044\n"}, {ib + "mlx5_2/device/numa_node", "1\n"}}
        << Values{{"ib/0/device", "mlx5_2"},
                  {"ib/0/state", "Active"},
                  {"ib/0/phys", "LinkUp"},
                  {"ib/0/rate_gbps", "400"},
                  {"ib/0/layer", "InfiniBand"},
                  {"ib/0/net", "ibp12s0"},
                  {"ib/0/numa", "1"},
                  {"ib/1/device", "mlx5_10"},
                  {"ib/1/state", "Down"},
                  {"ib/1/phys", "Polling"},
                  {"ib/1/net", ""},
                  {"ib/2/device", ""}};
    QTest::newRow("a port without its files")
        << Files{{ib + "hfi1_0/ports/1/x", ""}} << Values{{"ib/0/device", "hfi1_0"}, {"ib/0/rate_gbps", ""}};
    QTest::newRow("no adapter") << Files{} << Values{{"ib/0/device", ""}};
    QTest::newRow("MTU and bond") << Files{{"sys/class/net/lo/mtu", "65536\n"}}
                                  << Values{{"if/0/mtu", "65536"}, {"if/0/master", ""}};
    QTest::newRow("localhost and comments")
        << Files{{"etc/hosts", "# 10.9.9.9 localhost\n127.0.0.1\tLocalHost localhost.localdomain # x localhost\n"
                               "::1 ip6-localhost localhost\n"}}
        << Values{{"localhost/0/addr", "127.0.0.1"}, {"localhost/1/addr", "::1"}, {"localhost/2/addr", ""}};
    QTest::newRow("own name in the hosts file")
        << Files{{"etc/hosts", "127.0.1.1 " + QSysInfo::machineHostName().toUtf8() + ".example " +
                                   QSysInfo::machineHostName().toUtf8() + '\n'}}
        << Values{{"hosts/0/addr", "127.0.1.1"}, {"localhost/0/addr", ""}};
    QTest::newRow("ports") << Files{{"proc/sys/net/ipv4/ip_local_port_range", "1024\t65535\n"},
                                    {"proc/sys/net/ipv4/ip_local_reserved_ports", "8080,9148-9150\n"}}
                           << Values{
                                  {"port_low", "1024"}, {"port_high", "65535"}, {"ports_reserved", "8080,9148-9150"}};
    QTest::newRow("ports that nobody says")
        << Files{{"proc/sys/net/ipv4/ip_local_port_range", "many\n"}}
        << Values{{"port_low", "32768"}, {"port_high", "60999"}, {"ports_reserved", ""}};
    QTest::newRow("no login manager") << Files{{"etc/systemd/logind.conf", "KillUserProcesses=yes\n"}}
                                      << Values{{"logind", ""}, {"kill_user_processes", ""}, {"linger", ""}};
    const Files logind{{"run/systemd/seats/x", ""}};
    const QByteArray user = qgetenv("USER").isEmpty() ? QByteArray("root") : qgetenv("USER");
    const QByteArray nobody = "KillExcludeUsers=\n"; // else root is spared
    QTest::newRow("kills, no linger, in a session")
        << logind + Files{{"etc/systemd/logind.conf", "[Login]\nKillUserProcesses = yes\n" + nobody},
                          {"proc/self/cgroup", "0::/user.slice/user-1000.slice/session-3.scope\n"}}
        << Values{{"logind", "1"}, {"kill_user_processes", "1"}, {"linger", "0"}, {"login_session", "1"}};
    QTest::newRow("a drop-in has the last word")
        << logind + Files{{"etc/systemd/logind.conf", "KillUserProcesses=yes\n" + nobody},
                          {"usr/lib/systemd/logind.conf.d/50-x.conf", "KillUserProcesses=no\n"}}
        << Values{{"kill_user_processes", "0"}, {"login_session", "0"}};
    QTest::newRow("built with yes, said by the packaged comment")
        << logind + Files{{"usr/lib/systemd/logind.conf", "#KillUserProcesses=yes\n" + nobody}}
        << Values{{"kill_user_processes", "1"}};
    QTest::newRow("only others are meant")
        << logind + Files{{"etc/systemd/logind.conf", "KillUserProcesses=yes\nKillOnlyUsers=bob eve\n" + nobody}}
        << Values{{"kill_user_processes", "0"}};
    QTest::newRow("nothing said") << logind << Values{{"logind", "1"}, {"kill_user_processes", ""}};
    QTest::newRow("NUMA nodes that we may use")
        << Files{{"sys/devices/system/node/node0/cpulist", "0-4095\n"}, {"sys/devices/system/node/node1/cpulist", "\n"}}
        << Values{{"numa/0/id", "0"}, {"numa/1/id", ""}};
}

void TestFacts::trees()
{
    using Files = QList<QPair<QString, QByteArray>>;
    using Values = QMap<QString, QString>;
    QFETCH(Files, files);
    QFETCH(Values, values);
    const Tree tree;
    for (const auto& [name, content] : files)
        tree.write(name, content);
    const Sample facts = factsOf(tree);
    for (auto value = values.begin(); value != values.end(); ++value) {
        QVERIFY2(facts.has(value.key()) == !value.value().isEmpty(), qPrintable(value.key()));
        QCOMPARE(facts.values.value(value.key()), value.value());
    }
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

    QVERIFY(facts.has(QStringLiteral("self/0/addr")) || facts.has(QStringLiteral("self_error")));
    QVERIFY(!facts.values.value(QStringLiteral("cpus")).isEmpty());
    QVERIFY(facts.number(QStringLiteral("port_low")) > 0);
    // Whoever asks again, and whatever node shares the folder, reads the same mark.
    const QString home = facts.values.value(QStringLiteral("home_id"));
    QCOMPARE(home.size(), 32);
    QCOMPARE(probe(Driver::None).facts.values.value(QStringLiteral("home_id")), home);
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
    const qint64 sinceMs = qint64(result.facts.number(QStringLiteral("gpu/0/since/0")).value_or(0) / 1000);
    QVERIFY(qAbs(QDateTime::currentMSecsSinceEpoch() - sinceMs) < 120'000);
    QVERIFY(!result.facts.has(QStringLiteral("gpu/0/since/1"))); // a process that cannot be seen
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
