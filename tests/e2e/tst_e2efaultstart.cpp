// SPDX-License-Identifier: GPL-3.0-or-later
// Faults between `prepared` and `go`: the run starts on both of its hosts, or nothing of it runs on any. The first host
// has a login shell that prints, and sleeps before the agent's `launch` until the fault has met the second one, which
// is prepared long before.
#include "tests/e2e/faultrun.h"
#include "tests/e2e/hostlook.h"
#include "tests/support/testcluster.h"

#include <QDir>
#include <QElapsedTimer>
#include <QTest>

#include <algorithm>
#include <functional>

using namespace lockstep::test;
using namespace std::chrono_literals;

namespace {

constexpr auto kStartTime = 90s, kEndTime = 150s;
constexpr int kPrepareMs = 90'000;

struct Fault {
    const char* name;
    const char* kind; // of testcluster.sh; or agent, program
    const char* cure; // null: none
    int seconds;
    bool starts;
};
constexpr Fault kFaults[] = {
    {"cut for 1 s", "cut", "heal", 1, true},        {"cut for 8 s", "cut", "heal", 8, true},
    {"cut for 35 s", "cut", "heal", 35, false},     {"nothing goes out for 8 s", "mute", "heal", 8, true},
    {"10 % loss", "lossy", "heal", 20, true},       {"sshd hangs for 8 s", "freeze", "thaw", 8, true},
    {"host crashes", "crash", nullptr, 0, false},   {"supervisor killed", "agent", nullptr, 0, false},
    {"agent deleted", "program", nullptr, 0, true}, {"desktop killed", "desktop", nullptr, 0, false},
};
constexpr int kFaultCount = static_cast<int>(std::size(kFaults));

constexpr char kShell[] = R"(echo welcome
echo watch out >&2
case $BASH_EXECUTION_STRING in *launch*) until [ -e /tmp/harmed ]; do sleep 0.1; done ;; esac
)";

bool isPrepared(const QString& host) // the one run there
{
    const QDir runs(QFileInfo(HostLook(host).runFolder(QStringLiteral("any"))).path());
    const QStringList all = runs.entryList(QDir::Dirs | QDir::NoDotAndDotDot);
    return all.size() == 1 && HostLook(host).spool(all.first()).contains("phase=prepared");
}

bool crashed(int fault)
{
    return std::string_view(kFaults[fault].kind) == "crash";
}

} // namespace

class TestFaultStart : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void allOrNone_data();
    void allOrNone();

private:
    void harm(int fault);

    std::vector<std::unique_ptr<FaultRun>> m_runs;
};

void TestFaultStart::harm(int fault)
{
    const QString kind = QString::fromLatin1(kFaults[fault].kind), host = faulty(fault);
    if (kind == QLatin1String("agent"))
        FaultRun::killSupervisor(host);
    else if (kind == QLatin1String("program"))
        (void)TestCluster::exec(host, "rm -rf /home/trainer/.cache/lockstep/agent");
    else if (kind == QLatin1String("desktop"))
        m_runs[static_cast<std::size_t>(fault)]->program().killHard();
    else
        TestCluster::fault(kind, host);
}

void TestFaultStart::initTestCase()
{
    for (int i = 0; i < kFaultCount; ++i) {
        (void)TestCluster::exec(healthy(i), "cat > /home/trainer/.bashrc <<'END'\n" + QByteArray(kShell) + "END");
        m_runs.push_back(std::make_unique<FaultRun>(QStringList{healthy(i), faulty(i)}, "steady"));
    }
    for (const auto& run : m_runs)
        run->begin();
    // Each as soon as it is prepared, and healed when its time has passed.
    QElapsedTimer clock;
    clock.start();
    std::vector<qint64> healAt(kFaultCount, -1);
    std::vector<bool> healed(kFaultCount, false);
    const auto isDone = [&] {
        bool done = true;
        for (int i = 0; i < kFaultCount; ++i) {
            const auto at = static_cast<std::size_t>(i);
            if (healAt[at] < 0 && isPrepared(faulty(i))) {
                harm(i);
                (void)TestCluster::exec(healthy(i), "touch /tmp/harmed");
                healAt[at] = clock.elapsed() + kFaults[i].seconds * 1000;
            }
            if (healAt[at] >= 0 && !healed[at] && clock.elapsed() >= healAt[at]) {
                if (kFaults[i].cure)
                    TestCluster::fault(QString::fromLatin1(kFaults[i].cure), faulty(i));
                healed[at] = true;
            }
            done = done && healed[at];
        }
        return done;
    };
    QVERIFY(QTest::qWaitFor(isDone, kPrepareMs));
}

void TestFaultStart::allOrNone_data()
{
    QTest::addColumn<int>("fault");
    for (int i = 0; i < kFaultCount; ++i)
        QTest::newRow(kFaults[i].name) << i;
}

void TestFaultStart::allOrNone()
{
    QFETCH(int, fault);
    FaultRun& run = *m_runs[static_cast<std::size_t>(fault)];
    if (kFaults[fault].starts) {
        run.awaitRunning();
        run.letEnd();
        const Answer answer = run.program().end(kEndTime);
        QVERIFY2(answer.exitCode == 0, answer.err);
        QCOMPARE(run.difference(), QString());
    } else {
        const bool killed = std::string_view(kFaults[fault].kind) == "desktop";
        if (killed) { // nobody goes on with it: said, and found out on request
            QCOMPARE(run.desk().shown("last")["attempt"].toInt(), 1);
            const QJsonDocument runs = run.desk().ask({"runs", "--json"}).json();
            QCOMPARE(runs[0]["phase"].toString(), QStringLiteral("lost"));
        }
        const Answer answer = killed ? run.desk().ask({"attach", "last", "--json"}) : run.program().end(kEndTime);
        QVERIFY2(answer.exitCode == 1, answer.err + answer.out);
        QCOMPARE(answer.object()["phase"].toString(), QStringLiteral("failed"));
        QVERIFY2(!answer.err.contains(": running"), answer.err);
    }
    for (const QString& host : {healthy(fault), faulty(fault)})
        if (host != faulty(fault) || !crashed(fault))
            QVERIFY2(run.isGone(host), qPrintable(FaultRun::processes(host).join(u'\n')));
}

LOCKSTEP_CLUSTER_MAIN(TestFaultStart, 2 * kFaultCount)
#include "tst_e2efaultstart.moc"
