// SPDX-License-Identifier: GPL-3.0-or-later
// Connect, sign in and run `true` on 64 hosts (or as many as the first argument says) at once, then again on the open
// connections; beside `ssh` started by xargs, pdsh and clush (where they are installed) on the same hosts. Best of
// five. `ssh -G` is part of our time, as it is of ssh's own.
#include "remote/iothread.h"
#include "remote/sshtransport.h"
#include "tests/support/testcluster.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QProcess>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

using namespace lockstep;
using namespace lockstep::test;
using namespace std::chrono_literals;

namespace {

constexpr int kHosts = 64;
constexpr int kRounds = 5;

struct Rival {
    const char* name;
    const char* command; // for sh
    double bestS = 1e9;
};

struct Times {
    double connectS = 1e9, againS = 1e9;
    std::vector<Rival> rivals{
        {"ssh by xargs", "xargs -P64 -I@ ssh -F $LOCKSTEP_CLUSTER/ssh_config @ true < $LOCKSTEP_CLUSTER/hosts"},
        {"pdsh",
         "PDSH_SSH_ARGS_APPEND=\"-F $LOCKSTEP_CLUSTER/ssh_config\" pdsh -R ssh -f 64 -w ^$LOCKSTEP_CLUSTER/hosts "
         "true"},
        {"clush", "clush -f 64 -o \"-F $LOCKSTEP_CLUSTER/ssh_config\" --hostfile $LOCKSTEP_CLUSTER/hosts true"}};
};

double seconds(const QElapsedTimer& clock)
{
    return static_cast<double>(clock.nsecsElapsed()) / 1e9;
}

int runTrueEverywhere(const std::vector<std::unique_ptr<SshTransport>>& nodes)
{
    std::atomic<int> done = 0;
    std::vector<std::jthread> threads;
    for (const auto& node : nodes)
        threads.emplace_back([&done, &node] {
            if (auto ran = node->run({"true"}, {}, Deadline::in(60s), {}); ran && ran->exitCode == 0)
                ++done;
        });
    threads.clear();
    return done;
}

bool round(Times& best, int hosts)
{
    IoThread io;
    std::vector<std::unique_ptr<SshTransport>> nodes;
    for (int i = 1; i <= hosts; ++i)
        nodes.push_back(std::make_unique<SshTransport>(TestCluster::node(QStringLiteral("n%1").arg(i)), io,
                                                       TestCluster::settings()));
    QElapsedTimer clock;
    clock.start();
    const int first = runTrueEverywhere(nodes);
    best.connectS = std::min(best.connectS, seconds(clock));
    clock.start();
    const int second = runTrueEverywhere(nodes);
    best.againS = std::min(best.againS, seconds(clock));

    for (Rival& rival : best.rivals) {
        QProcess process;
        clock.start();
        process.start("sh", {"-c", rival.command});
        process.waitForFinished(-1);
        if (process.exitCode() == 0)
            rival.bestS = std::min(rival.bestS, seconds(clock));
    }
    return first == hosts && second == hosts;
}

} // namespace

int main(int argc, char** argv)
{
    const int hosts = argc > 1 ? std::max(1, std::atoi(argv[1])) : kHosts;
    TestCluster::enter(hosts, argv);
    const QCoreApplication app(argc, argv);
    Times best;
    for (int i = 0; i < kRounds; ++i) {
        if (!round(best, hosts)) {
            std::puts("a host did not answer");
            return 1;
        }
    }
    std::printf("%d hosts: connected and answering %.3f s, again on the open connections %.3f s\n", hosts,
                best.connectS, best.againS);
    for (const Rival& rival : best.rivals) {
        if (rival.bestS < 1e8)
            std::printf("%-12s %.3f s, %.1f times ours\n", rival.name, rival.bestS, rival.bestS / best.connectS);
        else
            std::printf("%-12s not installed, or failed\n", rival.name);
    }
    return 0;
}
