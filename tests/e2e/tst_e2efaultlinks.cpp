// SPDX-License-Identifier: GPL-3.0-or-later
// Faults of links and of sshd in the middle of a run: the ranks go on, the run ends as it would have, and not one byte
// of any spool is missing or doubled. All at the same time, each on two hosts of its own.
#include "tests/e2e/faultrun.h"
#include "tests/support/testcluster.h"

#include <QElapsedTimer>
#include <QTest>

#include <algorithm>

using namespace lockstep::test;
using namespace std::chrono_literals;

namespace {

constexpr auto kEndTime = 120s, kSayTime = 30s;

struct Fault {
    const char* name;
    const char* kind; // of testcluster.sh
    const char* cure;
    int seconds;
    bool said; // so long that the node is silent for more than a second
};
constexpr Fault kFaults[] = {
    {"cut for 1 s", "cut", "heal", 1, false},
    {"cut for 8 s", "cut", "heal", 8, true},
    {"cut for 30 s", "cut", "heal", 30, true},
    {"nothing comes in for 8 s", "deaf", "heal", 8, true},
    {"nothing goes out for 8 s", "mute", "heal", 8, true},
    {"10 % loss for 30 s", "lossy", "heal", 30, false},
    {"sshd hangs for 8 s", "freeze", "thaw", 8, true},
};
constexpr int kFaultCount = static_cast<int>(std::size(kFaults));

} // namespace

class TestFaultLinks : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void losesNothing_data();
    void losesNothing();

private:
    struct Seen {
        int stepsBefore = 0, stepsAfter = 0; // on the faulty host, while it was cut off
    };
    std::vector<std::unique_ptr<FaultRun>> m_runs;
    Seen m_seen[kFaultCount];
};

void TestFaultLinks::initTestCase()
{
    for (int i = 0; i < kFaultCount; ++i)
        m_runs.push_back(std::make_unique<FaultRun>(QStringList{healthy(i), faulty(i)}, "steady"));
    for (const auto& run : m_runs)
        run->begin();
    for (const auto& run : m_runs)
        run->awaitRunning();
    int order[kFaultCount];
    for (int i = 0; i < kFaultCount; ++i)
        order[i] = i;
    std::ranges::stable_sort(order, {}, [](int i) { return kFaults[i].seconds; });
    QElapsedTimer clock;
    clock.start();
    for (int i = 0; i < kFaultCount; ++i) {
        m_seen[i].stepsBefore = m_runs[static_cast<std::size_t>(i)]->steps(faulty(i));
        TestCluster::fault(QString::fromLatin1(kFaults[i].kind), faulty(i));
    }
    for (const int i : order) { // the shortest first
        QTest::qWait(std::max<int>(0, kFaults[i].seconds * 1000 - static_cast<int>(clock.elapsed())));
        m_seen[i].stepsAfter = m_runs[static_cast<std::size_t>(i)]->steps(faulty(i));
        TestCluster::fault(QString::fromLatin1(kFaults[i].cure), faulty(i));
    }
}

void TestFaultLinks::losesNothing_data()
{
    QTest::addColumn<int>("fault");
    for (int i = 0; i < kFaultCount; ++i)
        QTest::newRow(kFaults[i].name) << i;
}

void TestFaultLinks::losesNothing()
{
    QFETCH(int, fault);
    FaultRun& run = *m_runs[static_cast<std::size_t>(fault)];
    QVERIFY2(m_seen[fault].stepsAfter > m_seen[fault].stepsBefore, "the ranks went on without the link");
    QVERIFY2(run.program().isRunning(), run.program().said());
    if (kFaults[fault].said) {
        QVERIFY2(run.program().said().contains(faulty(fault).toUtf8() + " is silent"), run.program().said());
        QVERIFY2(run.program().says(faulty(fault).toUtf8() + " is heard again", kSayTime), run.program().said());
    }
    run.letEnd();
    const Answer answer = run.program().end(kEndTime);
    QVERIFY2(answer.exitCode == 0, answer.err);
    QCOMPARE(answer.object()["phase"].toString(), QStringLiteral("finished"));
    QCOMPARE(answer.object()["proof"].toString(), QStringLiteral("2 of 2 ranks gone, 0 left behind"));
    QCOMPARE(run.difference(), QString());
    for (const QString& host : {healthy(fault), faulty(fault)})
        QVERIFY2(run.isGone(host), qPrintable(FaultRun::processes(host).join(u'\n')));
}

LOCKSTEP_CLUSTER_MAIN(TestFaultLinks, 2 * kFaultCount)
#include "tst_e2efaultlinks.moc"
