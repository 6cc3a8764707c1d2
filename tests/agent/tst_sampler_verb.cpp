// SPDX-License-Identifier: GPL-3.0-or-later
// `lockstep-agent sample` as the desktop runs it.
#include "nvml_script.h"

#include <QElapsedTimer>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <fcntl.h>
#include <signal.h>

using namespace lockstep;
using namespace lockstep::test;

namespace {

const QByteArray kOneGpu = "gpus 1\ngpu 0 name NVIDIA H200\ngpu 0 uuid GPU-aaaa\ngpu 0 util 97\n";
const QString kGpu = QStringLiteral("gpu:GPU-aaaa");
const QString kCpu = QStringLiteral("cpu");
const QString kAll = QStringLiteral("gpus");

class Agent {
public:
    Agent(Driver driver, const QByteArray& script)
    {
        QFile file(m_folder.filePath(QStringLiteral("script")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(script);
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("LD_LIBRARY_PATH"), driverFolder(driver));
        environment.insert(QStringLiteral("FAKE_NVML_SCRIPT"), file.fileName());
        environment.insert(QStringLiteral("PATH"), QStringLiteral("/nonexistent"));
        process.setProcessEnvironment(environment);
        process.start(QStringLiteral(LOCKSTEP_BIN_DIR "/lockstep-agent"), {QStringLiteral("sample")});
    }
    ~Agent()
    {
        process.kill();
        process.waitForFinished();
    }
    [[nodiscard]] QList<Sample> samples(const QString& id)
    {
        m_output += process.readAllStandardOutput();
        return samplesOf(samplesIn(m_output), id);
    }

    QProcess process;

private:
    QTemporaryDir m_folder;
    QByteArray m_output;
};

// What the desktop's side of the agent's stdout can do to it.
struct Pipe {
    Pipe()
    {
        int ends[2] = {-1, -1};
        if (::pipe2(ends, O_CLOEXEC) == 0) {
            readEnd = ends[0];
            writeEnd = ends[1];
        }
    }
    ~Pipe() { close(); }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;

    void fill() const
    {
        ::fcntl(writeEnd, F_SETFL, O_NONBLOCK);
        const QByteArray block(4096, '\n');
        while (::write(writeEnd, block.constData(), std::size_t(block.size())) > 0) {
        }
    }
    void startWriting(QProcess& agent) const
    {
        agent.setStandardOutputFile(
            QStringLiteral("/proc/%1/fd/%2").arg(QCoreApplication::applicationPid()).arg(writeEnd));
        agent.start(QStringLiteral(LOCKSTEP_BIN_DIR "/lockstep-agent"), {QStringLiteral("sample")});
        QVERIFY(agent.waitForStarted());
    }
    void close()
    {
        for (int* end : {&readEnd, &writeEnd}) {
            if (*end >= 0)
                ::close(std::exchange(*end, -1));
        }
    }

    int readEnd = -1;
    int writeEnd = -1;
};

QList<qint64> childrenOf(qint64 pid)
{
    QFile file(QStringLiteral("/proc/%1/task/%1/children").arg(pid));
    QList<qint64> children;
    if (file.open(QIODevice::ReadOnly)) {
        for (const QByteArray& word : file.readAll().simplified().split(' ')) {
            if (!word.isEmpty())
                children.append(word.toLongLong());
        }
    }
    return children;
}

} // namespace

class TestSamplerVerb : public QObject {
    Q_OBJECT

private slots:
    void samplesUntilItsInputEnds();
    void aStallDoesNotStopTheRest();
    void nothingIsLeftWhenItIsKilled();
    void aReaderThatIsGoneEndsIt();
    void aReaderThatDoesNotReadDoesNotHoldIt();
};

void TestSamplerVerb::samplesUntilItsInputEnds()
{
    Agent agent(Driver::New, kOneGpu);
    QTRY_VERIFY_WITH_TIMEOUT(agent.samples(kCpu).size() >= 3 && agent.samples(kGpu).size() >= 2, 30'000);
    const QList<Sample> cpu = agent.samples(kCpu);
    QVERIFY(!cpu.at(0).has(QStringLiteral("util")));
    QVERIFY(cpu.at(1).has(QStringLiteral("util")));
    QVERIFY(cpu.at(1).number(QStringLiteral("mem_total")) > 0.0);
    QVERIFY(agent.samples(QStringLiteral("net:lo")).isEmpty());
    QCOMPARE(agent.samples(kGpu).first().number(QStringLiteral("util")), 97.0);
    const QList<qint64> children = childrenOf(agent.process.processId());
    QCOMPARE(children.size(), 1);
    agent.process.closeWriteChannel();
    QVERIFY(agent.process.waitForFinished());
    QCOMPARE(agent.process.exitCode(), 0);
    QTRY_VERIFY(::kill(static_cast<pid_t>(children.first()), 0) != 0);
}

void TestSamplerVerb::aStallDoesNotStopTheRest()
{
    Agent agent(Driver::New, kOneGpu + "1.5 stall 600\n");
    QTRY_VERIFY_WITH_TIMEOUT(!agent.samples(kAll).isEmpty(), 60'000);
    const Sample error = agent.samples(kAll).first();
    QVERIFY2(error.values.value(QStringLiteral("error")).contains(QStringLiteral("not answered for 3 s")),
             qPrintable(error.values.value(QStringLiteral("error"))));
    QVERIFY(agent.samples(kGpu).size() >= 1);
    const qsizetype before = agent.samples(kCpu).size();
    QVERIFY(before >= 4);
    QTRY_VERIFY_WITH_TIMEOUT(agent.samples(kCpu).size() >= before + 2, 30'000);
    QVERIFY(childrenOf(agent.process.processId()).isEmpty());
}

void TestSamplerVerb::nothingIsLeftWhenItIsKilled()
{
    Agent agent(Driver::New, kOneGpu + "0.5 stall 600\n"); // so that it cannot notice by itself
    QTRY_VERIFY_WITH_TIMEOUT(!agent.samples(kGpu).isEmpty(), 30'000);
    const QList<qint64> children = childrenOf(agent.process.processId());
    QCOMPARE(children.size(), 1);
    ::kill(static_cast<pid_t>(agent.process.processId()), SIGKILL);
    QTRY_VERIFY(::kill(static_cast<pid_t>(children.first()), 0) != 0);
}

void TestSamplerVerb::aReaderThatIsGoneEndsIt()
{
    Pipe pipe;
    QProcess agent;
    pipe.startWriting(agent);
    char byte = 0;
    QCOMPARE(::read(pipe.readEnd, &byte, 1), 1); // it has begun
    pipe.close();
    QVERIFY(agent.waitForFinished());
    QCOMPARE(agent.exitStatus(), QProcess::NormalExit);
}

void TestSamplerVerb::aReaderThatDoesNotReadDoesNotHoldIt()
{
    Pipe pipe;
    pipe.fill();
    QProcess agent;
    pipe.startWriting(agent);
    agent.closeWriteChannel(); // it writes its first samples before it looks at its input
    QVERIFY(agent.waitForFinished());
    QCOMPARE(agent.exitCode(), 0);
}

QTEST_GUILESS_MAIN(TestSamplerVerb)
#include "tst_sampler_verb.moc"
