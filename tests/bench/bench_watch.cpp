// SPDX-License-Identifier: GPL-3.0-or-later
// What it costs the desktop to watch 64 nodes of 8 ranks each: `lockstep run` on 64 hosts of the test cluster, whose
// ranks write a metric record of the trainer's size STEPS times a second; the processor time of that one program over
// some seconds, from /proc. Beside it the 64 `ssh HOST tail -f SPOOL` that would show a person the same bytes.
//   bench_watch [SECONDS [STEPS_A_SECOND [NODES [RANKS_A_NODE]]]]
#include "tests/e2e/hostlook.h"
#include "tests/e2e/userdesk.h"
#include "tests/support/testcluster.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTest>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace lockstep::test;
using namespace std::chrono_literals;

namespace {

constexpr auto kStartTime = 300s;

// A rank: as many fields as a metric record of lockstep-trainer has.
[[noreturn]] void pace(double stepsPerSecond)
{
    const auto pause = std::chrono::duration<double>(1 / stepsPerSecond);
    auto next = std::chrono::steady_clock::now();
    for (long step = 0;; ++step) {
        const std::string record =
            "metric - 0 step=" + std::to_string(step) +
            " loss=2.30258512 lr=0.001 samples_per_s=5120.25 step_s=0.200113 data_s=0.000132 forward_s=0.061877"
            " backward_s=0.121009 wait_s=0.010233 optimizer_s=0.004113 grad_norm=1.0372 epoch=0\n";
        if (::write(3, record.data(), record.size()) < 0)
            std::exit(1);
        next += std::chrono::duration_cast<std::chrono::steady_clock::duration>(pause);
        std::this_thread::sleep_until(next);
    }
}

double cpuSeconds(qint64 pid) // user and system
{
    QFile file(QStringLiteral("/proc/%1/stat").arg(pid));
    if (!file.open(QIODevice::ReadOnly))
        return 0;
    const QByteArray stat = file.readAll();
    const QList<QByteArray> fields = stat.mid(stat.lastIndexOf(')') + 2).split(' ');
    return (fields.value(11).toDouble() + fields.value(12).toDouble()) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

int nodes = 64, ranks = 8, seconds = 20;
double steps = 5;

QStringList hosts()
{
    QStringList all;
    for (int i = 1; i <= nodes; ++i)
        all << QStringLiteral("n%1").arg(i);
    return all;
}

void wait(int howLong)
{
    QTest::qWait(howLong * 1000);
}

void tails(const QString& run, double& percent)
{
    std::vector<std::unique_ptr<QProcess>> all;
    for (const QString& host : hosts()) {
        auto one = std::make_unique<QProcess>();
        one->setStandardOutputFile(QProcess::nullDevice());
        one->start("ssh", {"-F", TestCluster::file("ssh_config"), host, "tail", "-n0", "-f",
                           HostLook::folderThere(host, run) + "/spool.000000"});
        one->waitForStarted();
        all.push_back(std::move(one));
        QTest::qWait(30); // one after the other: MaxStartups
    }
    wait(3);
    double before = 0, after = 0;
    for (const auto& one : all)
        before += cpuSeconds(one->processId());
    wait(seconds);
    for (const auto& one : all)
        after += cpuSeconds(one->processId());
    percent = 100 * (after - before) / seconds;
    for (const auto& one : all) {
        one->kill();
        one->waitForFinished();
    }
}

int bench()
{
    UserDesk desk;
    QDir().mkpath(desk.path("bundle"));
    const QString program = desk.path("bundle/lockstep-trainer");
    QFile::copy(QFile::symLinkTarget(QStringLiteral("/proc/self/exe")), program);
    QFile::setPermissions(program, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    desk.environment.insert("LOCKSTEP_BUNDLE", desk.path("bundle"));
    QByteArray hostfile;
    for (const QString& host : hosts())
        hostfile += host.toUtf8() + " slots=" + QByteArray::number(ranks) + '\n';
    desk.setInventory(hostfile);
    const auto run = desk.start({"run",
                                 desk.writeSpec("name = \"watch\"\nnodes = \"n*\"\ngrace = 1\n[env]\nPACE = \"" +
                                                QByteArray::number(steps) + "\"\n"),
                                 "--json"});
    if (!run->says(": running", kStartTime)) {
        std::printf("did not start:\n%s\n", run->said().constData());
        return 1;
    }
    wait(5);
    const QString id = desk.shown("last")["id"].toString();
    const auto stored = [&] {
        qint64 bytes = 0;
        for (const QString& host : hosts())
            bytes += QFileInfo(desk.path("data/runs/" + id + "/" + host + ".spool")).size();
        return bytes;
    };
    const qint64 bytesBefore = stored();
    const double before = cpuSeconds(run->processId());
    wait(seconds);
    const double percent = 100 * (cpuSeconds(run->processId()) - before) / seconds;
    const double bytes = static_cast<double>(stored() - bytesBefore) / seconds;
    run->pause(); // what it costs must not be in the others' way
    double tailPercent = 0;
    tails(id, tailPercent);
    run->goOn();
    run->interrupt();
    const Answer answer = run->end(300s);
    std::printf("%d nodes x %d ranks, %.1f steps/s a rank: %.0f records/s, %.2f MB/s into the store\n", nodes, ranks,
                steps, nodes * ranks * steps, bytes / 1e6);
    std::printf("lockstep: %.1f %% of a core; 64 ssh with tail -f: %.1f %%; ratio %.2f\n", percent, tailPercent,
                tailPercent > 0 ? percent / tailPercent : 0);
    std::printf("%s\n", answer.object()["proof"].toString().toUtf8().constData());
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    if (const char* pacing = std::getenv("PACE"))
        pace(std::atof(pacing));
    if (argc > 1)
        seconds = std::atoi(argv[1]);
    if (argc > 2)
        steps = std::atof(argv[2]);
    if (argc > 3)
        nodes = std::atoi(argv[3]);
    if (argc > 4)
        ranks = std::atoi(argv[4]);
    TestCluster::enter(nodes, argv);
    QCoreApplication app(argc, argv);
    return bench();
}
