// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planenvironment.h"
#include "plannednodes.h"

#include <QTest>

using namespace lockstep;

class TestLaunchPlan : public QObject {
    Q_OBJECT

private slots:
    void ranks_data();
    void ranks();
    void counts_data();
    void counts();
    void environmentOfARank();
    void interfacesPerNode();
    void devicesOfTheInventory();
    void desktopIsDropped();
    void specEnvironment();
    void refusedSpecs_data();
    void refusedSpecs();
    void overrides();
    void portOfTheMaster();
    void argv();
    void wrongNodes();
    void notMeasured();
    void roundTrip();
};

namespace {

const QString kEth1 = " | lo 127.0.0.1/8 | eth0 10.0.0.11/24 1000";
const QString kEth2 = " | lo 127.0.0.1/8 | eth0 10.0.0.12/24 1000";

QString table(const LaunchPlan& plan) // rank,node,local of each
{
    QStringList list;
    for (const PlannedRank& rank : plan.ranks)
        list.append(QString("%1,%2,%3").arg(rank.rank).arg(rank.nodeIndex).arg(rank.localRank));
    return list.join(' ');
}

QString errors(const LaunchPlan& plan)
{
    QStringList list;
    for (const Problem& problem : plan.problems) {
        if (problem.severity == Severity::Error)
            list.append(problem.title + " | " + problem.detail);
    }
    return list.join('\n');
}

LaunchPlan planOf(const RunSpec& spec, const QStringList& pictures)
{
    return makePlan(spec, test::nodes(pictures), {});
}

} // namespace

void TestLaunchPlan::ranks_data()
{
    QTest::addColumn<QStringList>("pictures");
    QTest::addColumn<QString>("expected");
    QTest::newRow("unequal nodes") << QStringList{"gpu1*2" + kEth1, "gpu2*3" + kEth2}
                                   << "0,0,0 1,0,1 2,1,0 3,1,1 4,1,2";
    QTest::newRow("unequal devices") << QStringList{"gpu1 1xH100" + kEth1, "gpu2 2xH100" + kEth2}
                                     << "0,0,0 1,1,0 2,1,1";
    QTest::newRow("fewer slots than devices") << QStringList{"gpu1*1 4xH100" + kEth1} << "0,0,0";
    QTest::newRow("CPU node") << QStringList{"this"} << "0,0,0";
}

void TestLaunchPlan::ranks()
{
    QFETCH(QStringList, pictures);
    const LaunchPlan plan = planOf({}, pictures);
    QVERIFY2(plan.launchable(), qPrintable(errors(plan)));
    QTEST(table(plan), "expected");
    QCOMPARE(plan.worldSize, plan.ranks.size());
}

void TestLaunchPlan::counts_data()
{
    QTest::addColumn<int>("perNode");
    QTest::addColumn<int>("total");
    QTest::addColumn<QString>("backend");
    QTest::addColumn<QStringList>("pictures");
    QTest::addColumn<QString>("result"); // the world's size, or ! and words of the error
    QStringList four;
    for (int i = 1; i <= 4; ++i)
        four.append(QString("g%1 8xH100 | eth0 10.0.0.%1/24").arg(i));
    QTest::newRow("8 processes in all on 32 devices")
        << 0 << 8 << "auto" << four << "!8 ranks in all leave 24 of 32 devices idle | 4 nodes would start 2 a node";
    QTest::newRow("8 in all, 2 a node meant") << 2 << 8 << "auto" << four << "8";
    QTest::newRow("32 in all") << 0 << 32 << "auto" << four << "32";
    QTest::newRow("64 in all") << 0 << 64 << "auto" << four << "!more than the nodes take";
    QTest::newRow("3 in all on 4 nodes") << 0 << 3 << "auto" << four << "!fewer than the 4 nodes";
    QTest::newRow("does not multiply") << 2 << 6 << "auto" << four << "!do not fit";
    QTest::newRow("CPU nodes spread") << 0 << 5 << "auto" << QStringList{"a 8cores" + kEth1, "b 8cores" + kEth2} << "5";
    QTest::newRow("more than devices") << 9 << 0 << "auto" << four << "!g1 has 8 devices, 9 ranks are asked";
    QTest::newRow("more than slots") << 3 << 0 << "auto" << QStringList{"a*2"} << "!a has 2 slots, 3 ranks are asked";
    QTest::newRow("nccl without a GPU") << 0 << 0 << "nccl" << QStringList{"a 1xH100" + kEth1, "b" + kEth2}
                                        << "!b has no GPU";
    QTest::newRow("auto with one CPU node") << 0 << 0 << "auto" << QStringList{"a 4xH100" + kEth1, "b" + kEth2} << "2";
    QTest::newRow("gloo leaves GPUs alone") << 3 << 0 << "gloo" << QStringList{"a 4xH100 8cores"} << "3";
}

void TestLaunchPlan::counts()
{
    QFETCH(int, perNode);
    QFETCH(int, total);
    QFETCH(QString, backend);
    QFETCH(QStringList, pictures);
    QFETCH(QString, result);
    RunSpec spec;
    spec.ranksPerNode = perNode;
    spec.totalRanks = total;
    spec.backend = *backendOf(backend);
    const LaunchPlan plan = planOf(spec, pictures);
    if (result.startsWith('!'))
        QVERIFY2(errors(plan).contains(result.mid(1)) && !plan.launchable(), qPrintable(errors(plan)));
    else
        QCOMPARE(plan.launchable() ? QString::number(plan.worldSize) : errors(plan), result);
}

void TestLaunchPlan::environmentOfARank()
{
    RunSpec spec;
    spec.ranksPerNode = 2;
    spec.masterPort = 29500;
    const LaunchPlan plan = planOf(spec, {"gpu1 2xH100 16cores" + kEth1, "gpu2 2xH100 5cores" + kEth2});
    QCOMPARE(plan.ranks[3].env, Environment({{"RANK", "3"},
                                             {"LOCAL_RANK", "1"},
                                             {"WORLD_SIZE", "4"},
                                             {"LOCAL_WORLD_SIZE", "2"},
                                             {"NODE_RANK", "1"},
                                             {"GROUP_RANK", "1"},
                                             {"MASTER_ADDR", "10.0.0.11"},
                                             {"MASTER_PORT", "29500"},
                                             {"GLOO_SOCKET_IFNAME", "eth0"},
                                             {"NCCL_SOCKET_IFNAME", "=eth0"},
                                             {"CUDA_VISIBLE_DEVICES", "GPU-gpu2-0,GPU-gpu2-1"},
                                             {"OMP_NUM_THREADS", "2"},
                                             {"GLIBC_TUNABLES", "glibc.malloc.hugetlb=1"},
                                             {"PYTHONUNBUFFERED", "1"},
                                             {"TORCH_NCCL_ASYNC_ERROR_HANDLING", "1"}}));
    QCOMPARE(plan.ranks[3].device, "gpu:GPU-gpu2-1");
    for (const auto& [name, value] : plan.ranks[3].env)
        QVERIFY2(isOwnVariable(name), name.constData());
    const LaunchPlan local = planOf({}, {"this 1cores | lo 127.0.0.1/8"});
    QCOMPARE(valueOf(local.ranks[0].env, "MASTER_ADDR"), "127.0.0.1");
    QCOMPARE(valueOf(local.ranks[0].env, "GLOO_SOCKET_IFNAME"), "lo");
    QCOMPARE(valueOf(local.ranks[0].env, "CUDA_VISIBLE_DEVICES"), "");
    QCOMPARE(valueOf(local.ranks[0].env, "OMP_NUM_THREADS"), "1");
    QCOMPARE(local.ranks[0].device, "cpu");
}

void TestLaunchPlan::interfacesPerNode()
{
    const LaunchPlan plan =
        planOf({}, {"gpu1 | ens1f0 10.1.0.11/16", "gpu2 | enp65s0np0 10.1.0.12/16", "gpu3 | bond0 10.1.0.13/16"});
    QStringList nccl, gloo;
    for (const PlannedRank& rank : plan.ranks) {
        nccl.append(valueOf(rank.env, "NCCL_SOCKET_IFNAME"));
        gloo.append(valueOf(rank.env, "GLOO_SOCKET_IFNAME"));
    }
    QCOMPARE(nccl, QStringList({"=ens1f0", "=enp65s0np0", "=bond0"}));
    QCOMPARE(gloo, QStringList({"ens1f0", "enp65s0np0", "bond0"}));
    QCOMPARE(plan.nodes[1].interface, Sourced({"enp65s0np0", "has 10.1.0.12, speed unknown"}));
}

void TestLaunchPlan::devicesOfTheInventory()
{
    QList<PlanNode> nodes = test::nodes({"gpu1 8xH100"});
    nodes[0].node.devices = {5, 2};
    nodes[0].facts->devices[2].processes = {{4711, 1 << 30, "alice", "python"}};
    LaunchPlan plan = makePlan({}, nodes, {});
    QVERIFY(plan.launchable());
    QCOMPARE(valueOf(plan.ranks[0].env, "CUDA_VISIBLE_DEVICES"), "GPU-gpu1-5,GPU-gpu1-2");
    QCOMPARE(plan.nodes[0].devices, Sourced({"5, 2", "2 × H100, 1 in use"}));
    QCOMPARE(plan.problems.size(), 1);
    QVERIFY(plan.problems[0].severity == Severity::Warning &&
            plan.problems[0].detail.contains("python (alice, process 4711)"));
    nodes[0].facts->devices[5].error = "fell off the bus";
    QVERIFY(errors(makePlan({}, nodes, {})).contains("Device 5 of gpu1 can't be used | It says: fell off the bus"));
    nodes[0].node.devices = {8};
    plan = makePlan({}, nodes, {});
    QVERIFY2(errors(plan).contains("gpu1 has no device 8"), qPrintable(errors(plan)));
}

void TestLaunchPlan::desktopIsDropped()
{
    const Environment desktop{{"SLURM_JOB_ID", "77"},
                              {"SLURM_NTASKS", "1"},
                              {"LOCAL_RANK", "0"},
                              {"WORLD_SIZE", "1"},
                              {"PET_NNODES", "1"},
                              {"MASTER_PORT", "1"},
                              {"OMPI_COMM_WORLD_RANK", "0"},
                              {"TORCHELASTIC_RUN_ID", "x"},
                              {"SSH_CONNECTION", "x"},
                              {"BASH_FUNC_module%%", "() { :; }"},
                              {"PS1", "$(id)"},
                              {"HOME", "/h"},
                              {"PATH", "/p"},
                              {"DISPLAY", ":0"}};
    RunSpec spec;
    spec.ranksPerNode = 2;
    const LaunchPlan with = makePlan(spec, test::nodes({"this"}), desktop);
    const LaunchPlan without = makePlan(spec, test::nodes({"this"}), {});
    QCOMPARE(with.ranks, without.ranks);
    QCOMPARE(with.droppedEnv, QStringList({"LOCAL_RANK", "MASTER_PORT", "OMPI_COMM_WORLD_RANK", "PET_NNODES",
                                           "SLURM_JOB_ID", "SLURM_NTASKS", "TORCHELASTIC_RUN_ID", "WORLD_SIZE"}));
}

void TestLaunchPlan::specEnvironment()
{
    RunSpec spec;
    spec.ranksPerNode = 2;
    spec.env = {{"X", "a\"b"}, {"Y", "$(touch pwned)"}, {"Z", "two\nlines"}, {"E", ""}};
    const LaunchPlan plan = planOf(spec, {"this"});
    QVERIFY(plan.launchable());
    for (const PlannedRank& rank : plan.ranks)
        QCOMPARE(rank.env.mid(rank.env.size() - 4), spec.env);
}

void TestLaunchPlan::refusedSpecs_data()
{
    QTest::addColumn<QByteArray>("env");
    QTest::addColumn<QByteArray>("argument");
    QTest::addColumn<QString>("says");
    const QByteArray none("x=1");
    for (const char* name : {"RANK", "MASTER_ADDR", "CUDA_VISIBLE_DEVICES", "NCCL_SOCKET_IFNAME", "OMP_NUM_THREADS"})
        QTest::newRow(name) << QByteArray(name) + "=1" << QByteArray()
                            << QString(name) + " is set by Lockstep | The plan gives it a value for each rank. If "
                                               "yours is meant, write it in [env_override]";
    QTest::newRow("tag") << QByteArray("LOCKSTEP_RUN=1") << QByteArray() << "LOCKSTEP_RUN is Lockstep's own tag";
    QTest::newRow("empty name") << QByteArray("=1") << QByteArray() << "can't be a variable's name";
    QTest::newRow("NUL in a value") << QByteArray("TOKEN=a\0b", 9) << QByteArray()
                                    << "The variable TOKEN holds a NUL byte";
    QTest::newRow("long value") << "BIG=" + QByteArray(128 * 1024 - 4, 'x') << QByteArray()
                                << "The variable BIG is longer than 128 KiB";
    QTest::newRow("NUL in an argument") << none << QByteArray("--x=\0y", 6)
                                        << "Argument 1 (\"--x=\\0y\") holds a NUL byte";
    QTest::newRow("long argument") << none << "--json=" + QByteArray(128 * 1024, 'x')
                                   << "Argument 1 (\"--json=xxxxxxxxxxxxx\") is longer than 128 KiB";
}

void TestLaunchPlan::refusedSpecs()
{
    QFETCH(QByteArray, env);
    QFETCH(QByteArray, argument);
    QFETCH(QString, says);
    RunSpec spec;
    spec.env = {{env.left(env.indexOf('=')), env.mid(env.indexOf('=') + 1)}};
    spec.arguments = {argument};
    const LaunchPlan plan = planOf(spec, {"this"});
    QVERIFY(!plan.launchable());
    QVERIFY2(errors(plan).contains(says), qPrintable(errors(plan).left(500)));
    spec.env = {{"BIG", QByteArray(128 * 1024 - 1 - 4, 'x')}}; // the longest that the kernel takes
    spec.arguments = {QByteArray(128 * 1024 - 1, 'y')};
    QVERIFY(planOf(spec, {"this"}).launchable());
}

void TestLaunchPlan::overrides()
{
    RunSpec spec;
    spec.ranksPerNode = 2;
    spec.envOverride = {{"NCCL_SOCKET_IFNAME", "=ib0"}, {"MASTER_ADDR", "10.0.0.99"}, {"MASTER_PORT", "4711"}};
    LaunchPlan plan = planOf(spec, {"gpu1 2xH100" + kEth1, "gpu2 2xH100" + kEth2});
    QVERIFY2(plan.launchable(), qPrintable(errors(plan)));
    plan.setMasterPort(29417, "free on gpu1");
    QCOMPARE(plan.overriddenEnv, QStringList({"NCCL_SOCKET_IFNAME", "MASTER_ADDR", "MASTER_PORT"}));
    QCOMPARE(valueOf(plan.ranks[2].env, "NCCL_SOCKET_IFNAME"), "=ib0");
    QCOMPARE(valueOf(plan.ranks[2].env, "MASTER_ADDR"), "10.0.0.99");
    QCOMPARE(valueOf(plan.ranks[2].env, "MASTER_PORT"), "4711");
    QCOMPARE(plan.nodes[0].master, Sourced({"10.0.0.99:4711", "env_override; port: env_override"}));
    QCOMPARE(plan.nodes[0].interface, Sourced({"=ib0", "env_override"}));
    spec.envOverride = {{"MASTER_ADDR", "127.0.0.1"}};
    QVERIFY(errors(planOf(spec, {"a" + kEth1, "b" + kEth2})).contains("loopback"));
}

void TestLaunchPlan::portOfTheMaster()
{
    RunSpec spec;
    LaunchPlan plan = planOf(spec, {"a" + kEth1, "b" + kEth2});
    QCOMPARE(plan.nodes[1].master.value, "10.0.0.11");
    QVERIFY2(plan.nodes[1].master.source.contains("a free one, chosen on a"), qPrintable(plan.nodes[1].master.source));
    plan.setMasterPort(29417, "free on a");
    QCOMPARE(plan.nodes[1].master.value, "10.0.0.11:29417");
    QVERIFY(plan.nodes[1].master.source.endsWith("; port: free on a"));
    QCOMPARE(valueOf(plan.ranks[1].env, "MASTER_PORT"), "29417");
    spec.masterPort = 80;
    QVERIFY(errors(planOf(spec, {"a"})).contains("allow_low_port"));
    spec.masterPort = 70000;
    QVERIFY(errors(planOf(spec, {"a"})).contains("too large"));
}

void TestLaunchPlan::argv()
{
    RunSpec spec;
    spec.trainer = {{"model", "cnn"}, {"weight_decay", "0"}, {"data_path", ""}};
    spec.arguments = {"", "-", "--", "{\"a\": [1, 2]}"};
    QCOMPARE(planOf(spec, {"this"}).ranks[0].argv,
             QList<QByteArray>({"@bundle@/lockstep-trainer", "--model", "cnn", "--weight-decay", "0", "--data-path", "",
                                "", "-", "--", "{\"a\": [1, 2]}"}));
}

void TestLaunchPlan::wrongNodes()
{
    QVERIFY(errors(makePlan({}, {}, {})).contains("No node is chosen"));
    QVERIFY(errors(planOf({}, {"a" + kEth1, "a" + kEth1})).contains("a is chosen twice"));
    QList<PlanNode> nodes = test::nodes({"a"});
    nodes[0].node.name = "../../etc";
    QVERIFY(errors(makePlan({}, nodes, {})).contains("can't be a node's name"));
}

void TestLaunchPlan::notMeasured()
{
    const LaunchPlan plan = planOf({}, {"gpu1*2 ?", "gpu2 ?"});
    QVERIFY2(plan.launchable(), qPrintable(errors(plan)));
    QCOMPARE(table(plan), "0,0,0 1,0,1 2,1,0");
    QCOMPARE(plan.nodes[1].interface.source, "not measured yet");
    QCOMPARE(plan.nodes[1].devices.source, "not measured yet");
    QCOMPARE(plan.nodes[1].backend.source, "not measured yet");
    QVERIFY(plan.nodes[1].master.source.startsWith("not measured yet"));
    QCOMPARE(plan.masterAddr, "");
}

void TestLaunchPlan::roundTrip()
{
    RunSpec spec;
    spec.env = {{"X", "a\"b\n"}, {"B", "\xff"}};
    spec.envOverride = {{"RANK", "1=2"}};
    spec.arguments = {"学习", "\xfe", ""};
    LaunchPlan plan = makePlan(spec, test::nodes({"a 2xH100" + kEth1 + " | docker0 172.17.0.1/16", "b 2xH100" + kEth2}),
                               {{"RANK", "0"}});
    plan.setMasterPort(29417, "free");
    plan.problems.append({Severity::Note, "a", "t", "d"});
    const Result<LaunchPlan> again = LaunchPlan::parse(plan.toToml());
    QVERIFY2(again, again ? "" : qPrintable(again.error().text));
    QCOMPARE(*again, plan);
    QVERIFY(!LaunchPlan::parse("rank = 3"));
    QVERIFY(!LaunchPlan::parse("[[rank]]\nnode_index = 5\n"));
}

QTEST_GUILESS_MAIN(TestLaunchPlan)
#include "tst_launchplan.moc"
