// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nodefacts.h"
#include "core/wire/decoder.h"

#include <QTest>

using namespace lockstep;

namespace {

Result<NodeFacts> factsFrom(const QByteArray& line)
{
    wire::RecordView record;
    std::vector<wire::Field> fields;
    if (!wire::decodeLine({line.constData(), static_cast<std::size_t>(line.size())}, record, fields))
        return failure(ErrorCode::BadInput, QStringLiteral("the test's own line is no record"));
    return NodeFacts::fromRecord(record);
}

} // namespace

class TestNodeFacts : public QObject {
    Q_OBJECT

private slots:
    void everyKey();
    void processes_data();
    void processes();
    void whatIsMissingIsUnknown();
    void oddInput_data();
    void oddInput();
    void usableCores();
    void refused_data();
    void refused();
};

void TestNodeFacts::everyKey()
{
    const auto facts = factsFrom(
        "facts - 1642625360 wall_us=1795969625319480 host=gpu1 os=Debian\\sGNU/Linux\\s12 kernel=6.1.0 arch=x86_64 "
        "glibc=2.36 "
        "user=alice home=/home/alice shell=/bin/bash agent=0.1.0 cores=64 cpu_quota=1.5 cpu=AMD\\sEPYC mem_total=1000 "
        "mem_available=900 mem_limit=800 cache_free=700 runs_free=600 runs_folder=/var/tmp/lockstep-1000/gpu1 "
        "limit_nofile=1024 "
        "limit_memlock=-1 uptime_s=77 boot_id=b55a677d fashion_mnist=/usr/share/datasets/fashion-mnist "
        "driver=570.86.15 cuda=13.0 "
        "gpu_note=note if/0/name=lo if/0/addr/0=127.0.0.1/8 if/0/addr/1=::1/128 if/0/up=1 if/0/loopback=1 "
        "if/1/name=eth0 "
        "if/1/addr/0=10.0.0.1/24 if/1/speed_mbps=25000 if/1/up=0 gpu/0/index=0 gpu/0/uuid=GPU-aaaa "
        "gpu/0/name=NVIDIA\\sH200 "
        "gpu/0/mem_total=150000000000 gpu/0/process/0=42:1048576:bob:python3 gpu/1/index=1 gpu/1/unified=1 "
        "gpu/1/error=lost gpu/0/since/0=1795969000000000 gpu/0/run/0=20261129-160401-x gpu/0/since/7=1 gpu/0/mig=1 "
        "gpu/0/numa=1 "
        "if/1/mtu=9000 if/1/master=bond0 if/1/numa=0 ib/0/device=mlx5_0 ib/0/port=1 ib/0/state=Active ib/0/phys=LinkUp "
        "ib/0/rate_gbps=400 ib/0/layer=InfiniBand ib/0/net=ib0 ib/0/numa=1 cpus=0-63 numa/0/id=0 numa/0/cpus=0-31 "
        "cache_folder=/home/alice/.cache/lockstep home_id=abcd home_fs=nfs port_low=32768 port_high=60999 "
        "ports_reserved=8080 nccl=2.27.7 nccl_path=/usr/lib64/libnccl.so.2 self/0/addr=127.0.1.1 "
        "hosts/0/addr=127.0.1.1 "
        "localhost/0/addr=127.0.0.1 logind=1 kill_user_processes=1 linger=0 login_session=1 run/0/name=r run/0/ranks=4 "
        "run/0/since_us=5 run/0/devices=GPU-a,GPU-b");
    QVERIFY2(facts, facts ? "" : qPrintable(facts.error().text));
    NodeFacts expected;
    expected.host = QStringLiteral("gpu1");
    expected.os = QStringLiteral("Debian GNU/Linux 12");
    expected.kernel = QStringLiteral("6.1.0");
    expected.arch = QStringLiteral("x86_64");
    expected.glibc = QStringLiteral("2.36");
    expected.user = QStringLiteral("alice");
    expected.home = QStringLiteral("/home/alice");
    expected.shell = QStringLiteral("/bin/bash");
    expected.agentVersion = QStringLiteral("0.1.0");
    expected.cores = 64;
    expected.cpuQuota = 1.5;
    expected.cpu = QStringLiteral("AMD EPYC");
    expected.memoryBytes = 1000;
    expected.memoryFreeBytes = 900;
    expected.memoryLimitBytes = 800;
    expected.cacheFreeBytes = 700;
    expected.runsFreeBytes = 600;
    expected.runsFolder = QStringLiteral("/var/tmp/lockstep-1000/gpu1");
    expected.openFilesLimit = 1024;
    expected.memlockLimit = -1;
    expected.uptimeS = 77;
    expected.wallUs = 1795969625319480;
    expected.monotonicUs = 1642625360;
    expected.bootId = QStringLiteral("b55a677d");
    expected.fashionMnist = QStringLiteral("/usr/share/datasets/fashion-mnist");
    expected.driver = QStringLiteral("570.86.15");
    expected.cuda = QStringLiteral("13.0");
    expected.gpuNote = QStringLiteral("note");
    expected.interfaces = {
        {QStringLiteral("lo"), {QStringLiteral("127.0.0.1/8"), QStringLiteral("::1/128")}, -1, true, true, -1, -1, {}},
        {QStringLiteral("eth0"),
         {QStringLiteral("10.0.0.1/24")},
         25000,
         false,
         false,
         9000,
         0,
         QStringLiteral("bond0")},
    };
    expected.cpus = QStringLiteral("0-63");
    expected.numaNodes = {{0, QStringLiteral("0-31")}};
    expected.cacheFolder = QStringLiteral("/home/alice/.cache/lockstep");
    expected.homeId = QStringLiteral("abcd");
    expected.homeFileSystem = QStringLiteral("nfs");
    expected.portLow = 32768;
    expected.portHigh = 60999;
    expected.reservedPorts = QStringLiteral("8080");
    expected.nccl = QStringLiteral("2.27.7");
    expected.ncclPath = QStringLiteral("/usr/lib64/libnccl.so.2");
    expected.selfAddresses = expected.hostsAddresses = {QStringLiteral("127.0.1.1")};
    expected.localhostAddresses = {QStringLiteral("127.0.0.1")};
    expected.logind = expected.killUserProcesses = expected.loginSession = Told::Yes;
    expected.linger = Told::No;
    expected.runs = {{QStringLiteral("r"), 4, 5, {QStringLiteral("GPU-a"), QStringLiteral("GPU-b")}}};
    expected.ibPorts = {{QStringLiteral("mlx5_0"), 1, QStringLiteral("Active"), QStringLiteral("LinkUp"), 400,
                         QStringLiteral("InfiniBand"), QStringLiteral("ib0"), 1}};
    expected.devices.resize(2);
    expected.devices[0].uuid = QStringLiteral("GPU-aaaa");
    expected.devices[0].name = QStringLiteral("NVIDIA H200");
    expected.devices[0].memoryBytes = 150000000000;
    expected.devices[0].processes = {{42, 1048576, QStringLiteral("bob"), QStringLiteral("python3"), 1795969000000000,
                                      QStringLiteral("20261129-160401-x")}};
    expected.devices[0].mig = true;
    expected.devices[0].numa = 1;
    expected.devices[1].index = 1;
    expected.devices[1].unifiedMemory = true;
    expected.devices[1].error = QStringLiteral("lost");
    QVERIFY(*facts == expected);
}

void TestNodeFacts::processes_data()
{
    QTest::addColumn<QByteArray>("value");
    QTest::addColumn<qint64>("pid");
    QTest::addColumn<qint64>("bytes");
    QTest::addColumn<QString>("user");
    QTest::addColumn<QString>("name");
    QTest::newRow("plain") << QByteArray("42:7:bob:python3") << qint64(42) << qint64(7) << QStringLiteral("bob")
                           << QStringLiteral("python3");
    QTest::newRow("bytes unknown") << QByteArray("42:-1:bob:x") << qint64(42) << qint64(-1) << QStringLiteral("bob")
                                   << QStringLiteral("x");
    QTest::newRow("of another namespace") << QByteArray("42:7::") << qint64(42) << qint64(7) << QString() << QString();
    QTest::newRow("colons in its name") << QByteArray("42:7:bob:kworker/0:1") << qint64(42) << qint64(7)
                                        << QStringLiteral("bob") << QStringLiteral("kworker/0:1");
    QTest::newRow("no number") << QByteArray("42:lots:bob:x") << qint64(42) << qint64(-1) << QStringLiteral("bob")
                               << QStringLiteral("x");
}

void TestNodeFacts::processes()
{
    QFETCH(QByteArray, value);
    QFETCH(qint64, pid);
    QFETCH(qint64, bytes);
    QFETCH(QString, user);
    QFETCH(QString, name);
    const auto facts = factsFrom("facts - 1 host=h gpu/0/process/0=" + value);
    QVERIFY(facts);
    const DeviceProcess expected{pid, bytes, user, name, 0, {}};
    QVERIFY(facts->devices.value(0).processes == QList<DeviceProcess>{expected});
}

void TestNodeFacts::whatIsMissingIsUnknown()
{
    const auto facts = factsFrom("facts - 5 host=h");
    QVERIFY(facts);
    NodeFacts expected;
    expected.host = QStringLiteral("h");
    expected.monotonicUs = 5;
    QVERIFY(*facts == expected);
    QCOMPARE(facts->memoryBytes, -1);
    QCOMPARE(facts->cpuQuota, -1.0);
}

void TestNodeFacts::oddInput_data()
{
    QTest::addColumn<QByteArray>("fields");
    QTest::addColumn<int>("interfaces");
    QTest::newRow("unknown keys") << QByteArray("colour=blue if/0/colour=blue new/0/x=1") << 1;
    QTest::newRow("huge number") << QByteArray("if/999999999/name=x") << 0;
    QTest::newRow("number past 64 bits") << QByteArray("if/99999999999999999999/name=x") << 0;
    QTest::newRow("negative") << QByteArray("if/-1/name=x") << 0;
    QTest::newRow("no number") << QByteArray("if//name=x if/a/name=x if/name=x") << 0;
    QTest::newRow("speed that is no number") << QByteArray("if/0/speed_mbps=fast") << 1;
}

void TestNodeFacts::oddInput()
{
    QFETCH(QByteArray, fields);
    QFETCH(int, interfaces);
    const auto facts = factsFrom("facts - 1 host=h " + fields);
    QVERIFY(facts);
    QCOMPARE(facts->interfaces.size(), interfaces);
    if (interfaces > 0)
        QCOMPARE(facts->interfaces.first().speedMbps, -1);
}

void TestNodeFacts::usableCores()
{
    NodeFacts facts;
    facts.cores = 8;
    QCOMPARE(facts.usableCores(), 8);
    facts.cpuQuota = 2.5;
    QCOMPARE(facts.usableCores(), 2);
    facts.cpuQuota = 0.3;
    QCOMPARE(facts.usableCores(), 1);
    facts.cpuQuota = 64;
    QCOMPARE(facts.usableCores(), 8);
}

void TestNodeFacts::refused_data()
{
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<QString>("words");
    QTest::newRow("another kind") << QByteArray("device - 1 host=h") << QStringLiteral("`device`");
    QTest::newRow("no host") << QByteArray("facts - 1 os=Debian") << QStringLiteral("do not name their host");
}

void TestNodeFacts::refused()
{
    QFETCH(QByteArray, line);
    QFETCH(QString, words);
    const auto facts = factsFrom(line);
    QVERIFY(!facts);
    QCOMPARE(facts.error().code, ErrorCode::Protocol);
    QVERIFY2(facts.error().text.contains(words), qPrintable(facts.error().text));
}

QTEST_GUILESS_MAIN(TestNodeFacts)
#include "tst_nodefacts.moc"
