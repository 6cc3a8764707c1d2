// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planenvironment.h"
#include "plannednodes.h"

#include <QDateTime>
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
    void devicesOfTheSpec();
    void severalRanksADevice_data();
    void severalRanksADevice();
    void ranksInAllAndSeveralADevice();
    void heldByAnotherRun();
    void passedFromTheDesktop_data();
    void passedFromTheDesktop();
    void ofOneNode();
    void ranksInAllBesideThoseOfOneNode();
    void portInTheEphemeralRange();
    void desktopIsDropped();
    void specEnvironment();
    void refusedSpecs_data();
    void refusedSpecs();
    void overrides();
    void overridesOfOneNode();
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
    nodes[0].facts->devices[2].processes = {{4711, 1 << 30, "alice", "python", 0, {}}};
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

void TestLaunchPlan::devicesOfTheSpec()
{
    RunSpec spec;
    spec.nodeSettings = {{"gpu1", 0, {"3", "GPU-gpu1-1"}, {}, {}}};
    const LaunchPlan plan = planOf(spec, {"gpu1 8xH100"});
    QVERIFY2(plan.launchable(), qPrintable(errors(plan)));
    QCOMPARE(valueOf(plan.ranks[0].env, "CUDA_VISIBLE_DEVICES"), "GPU-gpu1-3,GPU-gpu1-1");
    QCOMPARE(plan.ranks[1].device, "gpu:GPU-gpu1-1");
    const auto refused = [&spec](const QStringList& devices) {
        spec.nodeSettings[0].devices = devices;
        return errors(planOf(spec, {"gpu1 8xH100"}));
    };
    QVERIFY(refused({"GPU-x"}).contains("gpu1 has no device GPU-x | The spec names it; the node has 0 (GPU-gpu1-0)"));
    QVERIFY(refused({"GPU-gpu1"}).contains("gpu1 has several devices GPU-gpu1"));
    QVERIFY(refused({"1", "GPU-gpu1-1"}).contains("is named twice"));
    QVERIFY(refused({"MIG-1", "MIG-2"}).isEmpty());
}

void TestLaunchPlan::severalRanksADevice_data()
{
    QTest::addColumn<QString>("backend");
    QTest::addColumn<int>("perNode");
    QTest::addColumn<QStringList>("pictures");
    QTest::addColumn<QString>("result"); // devices of the ranks, or ! and words of the error
    const QStringList two{"gpu1 2xH100 16cores" + kEth1};
    QTest::newRow("auto takes Gloo") << "auto" << 0 << two << "0 0 1 1";
    QTest::newRow("gloo") << "gloo" << 3 << two << "0 0 1";
    QTest::newRow("nccl") << "nccl" << 0 << two
                          << "!NCCL refuses several ranks on one GPU | It would end with \"Duplicate";
    QTest::newRow("more than fit") << "auto" << 5 << two
                                   << "!gpu1 has 2 devices, 5 ranks are asked | ranks_per_device = 2 gives";
    QTest::newRow("no device") << "auto" << 0 << QStringList{"a 2xH100" + kEth1, "b" + kEth2} << "!b has no device for";
}

void TestLaunchPlan::severalRanksADevice()
{
    QFETCH(QString, backend);
    QFETCH(int, perNode);
    QFETCH(QStringList, pictures);
    QFETCH(QString, result);
    RunSpec spec;
    spec.backend = *backendOf(backend);
    spec.ranksPerNode = perNode;
    spec.ranksPerDevice = 2;
    const LaunchPlan plan = planOf(spec, pictures);
    if (result.startsWith('!')) {
        QVERIFY2(errors(plan).contains(result.mid(1)), qPrintable(errors(plan)));
        return;
    }
    QVERIFY2(plan.launchable(), qPrintable(errors(plan)));
    QStringList devices;
    for (const PlannedRank& rank : plan.ranks)
        devices.append(rank.device.section('-', -1));
    QCOMPARE(devices.join(' '), result);
    QVERIFY(plan.backend == Backend::Gloo);
    QCOMPARE(valueOf(plan.ranks[0].env, "CUDA_VISIBLE_DEVICES"), "GPU-gpu1-0,GPU-gpu1-1");
    QCOMPARE(valueOf(plan.ranks[0].env, "LOCKSTEP_RANKS_PER_DEVICE"), "2");
    QVERIFY(plan.ranks[0].argv.contains("cuda") && plan.ranks[0].argv.contains("gloo"));
}

void TestLaunchPlan::ranksInAllAndSeveralADevice()
{
    RunSpec spec;
    spec.ranksPerDevice = 2;
    spec.totalRanks = 3; // the second device has one
    const QStringList two{"gpu1 2xH100 16cores" + kEth1};
    LaunchPlan plan = planOf(spec, two);
    QVERIFY2(plan.launchable(), qPrintable(errors(plan)));
    QCOMPARE(plan.worldSize, 3);
    spec.totalRanks = 2;
    plan = planOf(spec, two);
    QVERIFY2(errors(plan).contains("2 ranks in all leave 1 of 2 devices idle"), qPrintable(errors(plan)));
}

void TestLaunchPlan::heldByAnotherRun()
{
    QList<PlanNode> nodes = test::nodes({"gpu1 2xH100"});
    nodes[0].facts->runs = {{"20261129-160401-x", 2, 1'700'000'000'000'000, {"GPU-gpu1-1"}}};
    LaunchPlan plan = makePlan({}, nodes, {});
    const QString since = QDateTime::fromSecsSinceEpoch(1'700'000'000).toString(QStringLiteral("yyyy-MM-dd HH:mm:ss"));
    QVERIFY2(errors(plan).contains(
                 "Device 1 of gpu1 is held by another run | The run 20261129-160401-x (yours) has it since " + since),
             qPrintable(errors(plan)));
    RunSpec spec;
    spec.shareDevices = true;
    plan = makePlan(spec, nodes, {});
    QVERIFY(plan.launchable() && plan.shareDevices);
    nodes[0].facts->runs.clear(); // of another user: seen by the process alone
    nodes[0].facts->devices[0].processes = {{7, 1, "bob", "python", 1'700'000'000'000'000, "hers"}};
    QVERIFY(errors(makePlan({}, nodes, {})).contains("The run hers has it: python (bob, process 7) since " + since));

    nodes = test::nodes({"this 8cores"});
    nodes[0].facts->runs = {{"r1", 4, 1'700'000'000'000'000, {}}};
    plan = makePlan({}, nodes, {});
    QVERIFY(plan.launchable());
    QCOMPARE(plan.problems.size(), 1);
    QCOMPARE(plan.problems[0].title, "this also runs r1");
    QCOMPARE(plan.problems[0].detail, "It holds the CPU with 4 ranks since " + since + "; both will be slower.");
    nodes[0].facts->runs[0].ranks = 1;
    QVERIFY(makePlan({}, nodes, {}).problems[0].detail.startsWith("It holds the CPU with 1 rank since "));
}

void TestLaunchPlan::passedFromTheDesktop_data()
{
    QTest::addColumn<QStringList>("names");
    QTest::addColumn<QString>("passed");
    QTest::addColumn<QString>("says");
    QTest::newRow("a name") << QStringList{"TOKEN"} << "TOKEN"
                            << "";
    QTest::newRow("a pattern") << QStringList{"HF_*"} << "HF_A HF_B"
                               << "";
    QTest::newRow("a pattern passes over what steers") << QStringList{"NCCL_*"} << ""
                                                       << "";
    for (const char* name : {"HOME", "PATH", "SSH_CONNECTION", "BASH_FUNC_module%%", "PS1", "DISPLAY"})
        QTest::newRow(name) << QStringList{name} << ""
                            << QString(name) + " is never copied from the desktop | The node's login has its own";
    for (const char* name : {"RANK", "SLURM_JOB_ID", "NCCL_DEBUG"})
        QTest::newRow(name) << QStringList{name} << ""
                            << QString(name) + " is never copied from the desktop | It steers a launch";
    QTest::newRow("everything") << QStringList{"*"} << ""
                                << "\"*\" in pass_env can't be meant";
}

void TestLaunchPlan::passedFromTheDesktop()
{
    QFETCH(QStringList, names);
    QFETCH(QString, passed);
    QFETCH(QString, says);
    RunSpec spec;
    spec.passEnv = names;
    Environment desktop;
    for (const char* name : {"TOKEN", "HF_A", "HF_B", "HOME", "PATH", "SSH_CONNECTION", "BASH_FUNC_module%%", "PS1",
                             "DISPLAY", "RANK", "SLURM_JOB_ID", "NCCL_DEBUG"})
        desktop.append(qMakePair(QByteArray(name), QByteArray("secret")));
    LaunchPlan plan = makePlan(spec, test::nodes({"this"}), desktop);
    QCOMPARE(plan.passedEnv.join(' '), passed);
    QVERIFY2(says.isEmpty() ? plan.launchable() : errors(plan).contains(says), qPrintable(errors(plan)));
    for (const QString& name : plan.passedEnv)
        QCOMPARE(valueOf(plan.ranks[0].env, name.toUtf8()), "secret");
    QVERIFY(!plan.toToml().contains("secret")); // what may be a token lies on no disk
    plan.nodes[0].runtimeFolder = QStringLiteral("/opt/bundle");
    const QByteArray command = plan.command(0);
    QVERIFY2(!command.contains("secret"), command.constData()); // nor in a shell's history
    for (const QString& name : plan.passedEnv)
        QVERIFY2(command.contains(QStringLiteral(" %1=\"${%1?").arg(name).toUtf8()), command.constData());
}

void TestLaunchPlan::ofOneNode()
{
    RunSpec spec;
    spec.env = {{"NCCL_DEBUG", "WARN"}, {"NCCL_IB_DISABLE", "0"}};
    spec.nodeSettings = {{"gpu2", 2, {}, {{"NCCL_IB_DISABLE", "1"}}, {{"NCCL_SOCKET_IFNAME", "=ib0"}}},
                         {"gpu9", 0, {}, {}, {}}};
    const LaunchPlan plan = planOf(spec, {"gpu1 4xH100" + kEth1, "gpu2 4xH100" + kEth2});
    QVERIFY2(plan.launchable(), qPrintable(errors(plan)));
    QCOMPARE(table(plan), "0,0,0 1,0,1 2,0,2 3,0,3 4,1,0 5,1,1");
    QCOMPARE(valueOf(plan.ranks[0].env, "NCCL_IB_DISABLE"), "0");
    QCOMPARE(valueOf(plan.ranks[5].env, "NCCL_IB_DISABLE"), "1");
    QCOMPARE(valueOf(plan.ranks[5].env, "NCCL_DEBUG"), "WARN");
    QCOMPARE(valueOf(plan.ranks[0].env, "NCCL_SOCKET_IFNAME"), "=eth0");
    QCOMPARE(valueOf(plan.ranks[5].env, "NCCL_SOCKET_IFNAME"), "=ib0");
    QCOMPARE(plan.nodes[1].interface, Sourced({"=ib0", "[node.gpu2.env_override]"}));
    QVERIFY(std::any_of(plan.problems.begin(), plan.problems.end(),
                        [](const Problem& problem) { return problem.title == "gpu9 takes no part"; }));
    const Result<RunSpec> again = RunSpec::parse(spec.toToml(), "s.toml");
    QVERIFY2(again, again ? "" : qPrintable(again.error().text));
    QCOMPARE(*again, spec);
}

void TestLaunchPlan::ranksInAllBesideThoseOfOneNode()
{
    RunSpec spec;
    spec.totalRanks = 5;
    spec.nodeSettings = {{"b", 3, {}, {}, {}}};
    const QStringList three{"a 8cores" + kEth1, "b 8cores" + kEth2, "c 8cores | eth0 10.0.0.13/24"};
    LaunchPlan plan = planOf(spec, three);
    QVERIFY2(plan.launchable(), qPrintable(errors(plan)));
    QCOMPARE(table(plan), "0,0,0 1,1,0 2,1,1 3,1,2 4,2,0");
    QCOMPARE(plan.nodes[1].ranks.source, "ranks = 3 in [node.b]");
    spec.nodeSettings[0].ranks = 6;
    QVERIFY2(errors(planOf(spec, three)).contains("5 ranks in all do not fit what the nodes are told"),
             qPrintable(errors(planOf(spec, three))));
    spec.nodeSettings = {{"a", 1, {}, {}, {}}, {"b", 1, {}, {}, {}}, {"c", 1, {}, {}, {}}};
    QVERIFY(errors(planOf(spec, three)).contains("are 3 by themselves"));
}

void TestLaunchPlan::portInTheEphemeralRange()
{
    RunSpec spec;
    spec.masterPort = 40000;
    QList<PlanNode> nodes = test::nodes({"this"});
    nodes[0].facts->portLow = 32768;
    nodes[0].facts->portHigh = 60999;
    const LaunchPlan plan = makePlan(spec, nodes, {});
    QVERIFY(plan.launchable());
    QCOMPARE(plan.problems.size(), 1);
    QCOMPARE(plan.problems[0].title, "Port 40000 is among the ports that this gives to outgoing connections");
    spec.masterPort = 29500;
    QVERIFY(makePlan(spec, nodes, {}).problems.isEmpty());
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
                              {"FLUX_TASK_RANK", "0"},
                              {"PALS_RANKID", "0"},
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
    QCOMPARE(with.droppedEnv,
             QStringList({"FLUX_TASK_RANK", "LOCAL_RANK", "MASTER_PORT", "OMPI_COMM_WORLD_RANK", "PALS_RANKID",
                          "PET_NNODES", "SLURM_JOB_ID", "SLURM_NTASKS", "TORCHELASTIC_RUN_ID", "WORLD_SIZE"}));
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
    for (const char* own : {"127.0.0.1", "127.0.1.1", "::1", "0.0.0.0", "::", "LocalHost", "ip6-localhost"}) {
        spec.envOverride = {{"MASTER_ADDR", own}};
        QVERIFY2(errors(planOf(spec, {"a" + kEth1, "b" + kEth2})).contains("is loopback"), own);
    }
    spec.envOverride = {{"MASTER_ADDR", ""}};
    QVERIFY(errors(planOf(spec, {"a" + kEth1, "b" + kEth2})).contains("MASTER_ADDR is empty"));
    for (const char* bad : {"-1", "69420", "29500 ", "29_500", "", "0", "80"}) {
        spec.envOverride = {{"MASTER_PORT", bad}};
        QVERIFY2(errors(planOf(spec, {"a"})).contains("MASTER_PORT in [env_override] can't be used"), bad);
    }
}

// The ranks meet at one place: of one node only the way there may differ.
void TestLaunchPlan::overridesOfOneNode()
{
    const QStringList two{"gpu1 2xH100" + kEth1, "gpu2 2xH100" + kEth2};
    RunSpec spec;
    spec.nodeSettings = {{"gpu2", 0, {}, {}, {{"MASTER_ADDR", "203.0.113.9"}}}};
    LaunchPlan plan = planOf(spec, two);
    QVERIFY2(plan.launchable(), qPrintable(errors(plan)));
    plan.setMasterPort(29417, "free on gpu1");
    QCOMPARE(plan.nodes[0].master.value, "10.0.0.11:29417");
    QCOMPARE(plan.nodes[1].master, Sourced({"203.0.113.9:29417", "[node.gpu2.env_override]; port: free on gpu1"}));
    QCOMPARE(valueOf(plan.ranks[1].env, "MASTER_ADDR"), "10.0.0.11");
    QCOMPARE(valueOf(plan.ranks[2].env, "MASTER_ADDR"), "203.0.113.9");
    for (const PlannedRank& rank : plan.ranks)
        QCOMPARE(valueOf(rank.env, "MASTER_PORT"), "29417");
    for (const char* name : {"MASTER_PORT", "WORLD_SIZE"}) {
        spec.nodeSettings[0].envOverride = {{name, "29500"}};
        QVERIFY2(errors(planOf(spec, two)).contains(QString(name) + " of one node can't differ"), name);
    }
    spec.nodeSettings[0].envOverride = {{"MASTER_ADDR", "127.0.0.1"}};
    QVERIFY(errors(planOf(spec, two)).contains("Take it out of [node.gpu2.env_override]"));
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
