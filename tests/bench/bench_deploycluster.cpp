// SPDX-License-Identifier: GPL-3.0-or-later
// bench_deploycluster FOLDER: the first deploy of a bundle (bundle-cpu/ of a build) to 8 hosts of the namespace
// cluster, every cable 1 Gb/s, by `lockstep deploy`, with --relay, and beside them scp and rsync of the same folder,
// all 8 at once; then a deploy of the unchanged bundle, with what it puts on the cables. Needs scp; rsync where it is
// installed.
#include "tests/e2e/cablecount.h"
#include "tests/e2e/userdesk.h"
#include "tests/support/testcluster.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QJsonArray>
#include <QProcess>
#include <QStandardPaths>

#include <cstdio>

using namespace lockstep::test;

namespace {

constexpr int kHosts = 8;

QStringList hosts()
{
    QStringList names;
    for (int i = 1; i <= kHosts; ++i)
        names << QStringLiteral("n%1").arg(i);
    return names;
}

void shape(const QStringList& words)
{
    QProcess tc;
    tc.start(words.first(),
             words.mid(1) + QStringList{"root", "tbf", "rate", "1gbit", "burst", "512k", "latency", "50ms"});
    if (!tc.waitForFinished() || tc.exitCode() != 0)
        qFatal("tc: %s", tc.readAllStandardError().constData());
}

void gigabitEverywhere()
{
    shape({"tc", "qdisc", "replace", "dev", "eth0"}); // the desktop's own cable
    for (const QString& host : hosts()) {
        shape({"nsenter", "--net=/run/netns/switch", "tc", "qdisc", "replace", "dev", host});
        shape({"nsenter", "--net=/run/netns/" + host, "tc", "qdisc", "replace", "dev", "eth0"});
    }
}

void clear()
{
    for (const QString& host : hosts())
        TestCluster::exec(host, "rm -rf /home/trainer/.cache /home/trainer/copy");
}

double all(const QString& program, const std::function<QStringList(const QString&)>& words)
{
    QElapsedTimer clock;
    clock.start();
    std::vector<std::unique_ptr<QProcess>> running;
    for (const QString& host : hosts()) {
        auto& process = running.emplace_back(std::make_unique<QProcess>());
        process->start(program, words(host));
    }
    for (auto& process : running)
        if (!process->waitForFinished(600'000) || process->exitCode() != 0)
            qFatal("%s: %s", qPrintable(program), process->readAllStandardError().constData());
    return static_cast<double>(clock.elapsed()) / 1000;
}

double deploy(const UserDesk& desk, const char* what, const QStringList& words, CableCount& count)
{
    count.reset();
    QElapsedTimer clock;
    clock.start();
    const Answer answer = desk.ask(QStringList{"deploy", "--json"} + words);
    const double seconds = static_cast<double>(clock.elapsed()) / 1000;
    if (answer.exitCode != 0)
        qFatal("%s", answer.err.constData());
    qint64 sent = 0, received = 0;
    for (const QString& host : hosts()) {
        sent += count.of(host).sent;
        received += count.of(host).received;
    }
    std::printf("%-34s %6.2f s, %7.2f MB sent and %.2f MB received a node by the desktop\n", what, seconds,
                static_cast<double>(sent) / 1e6 / kHosts, static_cast<double>(received) / 1e6 / kHosts);
    return seconds;
}

} // namespace

int main(int argc, char** argv)
{
    if (argc < 2) {
        std::fputs("bench_deploycluster FOLDER\n", stderr);
        return 2;
    }
    TestCluster::enter(kHosts, argv);
    QCoreApplication app(argc, argv);
    const QString folder = QString::fromLocal8Bit(argv[1]), config = TestCluster::file("ssh_config");
    gigabitEverywhere();
    UserDesk desk;
    desk.environment.insert("LOCKSTEP_BUNDLE", folder);
    desk.setInventory((hosts().join('\n') + '\n').toLatin1());
    CableCount count(hosts());

    std::printf("%s to %d hosts, every cable 1 Gb/s\n", argv[1], kHosts);
    const double ours = deploy(desk, "lockstep deploy, nothing compressed", {}, count);
    deploy(desk, "lockstep deploy, unchanged", {}, count);
    clear();
    const double second = deploy(desk, "lockstep deploy, compressed before", {}, count);
    clear();
    const double relayed = deploy(desk, "lockstep deploy --relay", {"--relay"}, count);
    clear();
    const double scp =
        all("scp", [&](const QString& host) { return QStringList{"-q", "-r", "-F", config, folder, host + ":copy"}; });
    std::printf("%-34s %6.2f s, %.2f x ours\n", "scp -r", scp, scp / ours);
    clear();
    if (!QStandardPaths::findExecutable("rsync").isEmpty()) {
        const double rsync = all("rsync", [&](const QString& host) {
            return QStringList{"-rpz", "-e", "ssh -F " + config, folder, host + ":copy"};
        });
        std::printf("%-34s %6.2f s, %.2f x ours\n", "rsync -z", rsync, rsync / ours);
    }
    std::printf("relay against direct: %.2f x\n", second / relayed);
    return 0;
}
