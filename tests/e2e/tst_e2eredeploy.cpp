// SPDX-License-Identifier: GPL-3.0-or-later
// An unchanged bundle costs a comparison, no second sending: counted on the cable, not by Lockstep.
#include "tests/e2e/cablecount.h"
#include "tests/e2e/hostlook.h"
#include "tests/e2e/userdesk.h"
#include "tests/support/testcluster.h"

#include <QElapsedTimer>
#include <QTest>

using namespace lockstep::test;
using namespace std::chrono_literals;

namespace {

constexpr auto kStepTime = 180s;
constexpr qint64 kRedeployBytes = 100'000;       // promised, a node
constexpr qint64 kLeastDeployBytes = 50'000'000; // the CPU bundle is about 100 MB compressed
constexpr auto kNotSentAgain = 10s;              // only tells a second sending from none; printed is what it took
constexpr char kSpec[] = R"(
name = "twice"
nodes = "n*"

[trainer]
model = "mlp"
data = "synthetic"
steps = 2
threads = 1
)";
const QStringList kHosts{"n1", "n2"};

struct Deployed {
    qint64 ms = 0;
    QList<CableCount::Bytes> bytes; // of each host, for the whole of the run
};

Deployed deploy(const UserDesk& desk, const QString& spec, CableCount& count)
{
    count.reset();
    const auto run = desk.start({"run", spec, "--json"});
    if (!run->says(": deploying", kStepTime))
        qFatal("no deploying: %s", run->said().constData());
    QElapsedTimer clock;
    clock.start();
    if (!run->says(": starting", kStepTime))
        qFatal("no starting: %s", run->said().constData());
    Deployed deployed{clock.elapsed(), {}};
    const Answer answer = run->end(kStepTime);
    if (answer.exitCode != 0)
        qFatal("the run failed: %s", answer.err.constData());
    for (const QString& host : kHosts)
        deployed.bytes << count.of(host);
    return deployed;
}

} // namespace

class TestRedeploy : public QObject {
    Q_OBJECT

private slots:
    void sendsNothingTwice();
};

void TestRedeploy::sendsNothingTwice()
{
    UserDesk desk;
    desk.setInventory("n1\nn2\n");
    const QString spec = desk.writeSpec(kSpec);
    CableCount count(kHosts);
    const Deployed first = deploy(desk, spec, count), second = deploy(desk, spec, count);
    for (qsizetype i = 0; i < kHosts.size(); ++i) {
        qInfo("%s: first run %lld bytes sent, %lld received; second %lld sent, %lld received", qPrintable(kHosts[i]),
              static_cast<long long>(first.bytes[i].sent), static_cast<long long>(first.bytes[i].received),
              static_cast<long long>(second.bytes[i].sent), static_cast<long long>(second.bytes[i].received));
        QVERIFY(first.bytes[i].sent > kLeastDeployBytes); // the count counts
        QVERIFY(second.bytes[i].sent + second.bytes[i].received < kRedeployBytes);
    }
    qInfo("deploying took %lld ms the first time, %lld ms the second", static_cast<long long>(first.ms),
          static_cast<long long>(second.ms));
    QVERIFY(std::chrono::milliseconds(second.ms) < kNotSentAgain);
}

LOCKSTEP_CLUSTER_MAIN(TestRedeploy, 2)
#include "tst_e2eredeploy.moc"
