// SPDX-License-Identifier: GPL-3.0-or-later
// Connect, sign in and run `true` on 16 hosts at once, beside `ssh` started by xargs -P16 on the same hosts; then again
// on the open connections. Best of five. `ssh -G` is part of our time, as it is of ssh's own.
#include "remote/iothread.h"
#include "remote/sshtransport.h"
#include "tests/support/testcluster.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QProcess>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <memory>
#include <thread>
#include <vector>

using namespace lockstep;
using namespace lockstep::test;
using namespace std::chrono_literals;

namespace {

constexpr int kHosts = 16;
constexpr int kRounds = 5;

struct Times {
    double connectS = 1e9, againS = 1e9, sshS = 1e9;
};

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

bool round(Times& best)
{
    const auto seconds = [](const QElapsedTimer& clock) { return static_cast<double>(clock.nsecsElapsed()) / 1e9; };
    IoThread io;
    std::vector<std::unique_ptr<SshTransport>> nodes;
    for (int i = 1; i <= kHosts; ++i)
        nodes.push_back(std::make_unique<SshTransport>(TestCluster::node(QStringLiteral("n%1").arg(i)), io,
                                                       TestCluster::settings()));
    QElapsedTimer clock;
    clock.start();
    const int first = runTrueEverywhere(nodes);
    best.connectS = std::min(best.connectS, seconds(clock));
    clock.start();
    const int second = runTrueEverywhere(nodes);
    best.againS = std::min(best.againS, seconds(clock));

    QProcess ssh;
    clock.start();
    ssh.start("sh", {"-c", "xargs -P16 -I@ ssh -F $LOCKSTEP_CLUSTER/ssh_config @ true < $LOCKSTEP_CLUSTER/hosts"});
    ssh.waitForFinished(-1);
    best.sshS = std::min(best.sshS, seconds(clock));
    return first == kHosts && second == kHosts && ssh.exitCode() == 0;
}

} // namespace

int main(int argc, char** argv)
{
    TestCluster::enter(kHosts, argv);
    const QCoreApplication app(argc, argv);
    Times best;
    for (int i = 0; i < kRounds; ++i) {
        if (!round(best)) {
            std::puts("a host did not answer");
            return 1;
        }
    }
    std::printf("connect and run true on %d hosts: %.3f s\n", kHosts, best.connectS);
    std::printf("again on the open connections:    %.3f s\n", best.againS);
    std::printf("ssh by xargs -P16:                %.3f s\n", best.sshS);
    return 0;
}
