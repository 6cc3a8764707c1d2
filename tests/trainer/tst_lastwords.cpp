// SPDX-License-Identifier: GPL-3.0-or-later
// What an exception's text means for how a rank ends.
#include "trainer/lastwords.h"

#include <QTest>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

using namespace lockstep::trainer;

class TestLastWords : public QObject {
    Q_OBJECT

private slots:
    void endings_data();
    void endings();
    void aThreadWithoutPlaceIsMemoryThatRanOut();
    void exitOfALibraryIsAnEndingToo();
};

void TestLastWords::endings_data()
{
    QTest::addColumn<QByteArray>("message");
    QTest::addColumn<int>("code");
    QTest::addColumn<QList<QByteArray>>("words");
    const auto row = [](const char* name, const char* message, int code, const QList<QByteArray>& words) {
        QTest::newRow(name) << QByteArray(message) << code << words;
    };
    row("gloo, closed", "[gloo/transport/tcp/pair.cc:525] Connection closed by peer [127.0.0.1]:4", 7,
        {"another rank is gone or does not answer", "127.0.0.1"});
    row("gloo, silent", "Timed out waiting 15000ms for recv operation to complete", 7, {"does not answer"});
    row("nccl, watchdog",
        "[PG ID 0 PG GUID 0 Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7, OpType=ALLREDUCE)",
        7, {"does not answer"});
    row("anything", "mat1 and mat2 shapes cannot be multiplied", 1, {"mat1 and mat2"});
    row("cuda",
        "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 139.81 GiB of which 1.06 GiB is "
        "free. Process 7 has 138.74 GiB memory in use.",
        9,
        {"the GPU's memory ran out: 2.00 GiB were asked for, 1.06 GiB of 139.81 GiB were free", "--batch",
         "--accumulate", "--activation-checkpointing yes", "--precision bf16", "--strategy fsdp"});
    row("cuda, brief", "CUDA out of memory. Tried to allocate 512.00 MiB", 9,
        {"512.00 MiB were asked for; what helps"});
    row("cuda, a context", "CUDA error: out of memory\nCUDA kernel errors might be asynchronously reported", 9,
        {"the GPU's memory ran out; what helps"});
    row("nccl",
        "NCCL error in: NCCLUtils.cpp:94, unhandled cuda error (run with NCCL_DEBUG=INFO for details), NCCL version "
        "2.30.7\nncclUnhandledCudaError: Call to CUDA function failed.\nLast error:\nCuda failure 2 'out of memory'",
        9, {"the GPU's memory ran out; what helps"});
    row("cublas", "CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`", 9,
        {"the GPU's memory ran out; what helps"});
    row("cpu",
        "[enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't allocate memory: you tried to "
        "allocate "
        "4294967296 bytes. Error code 12 (Cannot allocate memory)",
        9, {"the machine's memory ran out: 4.00 GiB were asked for, ", "were available on this machine", "--batch"});
    row("bad_alloc", "std::bad_alloc", 9, {"the machine's memory ran out: ", "were available", "--batch"});
}

void TestLastWords::endings()
{
    QFETCH(QByteArray, message);
    QFETCH(int, code);
    QFETCH(QList<QByteArray>, words);
    const Ending ending = endingFor(message.toStdString(), Stop::NotAsked);
    QCOMPARE(static_cast<int>(ending.code), code);
    for (const QByteArray& word : words)
        QVERIFY2(QByteArray::fromStdString(ending.sentence).contains(word), ending.sentence.c_str());
    // After SIGTERM a peer that is gone, or what that broke, is part of the stop; memory that ran out is not.
    constexpr int kOutOfMemory = 9;
    QCOMPARE(static_cast<int>(endingFor(message.toStdString(), Stop::Asked).code), code == kOutOfMemory ? code : 143);
}

// In a process of its own, whose address space is nearly full.
void TestLastWords::aThreadWithoutPlaceIsMemoryThatRanOut()
{
    const std::string message = "Resource temporarily unavailable";         // what std::thread says of pthread_create
    QCOMPARE(static_cast<int>(endingFor(message, Stop::NotAsked).code), 1); // there is place enough
    const pid_t child = fork();
    if (child == 0) {
        std::ifstream status("/proc/self/statm");
        rlim_t pages = 0;
        status >> pages;
        constexpr rlim_t kLeft = 1 << 20;
        const rlim_t most = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + kLeft;
        const rlimit limit{most, most};
        setrlimit(RLIMIT_AS, &limit);
        const Ending ending = endingFor(message, Stop::NotAsked);
        _exit(ending.sentence.find("were left of this process's limit") == std::string::npos
                  ? 1
                  : static_cast<int>(ending.code));
    }
    int state = 0;
    QCOMPARE(waitpid(child, &state, 0), child);
    QVERIFY(WIFEXITED(state));
    QCOMPARE(WEXITSTATUS(state), 9);
}

// As OpenMP's does without a thread. In a process of its own.
void TestLastWords::exitOfALibraryIsAnEndingToo()
{
    const pid_t child = fork();
    if (child == 0) {
        constexpr int kNone = -1;
        MetricWriter metrics(kNone, 0);
        const LastWords words(metrics);
        std::exit(0);
    }
    int state = 0;
    QCOMPARE(waitpid(child, &state, 0), child);
    QVERIFY(WIFEXITED(state));
    QCOMPARE(WEXITSTATUS(state), 1);
}

QTEST_GUILESS_MAIN(TestLastWords)
#include "tst_lastwords.moc"
