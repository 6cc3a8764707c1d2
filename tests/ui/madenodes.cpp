// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/madenodes.h"

#include <QDateTime>

#include <cmath>
#include <random>

namespace lockstep::made {

namespace {

constexpr double kGibi = 1024.0 * 1024.0 * 1024.0;
constexpr qint64 kGibiBytes = 1024LL * 1024 * 1024;
constexpr const char* kUuids[]{"GPU-5b1e09c2-70aa", "GPU-c07f4d11-2b0e", "GPU-91a2e6f3-88d1", "GPU-3d88b0a7-1f5c",
                               "GPU-e64c17b9-40d2", "GPU-0fa95366-9a31", "GPU-7721dce8-5e07", "GPU-b40e8f5d-c213"};

qint64 nowUs()
{
    return QDateTime::currentMSecsSinceEpoch() * 1000;
}

QList<double> cpuMinute(double level)
{
    std::mt19937 random(7); // the same picture each time
    std::uniform_real_distribution<double> noise(-4, 4);
    QList<double> values;
    for (int i = 0; i < 60; ++i)
        values.append(level + 3 * std::sin(i / 6.0) + noise(random));
    return values;
}

RunSummary summary(int number, const char* name, RunPhase phase, const char* reason, int nodes, int ranks, qint64 ageS,
                   qint64 durationS, double loss, const QStringList& tags, const char* note)
{
    RunSummary run;
    run.id = QStringLiteral("%1-%2").arg(QLatin1String(name)).arg(number);
    run.number = number;
    run.name = QString::fromLatin1(name);
    run.phase = phase;
    run.reason = QString::fromUtf8(reason);
    run.nodes = nodes;
    run.ranks = ranks;
    run.createdWallUs = nowUs() - ageS * 1000000;
    run.endedWallUs = phase == RunPhase::Running ? 0 : run.createdWallUs + durationS * 1000000;
    run.lastLoss = loss;
    run.tags = tags;
    run.note = QString::fromUtf8(note);
    std::mt19937 random(static_cast<unsigned>(number));
    std::uniform_real_distribution<double> noise(-0.08, 0.08);
    for (int i = 0; i < 88; ++i)
        run.sparkline.push_back(static_cast<float>(loss + (7 - loss) * std::exp(-i / 18.0) + noise(random) * loss / 3));
    return run;
}

} // namespace

NodeState thisMachine()
{
    NodeState state;
    state.node = Inventory::firstStart().nodes.first();
    state.phase = NodePhase::Ready;
    NodeFacts facts;
    facts.host = QStringLiteral("desk");
    facts.os = QStringLiteral("Debian 12");
    facts.cores = 8;
    facts.cpu = QStringLiteral("AVX-512");
    facts.memoryBytes = 31 * kGibiBytes;
    facts.memoryFreeBytes = 24 * kGibiBytes;
    facts.runsFreeBytes = 212'000'000'000;
    facts.cacheFreeBytes = 212'000'000'000;
    facts.openFilesLimit = 1048576;
    facts.gpuNote = QStringLiteral("none found: libnvidia-ml.so.1 is not installed");
    facts.fashionMnist = QStringLiteral("/usr/share/datasets/fashion-mnist");
    facts.interfaces = {{QStringLiteral("lo"), {QStringLiteral("127.0.0.1/8")}, -1, true, true},
                        {QStringLiteral("wlp2s0"), {QStringLiteral("192.168.1.24/24")}, 866, true, false}};
    state.facts = facts;
    state.deployed = QStringLiteral("LibTorch 2.14.1 cpu");
    state.cpuHistory = cpuMinute(18);
    state.samples = {{QStringLiteral("cpu"), -1, 21, 7 * kGibi, 31 * kGibi, -1, -1}};
    state.sampleWallUs = nowUs() - 400'000;
    return state;
}

NodeState gpuNode(int number)
{
    NodeState state;
    state.node.name = QStringLiteral("gpu%1").arg(number);
    state.node.address = {QStringLiteral("alice"), QStringLiteral("10.0.0.1%1").arg(number), 0};
    state.node.tags = {QStringLiteral("h100"), QStringLiteral("rack3")};
    state.phase = NodePhase::Ready;
    NodeFacts facts;
    facts.host = state.node.name;
    facts.os = QStringLiteral("Debian 12");
    facts.kernel = QStringLiteral("6.1.0-28-amd64");
    facts.glibc = QStringLiteral("2.36");
    facts.cores = 96;
    facts.memoryBytes = 503 * kGibiBytes;
    facts.memoryFreeBytes = 315 * kGibiBytes;
    facts.runsFreeBytes = 1'200'000'000'000;
    facts.cacheFreeBytes = 310'000'000'000;
    facts.openFilesLimit = 65536;
    facts.memlockLimit = 62 * kGibiBytes;
    facts.driver = QStringLiteral("580.65.06");
    facts.cuda = QStringLiteral("13.0");
    facts.uptimeS = 41 * 86400 + 5000;
    facts.interfaces = {{QStringLiteral("lo"), {QStringLiteral("127.0.0.1/8")}, -1, true, true},
                        {QStringLiteral("eno1"), {QStringLiteral("10.0.0.1%1/24").arg(number)}, 1000, true, false},
                        {number == 1 ? QStringLiteral("ens1f0") : QStringLiteral("enp65s0np0"),
                         {QStringLiteral("10.1.0.1%1/24").arg(number)},
                         100000,
                         true,
                         false},
                        {QStringLiteral("docker0"), {QStringLiteral("172.17.0.1/16")}, -1, true, false}};
    const double util[8]{96, 95, 99, 94, 0, 0, 42, 0}, used[8]{57.1, 57.0, 58.2, 57.1, 0.5, 0.5, 11.2, 0.5};
    const double celsius[8]{62, 61, 84, 60, 34, 33, 41, 34}, watts[8]{604, 596, 688, 590, 71, 70, 212, 71};
    for (int i = 0; i < 8; ++i) {
        DeviceFacts device;
        device.index = i;
        device.uuid = QString::fromLatin1(kUuids[i]);
        device.name = QStringLiteral("NVIDIA H100 80GB HBM3");
        device.memoryBytes = 80 * kGibiBytes;
        if (i < 4)
            device.processes = {
                {4100 + i, 57 * kGibiBytes, QStringLiteral("alice"), QStringLiteral("lockstep-trainer")}};
        if (i == 6)
            device.processes = {{30117, 11 * kGibiBytes, QStringLiteral("alice"), QStringLiteral("python3")}};
        facts.devices.append(device);
        state.samples.append(
            {QStringLiteral("gpu:") + device.uuid, i, util[i], used[i] * kGibi, 80 * kGibi, watts[i], celsius[i]});
    }
    state.facts = facts;
    state.clockOffsetMs = number == 1 ? 0.8 : -0.3;
    state.clockErrorMs = 0.1;
    state.signedInWith = QStringLiteral("~/.ssh/id_ed25519 · host key known, SHA256:mW3xQ0");
    state.deployed = QStringLiteral("LibTorch 2.14.1 cuda, deployed");
    state.sampleWallUs = nowUs() - 600'000;
    state.cpuHistory = cpuMinute(30);
    return state;
}

NodeState asking(int number, NodePhase phase)
{
    NodeState state;
    state.node.name = QStringLiteral("gpu%1").arg(number);
    state.node.address = {QStringLiteral("alice"), QStringLiteral("10.0.0.1%1").arg(number), 0};
    state.node.tags = {QStringLiteral("h100")};
    state.phase = phase;
    if (phase == NodePhase::UnknownHostKey)
        state.hostKey = HostKey{
            QStringLiteral("ED25519"), QStringLiteral("SHA256:pQ0m1vXr7bJcLw2tK9eNfY3hUaZ5sDgTiO8xM6yRBkE"), {}, {}};
    if (phase == NodePhase::HostKeyChanged)
        state.hostKey =
            HostKey{QStringLiteral("ED25519"), QStringLiteral("SHA256:t7YcD2bFvK5mXo9LwS0eJqR4hNiA8uGzP1xTk6Wj3sM"),
                    QStringLiteral("SHA256:Zk4uH8sWn1oVxC6aGq2yLrB9dEtM3jPfI7wT0gRzNhQ"),
                    QStringLiteral("~/.ssh/known_hosts:41")};
    return state;
}

QList<NodeState> firstStart()
{
    return {thisMachine()};
}

QList<NodeState> cluster()
{
    QList<NodeState> all{thisMachine(), gpuNode(1), gpuNode(2)};
    all.append(asking(3, NodePhase::HostKeyChanged));
    all.append(asking(4, NodePhase::UnknownHostKey));
    NodeState away = gpuNode(5);
    away.phase = NodePhase::Unreachable;
    away.sentence = QStringLiteral("unreachable since 13:02");
    away.samples.clear();
    away.deployed = QStringLiteral("deployed");
    all.append(away);
    NodeState locked = asking(6, NodePhase::NeedsPassphrase);
    locked.node.address.port = 2222;
    locked.sentence = QStringLiteral("needs passphrase of id_ed25519");
    all.append(locked);
    NodeState connecting = asking(7, NodePhase::Connecting);
    connecting.node.address = {{}, QStringLiteral("gpu7"), 0};
    connecting.node.jump = {QStringLiteral("login")};
    connecting.sentence = QStringLiteral("connecting, 2 s");
    all.append(connecting);
    return all;
}

void fill(NodeList& list, const QList<NodeState>& states)
{
    Inventory inventory;
    for (const NodeState& state : states)
        inventory.nodes.append(state.node);
    list.setInventory(inventory);
    for (const NodeState& state : states)
        list.update(state);
}

QList<RunSummary> runs()
{
    using P = RunPhase;
    const QStringList sweep{QStringLiteral("sweep-lr")}, vit{QStringLiteral("vit")}, paper{QStringLiteral("paper-v2")},
        demo{QStringLiteral("demo")};
    constexpr qint64 kDay = 86400;
    return {
        summary(12, "resnet50-imagenet", P::Running, "", 2, 8, 761, 0, 2.40, {sweep[0], QStringLiteral("baseline")},
                ""),
        summary(11, "resnet50-imagenet", P::Finished, "", 2, 8, 12000, 1692, 2.11, sweep, "lr 0.8, warm-up 5 epochs"),
        summary(10, "resnet50-imagenet", P::Finished, "", 2, 8, 14000, 1700, 2.34, sweep, "lr 0.4"),
        summary(9, "resnet50-imagenet", P::Stopped, "stopped by you", 2, 8, 15000, 362, 6.87, sweep,
                "lr 3.2 diverges, as feared"),
        summary(27, "vit-b16-imagenet", P::Failed, "out of memory, gpu2", 2, 8, kDay, 2832, 3.11, vit,
                "cache of decoded images grows"),
        summary(26, "vit-b16-imagenet", P::Failed, "killed by SIGSEGV, rank 0", 2, 8, kDay + 9, 18, 6.98, vit, ""),
        summary(31, "gpt-1b-fineweb", P::Finished, "", 8, 64, 3 * kDay, 9590, 2.87, {paper[0], QStringLiteral("keep")},
                "64 ranks, 1 NaN step skipped"),
        summary(30, "gpt-1b-fineweb", P::Finished, "", 8, 64, 3 * kDay + 9, 9842, 2.89, paper, "bucket 25 MB"),
        summary(29, "gpt-1b-fineweb", P::Lost, "gpu6 link lost, ended alone", 8, 64, 4 * kDay, 9690, 2.90, paper,
                "laptop was closed; nothing missing"),
        summary(4, "fashion-cnn", P::Finished, "", 1, 2, 4 * kDay + 5, 48, 0.19, demo, ""),
        summary(3, "fashion-cnn", P::Finished, "", 1, 2, 4 * kDay + 9, 47, 0.20, demo, "seed 1"),
        summary(2, "fashion-cnn", P::Finished, "", 1, 2, 5 * kDay, 51, 0.21, demo, "first run")};
}

RunSpec spec(double lr, int seed)
{
    RunSpec spec;
    spec.name = QStringLiteral("cnn-fashion");
    spec.nodes = QStringLiteral("gpu[1-2] & @h100");
    spec.setOption(QStringLiteral("model"), "cnn");
    spec.setOption(QStringLiteral("data"), "fashion-mnist");
    spec.setOption(QStringLiteral("batch"), "128");
    spec.setOption(QStringLiteral("epochs"), "10");
    spec.setOption(QStringLiteral("optimizer"), "sgd");
    spec.setOption(QStringLiteral("lr"), QByteArray::number(lr));
    spec.setOption(QStringLiteral("momentum"), "0.9");
    spec.setOption(QStringLiteral("seed"), QByteArray::number(seed));
    return spec;
}

} // namespace lockstep::made
