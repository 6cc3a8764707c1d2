// SPDX-License-Identifier: GPL-3.0-or-later
// bench_deploycluster FOLDER: the first deploy of a bundle (bundle-cpu/ of a build) to 8 hosts of the namespace
// cluster, every cable 1 Gb/s, direct and with a relay, and beside them scp and rsync of the same folder, all 8 at
// once; then a deploy of the unchanged bundle. All hosts share this machine's cores: where they are what limits, a
// relay gains nothing, so it is measured again with the desktop's cable at 100 Mb/s. Needs scp and tc; rsync where it
// is installed.
#include "remote/deployahead.h"
#include "remote/iothread.h"
#include "remote/sshtransport.h"
#include "tests/support/testcluster.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>

#include <cstdio>

using namespace lockstep;
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

void shape(const QStringList& words, const QString& rate)
{
    QProcess tc;
    tc.start(words.first(),
             words.mid(1) + QStringList{"root", "tbf", "rate", rate, "burst", "512k", "latency", "50ms"});
    if (!tc.waitForFinished() || tc.exitCode() != 0)
        qFatal("tc: %s", tc.readAllStandardError().constData());
}

void shapeDesktop(const QString& rate)
{
    shape({"tc", "qdisc", "replace", "dev", "eth0"}, rate);
}

void shapeHosts(const QString& rate)
{
    for (const QString& host : hosts()) {
        shape({"nsenter", "--net=/run/netns/switch", "tc", "qdisc", "replace", "dev", host}, rate);
        shape({"nsenter", "--net=/run/netns/" + host, "tc", "qdisc", "replace", "dev", "eth0"}, rate);
    }
}

void clear()
{
    for (const QString& host : hosts())
        if (TestCluster::exec(host, "rm -rf /home/trainer/.cache /home/trainer/copy").exitCode != 0)
            qFatal("%s: what was sent before cannot be removed", qPrintable(host));
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

double deploy(const RunParts& parts, const char* what, Relay relay)
{
    DeployAhead order;
    for (const QString& host : hosts())
        order.nodes.append(TestCluster::node(host));
    order.relay = relay;
    QElapsedTimer clock;
    clock.start();
    const auto deployed = deployAhead(parts, order, {});
    const double seconds = static_cast<double>(clock.elapsed()) / 1000;
    if (!deployed)
        qFatal("%s", qPrintable(deployed.error().text));
    qint64 sent = 0, received = 0;
    int passedOn = 0;
    for (const DeployedNode& node : *deployed) {
        if (!node.result)
            qFatal("%s", qPrintable(node.result.error().text));
        sent += node.result->bytesSent;
        received += node.result->bytesReceived;
        passedOn += node.passedOn ? 1 : 0;
    }
    std::printf("%-28s %6.2f s; %.2f MB sent and %.2f MB received by the desktop a node, %d passed on\n", what, seconds,
                static_cast<double>(sent) / 1e6 / kHosts, static_cast<double>(received) / 1e6 / kHosts, passedOn);
    std::fflush(stdout);
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
    const QString folder = QString::fromLocal8Bit(argv[1]), config = TestCluster::file(QStringLiteral("ssh_config"));
    shapeDesktop("1gbit");
    shapeHosts("1gbit");
    const QTemporaryDir cache;
    IoThread io;
    RunParts parts;
    parts.transports = [&io](const Node& node) -> std::unique_ptr<Transport> {
        return std::make_unique<SshTransport>(node, io, TestCluster::settings());
    };
    parts.agentFile = QStringLiteral(LOCKSTEP_BIN_DIR "/lockstep-agent");
    parts.bundleFolder = folder;
    parts.cacheFolder = cache.path();

    std::printf("%s to %d hosts, every cable 1 Gb/s\n", argv[1], kHosts);
    const double first = deploy(parts, "first, nothing compressed", Relay::Off);
    deploy(parts, "unchanged", Relay::Off);
    clear();
    const double direct = deploy(parts, "first, compressed before", Relay::Off);
    clear();
    const double relayed = deploy(parts, "the same with a relay", Relay::On);
    clear();
    const double scp = all(QStringLiteral("scp"), [&](const QString& host) {
        return QStringList{"-q", "-r", "-F", config, folder, host + ":copy"};
    });
    std::printf("%-28s %6.2f s, %.2f x ours\n", "scp -r", scp, scp / first);
    clear();
    if (!QStandardPaths::findExecutable(QStringLiteral("rsync")).isEmpty()) {
        const double rsync = all(QStringLiteral("rsync"), [&](const QString& host) {
            return QStringList{"-rpz", "-e", "ssh -F " + config, folder, host + ":copy"};
        });
        std::printf("%-28s %6.2f s, %.2f x ours\n", "rsync -z", rsync, rsync / first);
    }
    std::printf("relay: %.2f x the speed of direct\n", direct / relayed);
    shapeDesktop("100mbit");
    clear();
    const double slowDirect = deploy(parts, "desktop at 100 Mb/s", Relay::Off);
    clear();
    const double slowRelayed = deploy(parts, "the same with a relay", Relay::On);
    std::printf("relay: %.2f x the speed of direct\n", slowDirect / slowRelayed);
    return 0;
}
