// SPDX-License-Identifier: GPL-3.0-or-later
// 64 hosts at once, whose ranks ignore TERM: all of their links are cut and healed in the middle of deploy, of the run
// and of the stop. All of them start, no record of any is missing or doubled, and all are proven gone.
#include "tests/e2e/faultrun.h"
#include "tests/e2e/hostlook.h"
#include "tests/support/testcluster.h"

#include <QTest>

#include <algorithm>

using namespace lockstep::test;
using namespace std::chrono_literals;

namespace {

constexpr int kHosts = 64;
constexpr auto kSayTime = 90s, kEndTime = 180s;
constexpr int kSilenceMs = 90'000;
constexpr int kShortCutMs = 2'000; // below what ends a TCP connection: what was on its way comes
constexpr int kGraceS = 10;        // of ranks that use all of it: the cut comes before the first of them is gone

QStringList allHosts()
{
    QStringList hosts;
    for (int i = 1; i <= kHosts; ++i)
        hosts << QStringLiteral("n%1").arg(i);
    return hosts;
}

bool saysOfAll(Program& program, const QByteArray& words)
{
    return std::ranges::all_of(
        allHosts(), [&](const QString& host) { return program.says('\n' + host.toUtf8() + words, kSayTime); });
}

// 1, 2, 3 ... up to the last step that the rank has said; else the number at which it is not so.
int firstGap(const QByteArray& spool)
{
    int wanted = 0;
    for (const QByteArray& line : spool.split('\n')) {
        const qsizetype at = line.indexOf(" step=");
        if (!line.startsWith("metric ") || at < 0)
            continue;
        ++wanted;
        if (line.mid(at + 6, line.indexOf(' ', at + 6) - at - 6).toInt() != wanted)
            return wanted;
    }
    return wanted > 0 ? 0 : 1;
}

} // namespace

class TestFaultMany : public QObject {
    Q_OBJECT

private slots:
    void deploy();
    void run();
    void stop();

private:
    [[nodiscard]] bool isProven(const QString& host) const;

    std::unique_ptr<FaultRun> m_run;
};

// As its supervisor has written it there, whether or not a link brings it here.
bool TestFaultMany::isProven(const QString& host) const
{
    return HostLook(host).spool(m_run->id()).contains("phase=ended");
}

void TestFaultMany::deploy()
{
    m_run = std::make_unique<FaultRun>(allHosts(), "stubborn", kGraceS);
    m_run->begin();
    QVERIFY2(m_run->program().says(": deploying", kSayTime), m_run->program().said());
    TestCluster::cut(allHosts());
    QTest::qWait(kShortCutMs);
    const bool allStarted = m_run->program().said().contains(": running");
    TestCluster::heal(allHosts());
    QVERIFY2(!allStarted, "nothing was left to deploy at the cut");
    m_run->awaitRunning(); // and every rank has taken steps
}

void TestFaultMany::run()
{
    TestCluster::cut(allHosts());
    QVERIFY2(saysOfAll(m_run->program(), " is silent; connecting again"), m_run->program().said());
    QHash<QString, int> before;
    for (const QString& host : allHosts())
        before[host] = m_run->steps(host);
    for (const QString& host : allHosts())
        QTRY_VERIFY2_WITH_TIMEOUT(m_run->steps(host) > before[host], qPrintable(host), kSilenceMs);
    TestCluster::heal(allHosts());
    QVERIFY2(saysOfAll(m_run->program(), " is heard again"), m_run->program().said());
}

void TestFaultMany::stop()
{
    m_run->program().interrupt();
    QVERIFY2(m_run->program().says("Stopping the run", kSayTime), m_run->program().said());
    TestCluster::cut(allHosts());
    const bool allProven = std::ranges::all_of(allHosts(), [this](const QString& host) { return isProven(host); });
    QTest::qWait(kShortCutMs);
    TestCluster::heal(allHosts());
    QVERIFY2(!allProven, "nothing was left to prove at the cut");
    const Answer answer = m_run->program().end(kEndTime);
    QCOMPARE(answer.object()["phase"].toString(), QStringLiteral("stopped"));
    QCOMPARE(answer.object()["proof"].toString(), QStringLiteral("64 of 64 ranks gone, 0 left behind"));
    QCOMPARE(m_run->difference(), QString());
    for (const QString& host : allHosts()) {
        QVERIFY2(m_run->isGone(host), qPrintable(FaultRun::processes(host).join(u'\n')));
        QVERIFY2(firstGap(m_run->desk().storedSpool(m_run->id(), host)) == 0, qPrintable(host));
    }
}

LOCKSTEP_CLUSTER_MAIN(TestFaultMany, kHosts)
#include "tst_e2efaultmany.moc"
