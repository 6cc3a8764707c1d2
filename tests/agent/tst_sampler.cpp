// SPDX-License-Identifier: GPL-3.0-or-later
// The sampler with the real child process and the scripted driver. Its clock is the test's, so that minutes of waiting
// for a sick driver take no time; what the child does is waited for.
#include "nvml_script.h"
#include "remote/agent/sampler.h"

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTemporaryFile>
#include <QTest>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

using namespace lockstep;
using namespace lockstep::test;

namespace {

constexpr std::int64_t kSecondUs = 1'000'000;
const QString kAll = QStringLiteral("gpus");
const QString kGpu = QStringLiteral("gpu:GPU-aaaa");
const QByteArray kOneGpu = "driver 570.86.15\ngpus 1\ngpu 0 name NVIDIA H200\ngpu 0 uuid GPU-aaaa\ngpu 0 util 97\n";

bool isGone(pid_t pid)
{
    return ::kill(pid, 0) != 0 && errno == ESRCH;
}

// A GpuProcess with its driver, and a clock that the test moves.
class Bench {
public:
    explicit Bench(const QByteArray& script, Driver driver = Driver::New,
                   const QString& program = QStringLiteral(LOCKSTEP_BIN_DIR "/lockstep-agent"))
    {
        play(script);
        qputenv("FAKE_NVML_SCRIPT", m_script.filePath(QStringLiteral("script")).toLocal8Bit());
        qputenv("LD_LIBRARY_PATH", driverFolder(driver).toLocal8Bit());
        qputenv("PATH", "/nonexistent");
        agent::GpuProcessOptions options;
        options.program = program.toStdString();
        process.emplace(options);
    }
    void play(const QByteArray& script)
    {
        QFile file(m_script.filePath(QStringLiteral("script")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(script);
    }
    void tick()
    {
        nowUs += kSecondUs;
        process->tick(out, nowUs);
    }
    void ticks(int seconds)
    {
        for (int second = 0; second < seconds; ++second)
            tick();
    }
    // Hears the child in real time, with the test's clock standing still, until `isEnough`.
    template <typename Condition>
    bool hear(Condition isEnough)
    {
        QElapsedTimer time;
        time.start();
        while (!isEnough() && time.elapsed() < 20'000) {
            pollfd waiting{process->pollFd(), POLLIN, 0};
            ::poll(&waiting, 1, 20);
            process->readable(out, nowUs);
        }
        return isEnough();
    }
    [[nodiscard]] QList<Sample> samples(const QString& id) const
    {
        return samplesOf(samplesIn(QByteArray::fromStdString(out)), id);
    }
    [[nodiscard]] QString lastError() const
    {
        const QList<Sample> about = samples(kAll);
        return about.isEmpty() ? QString() : about.last().values.value(QStringLiteral("error"));
    }

    std::optional<agent::GpuProcess> process;
    std::string out;
    std::int64_t nowUs = kSecondUs;

private:
    QTemporaryDir m_script;
};

} // namespace

class TestSampler : public QObject {
    Q_OBJECT

private slots:
    void init();
    void samplesArrive();
    void aStallIsEndedAndTriedAgainEverLater();
    void aDriverThatNeverAnswersIsGivenLonger();
    void noGpuIsSaidOnceAndNotAskedAgain();
    void aDriverThatFailsIsTriedAgain();
    void aReaderThatDiesIsNamedAndStartedAgain();
    void somebodyElseMayReapIt();
    void anAbsenceOfOursIsNotItsSilence();
    void aProgramThatIsNotThere();
    void theChildIsNoProcessOfTheRun();
    void theChildEndsWithItsParent();
    void hostGoesOnWhileTheDriverStalls();
};

void TestSampler::init()
{
    qunsetenv("LOCKSTEP_RUN");
}

void TestSampler::samplesArrive()
{
    Bench bench(kOneGpu);
    QCOMPARE(bench.process->pollFd(), -1);
    bench.tick();
    QVERIFY(bench.process->pollFd() >= 0);
    QVERIFY(bench.hear([&] { return bench.samples(kGpu).size() >= 2; }));
    QCOMPARE(bench.samples(kGpu).first().number(QStringLiteral("util")), 97.0);
    QVERIFY(bench.out.ends_with('\n'));
    QVERIFY(bench.samples(kAll).isEmpty());
}

void TestSampler::aStallIsEndedAndTriedAgainEverLater()
{
    Bench bench(kOneGpu + "0.5 stall 60\n");
    bench.tick();
    QVERIFY(bench.hear([&] { return !bench.samples(kGpu).isEmpty(); }));
    const pid_t first = bench.process->pid();
    bench.ticks(2);
    QVERIFY(bench.samples(kAll).isEmpty());
    QCOMPARE(bench.process->pid(), first);
    bench.ticks(1);
    QCOMPARE(bench.samples(kAll).size(), 1);
    QVERIFY2(bench.lastError().contains(QStringLiteral("not answered for 3 s")), qPrintable(bench.lastError()));
    QVERIFY2(bench.lastError().contains(QStringLiteral("Xid")), qPrintable(bench.lastError()));
    QTRY_VERIFY((bench.tick(), bench.process->pid() == 0));
    QVERIFY(isGone(first));
    QCOMPARE(bench.process->pollFd(), -1);

    // It recovers: the next start after 10 s reads again.
    bench.play(kOneGpu);
    QTRY_VERIFY((bench.tick(), bench.process->pid() != 0));
    QVERIFY2(bench.nowUs >= 13 * kSecondUs, qPrintable(QString::number(bench.nowUs)));
    const qsizetype before = bench.samples(kGpu).size();
    QVERIFY(bench.hear([&] { return bench.samples(kGpu).size() > before; }));
    QCOMPARE(bench.samples(kAll).size(), 1);
}

void TestSampler::aDriverThatNeverAnswersIsGivenLonger()
{
    Bench bench("stall 60\n");
    bench.tick();
    bench.ticks(14);
    QVERIFY(bench.samples(kAll).isEmpty());
    bench.ticks(1);
    QCOMPARE(bench.samples(kAll).size(), 1);
    QVERIFY2(bench.lastError().contains(QStringLiteral("15 s")), qPrintable(bench.lastError()));

    // From one start to the next: the 15 s until it is given up, and 10, 30, 60, 60 s.
    QList<qint64> pauses;
    for (int round = 0; round < 4; ++round) {
        QTRY_VERIFY((bench.tick(), bench.process->pid() == 0));
        const std::int64_t endUs = bench.samples(kAll).last().timeUs;
        while (bench.process->pid() == 0)
            bench.tick();
        pauses.append((bench.nowUs - endUs) / kSecondUs);
        bench.ticks(15);
    }
    QCOMPARE(bench.samples(kAll).size(), 5);
    const QList<qint64> least = {10, 30, 60, 60};
    for (qsizetype at = 0; at < least.size(); ++at)
        QVERIFY2(pauses.at(at) >= least.at(at), qPrintable(QString::number(pauses.at(at))));
}

void TestSampler::noGpuIsSaidOnceAndNotAskedAgain()
{
    Bench bench({}, Driver::None);
    bench.tick();
    QVERIFY(bench.hear([&] { return bench.process->pollFd() < 0; }));
    QTRY_VERIFY((bench.tick(), bench.process->pid() == 0));
    bench.ticks(600);
    QCOMPARE(bench.process->pid(), 0);
    QCOMPARE(bench.samples(kAll).size(), 1);
    QCOMPARE(bench.samples(kAll).first().values.value(QStringLiteral("note")),
             QStringLiteral("none found: libnvidia-ml.so.1 is not installed"));
}

void TestSampler::aDriverThatFailsIsTriedAgain()
{
    Bench bench("init 9\n");
    bench.tick();
    QVERIFY(bench.hear([&] { return bench.process->pollFd() < 0; }));
    QTRY_VERIFY((bench.tick(), bench.process->pid() == 0));
    QCOMPARE(bench.samples(kAll).size(), 1);
    QVERIFY2(bench.lastError().contains(QStringLiteral("Driver Not Loaded")), qPrintable(bench.lastError()));
    bench.play(kOneGpu); // somebody loads it
    QTRY_VERIFY((bench.tick(), bench.process->pid() != 0));
    QVERIFY(bench.hear([&] { return !bench.samples(kGpu).isEmpty(); }));
}

void TestSampler::aReaderThatDiesIsNamedAndStartedAgain()
{
    Bench bench(kOneGpu);
    bench.tick();
    QVERIFY(bench.hear([&] { return !bench.samples(kGpu).isEmpty(); }));
    ::kill(bench.process->pid(), SIGSEGV);
    QVERIFY(bench.hear([&] { return bench.process->pollFd() < 0; }));
    QTRY_VERIFY((bench.tick(), bench.process->pid() == 0));
    // A sanitizer turns the signal into an exit code of its own.
    QVERIFY2(bench.lastError().contains(QStringLiteral("signal 11")) ||
                 bench.lastError().contains(QStringLiteral("code")),
             qPrintable(bench.lastError()));
    QTRY_VERIFY((bench.tick(), bench.process->pid() != 0));
}

void TestSampler::somebodyElseMayReapIt()
{
    Bench bench(kOneGpu);
    bench.tick();
    QVERIFY(bench.hear([&] { return !bench.samples(kGpu).isEmpty(); }));
    const pid_t pid = bench.process->pid();
    ::kill(pid, SIGKILL);
    QCOMPARE(::waitpid(-1, nullptr, 0), pid); // as a subreaper does
    QVERIFY(bench.hear([&] { return bench.process->pollFd() < 0; }));
    bench.tick();
    QCOMPARE(bench.process->pid(), 0);
    QVERIFY2(bench.lastError().contains(QStringLiteral("ended by itself")), qPrintable(bench.lastError()));
    QTRY_VERIFY((bench.tick(), bench.process->pid() != 0));
}

void TestSampler::anAbsenceOfOursIsNotItsSilence()
{
    Bench bench(kOneGpu + "0.5 stall 60\n");
    bench.tick();
    QVERIFY(bench.hear([&] { return !bench.samples(kGpu).isEmpty(); }));
    bench.nowUs += 100 * kSecondUs; // the machine was suspended
    bench.ticks(3);
    QVERIFY(bench.samples(kAll).isEmpty());
    bench.ticks(1);
    QCOMPARE(bench.samples(kAll).size(), 1);
}

void TestSampler::aProgramThatIsNotThere()
{
    Bench bench({}, Driver::New, QStringLiteral("/nonexistent/lockstep-agent"));
    bench.tick();
    QVERIFY2(
        bench.lastError().contains(QStringLiteral("/nonexistent/lockstep-agent could not be started: No such file")),
        qPrintable(bench.lastError()));
    QCOMPARE(bench.process->pollFd(), -1);
    bench.ticks(5);
    QCOMPARE(bench.samples(kAll).size(), 1);
}

void TestSampler::theChildIsNoProcessOfTheRun()
{
    qputenv("LOCKSTEP_RUN", "20261129-160401-demo");
    Bench bench(kOneGpu);
    bench.tick();
    QVERIFY(bench.hear([&] { return !bench.samples(kGpu).isEmpty(); }));
    QFile environment(QStringLiteral("/proc/%1/environ").arg(bench.process->pid()));
    QVERIFY(environment.open(QIODevice::ReadOnly));
    const QByteArray all = environment.readAll();
    QVERIFY(all.contains("FAKE_NVML_SCRIPT="));
    QVERIFY2(!all.contains("LOCKSTEP_RUN="), all.constData());
}

void TestSampler::theChildEndsWithItsParent()
{
    Bench bench(kOneGpu);
    bench.tick();
    QVERIFY(bench.hear([&] { return !bench.samples(kGpu).isEmpty(); }));
    const pid_t pid = bench.process->pid();
    bench.process.reset();
    QVERIFY(isGone(pid));
}

void TestSampler::hostGoesOnWhileTheDriverStalls()
{
    const Bench environment("stall 60\n");
    agent::SamplerOptions options;
    options.gpus.program = LOCKSTEP_BIN_DIR "/lockstep-agent";
    agent::Sampler sampler(options);
    std::string out;
    QElapsedTimer time;
    time.start();
    for (int second = 1; second <= 40; ++second)
        sampler.tick(out, second * kSecondUs);
    QVERIFY2(time.elapsed() < 30'000, qPrintable(QString::number(time.elapsed()))); // the driver stalls for 60 s
    const QList<Sample> samples = samplesIn(QByteArray::fromStdString(out));
    QCOMPARE(samplesOf(samples, QStringLiteral("cpu")).size(), 40);
    QCOMPARE(samplesOf(samples, QStringLiteral("disk:/var/tmp")).size(), 40);
    QVERIFY(samplesOf(samples, kAll).size() >= 1);
}

QTEST_GUILESS_MAIN(TestSampler)
#include "tst_sampler.moc"
