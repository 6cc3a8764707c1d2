// SPDX-License-Identifier: GPL-3.0-or-later
// Faults in the middle of a stop of ranks that ignore TERM: the proof comes all the same, and nothing is left. Where a
// host is gone for good, the rest is proven and the host is named.
#include "tests/e2e/faultrun.h"
#include "tests/e2e/hostlook.h"
#include "tests/support/testcluster.h"

#include <QElapsedTimer>
#include <QTest>

#include <algorithm>

using namespace lockstep::test;
using namespace std::chrono_literals;

namespace {

constexpr auto kSayTime = 60s, kEndTime = 150s;

struct Fault {
    const char* name;
    const char* kind; // of testcluster.sh; or agent, desktop, verb
    const char* cure; // null: none
    int seconds;
};
constexpr Fault kFaults[] = {
    {"cut for 1 s", "cut", "heal", 1},          {"cut for 8 s", "cut", "heal", 8},
    {"cut for 30 s", "cut", "heal", 30},        {"nothing comes in for 8 s", "deaf", "heal", 8},
    {"10 % loss", "lossy", "heal", 20},         {"sshd hangs for 8 s", "freeze", "thaw", 8},
    {"supervisor killed", "agent", nullptr, 0}, {"desktop killed", "desktop", nullptr, 0},
    {"power loss", "power", nullptr, 0},        {"`lockstep stop` killed", "verb", nullptr, 0},
};
constexpr int kFaultCount = static_cast<int>(std::size(kFaults));
constexpr int kStoppingMs = 60'000;
constexpr int kGraceS = 6; // all of it is used, and ten faults take about two seconds to come

bool isVerb(int fault)
{
    return std::string_view(kFaults[fault].kind) == "verb";
}

} // namespace

class TestFaultStop : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void bringsTheProof_data();
    void bringsTheProof();

private:
    void killTheVerb();

    std::vector<std::unique_ptr<FaultRun>> m_runs;
};

// With a long grace, in whose middle it is; the next one has less patience.
void TestFaultStop::killTheVerb()
{
    for (int i = 0; i < kFaultCount; ++i) {
        if (!isVerb(i))
            continue;
        FaultRun& run = *m_runs[static_cast<std::size_t>(i)];
        const auto verb = run.desk().start({"stop", run.id(), "--grace", "600"});
        for (const QString& host : {healthy(i), faulty(i)})
            QTRY_VERIFY_WITH_TIMEOUT(HostLook(host).spool(run.id()).contains("phase=stopping"), kStoppingMs);
        verb->killHard();
    }
}

void TestFaultStop::initTestCase()
{
    for (int i = 0; i < kFaultCount; ++i)
        m_runs.push_back(std::make_unique<FaultRun>(QStringList{healthy(i), faulty(i)}, "stubborn", kGraceS));
    for (const auto& run : m_runs)
        run->begin();
    for (const auto& run : m_runs)
        run->awaitRunning();
    killTheVerb();
    for (int i = 0; i < kFaultCount; ++i)
        if (!isVerb(i))
            m_runs[static_cast<std::size_t>(i)]->program().interrupt();
    for (int i = 0; i < kFaultCount; ++i) {
        Program& program = m_runs[static_cast<std::size_t>(i)]->program();
        QVERIFY2(isVerb(i) || program.says("Stopping the run", kSayTime), program.said());
    }
    QElapsedTimer clock;
    clock.start();
    for (int i = 0; i < kFaultCount; ++i) {
        const QString kind = QString::fromLatin1(kFaults[i].kind);
        if (kind == QLatin1String("agent"))
            FaultRun::killSupervisor(faulty(i));
        else if (kind == QLatin1String("desktop"))
            m_runs[static_cast<std::size_t>(i)]->program().killHard();
        else if (!isVerb(i))
            TestCluster::fault(kind, faulty(i));
    }
    int order[kFaultCount];
    for (int i = 0; i < kFaultCount; ++i)
        order[i] = i;
    std::ranges::stable_sort(order, {}, [](int i) { return kFaults[i].seconds; });
    for (const int i : order) {
        QTest::qWait(std::max<int>(0, kFaults[i].seconds * 1000 - static_cast<int>(clock.elapsed())));
        if (kFaults[i].cure)
            TestCluster::fault(QString::fromLatin1(kFaults[i].cure), faulty(i));
    }
}

void TestFaultStop::bringsTheProof_data()
{
    QTest::addColumn<int>("fault");
    for (int i = 0; i < kFaultCount; ++i)
        QTest::newRow(kFaults[i].name) << i;
}

void TestFaultStop::bringsTheProof()
{
    QFETCH(int, fault);
    FaultRun& run = *m_runs[static_cast<std::size_t>(fault)];
    const QLatin1String kind(kFaults[fault].kind);
    const bool powerless = kind == QLatin1String("power");
    const Answer answer = kind == QLatin1String("desktop") ? run.desk().ask({"stop", "last", "--json"})
                          : isVerb(fault)                  ? run.desk().ask({"stop", "last", "--grace", "1", "--json"})
                                                           : run.program().end(kEndTime);
    QVERIFY2(answer.exitCode >= 0, answer.err);
    const QString proof = answer.object()["proof"].toString();
    if (powerless) {
        QCOMPARE(answer.exitCode, 1);
        QCOMPARE(proof, QStringLiteral("1 of 2 ranks gone, 0 left behind; no answer yet from %1").arg(faulty(fault)));
    } else {
        QCOMPARE(proof, QStringLiteral("2 of 2 ranks gone, 0 left behind"));
        QVERIFY2(run.isGone(faulty(fault)), qPrintable(FaultRun::processes(faulty(fault)).join(u'\n')));
    }
    QVERIFY2(run.isGone(healthy(fault)), qPrintable(FaultRun::processes(healthy(fault)).join(u'\n')));
    if (!powerless && kind != QLatin1String("agent")) { // a supervisor that was killed says no last word of its ranks
        QCOMPARE(answer.object()["phase"].toString(), QStringLiteral("stopped"));
        QCOMPARE(run.difference(), QString());
    }
    if (isVerb(fault)) // which launched it and watched on
        QCOMPARE(run.program().end(kEndTime).object()["phase"].toString(), QStringLiteral("stopped"));
}

LOCKSTEP_CLUSTER_MAIN(TestFaultStop, 2 * kFaultCount)
#include "tst_e2efaultstop.moc"
