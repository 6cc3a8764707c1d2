// SPDX-License-Identifier: GPL-3.0-or-later
// Where NVML's library is missing: nvidia-smi's table, and the program that prints it.
#include "nvml_script.h"
#include "remote/agent/gpuchild.h"
#include "remote/agent/gpusmicsv.h"

#include <QTemporaryDir>
#include <QTest>

using namespace lockstep;
using namespace lockstep::test;

namespace {

const QString kFirst = QStringLiteral("gpu:GPU-aaaa");
const QString kAll = QStringLiteral("gpus");

QList<Sample> rowOf(const QByteArray& heading, const QByteArray& row)
{
    agent::SmiTable table;
    if (table.parse(heading.toStdString()).kind != agent::SmiTable::Line::Heading)
        return {};
    const agent::SmiTable::Parsed parsed = table.parse(row.toStdString());
    if (parsed.kind != agent::SmiTable::Line::Row)
        return {};
    std::string out;
    appendRecord(out, parsed.reading, 1);
    return samplesIn(QByteArray::fromStdString(out));
}

// A program named nvidia-smi on a PATH of its own.
class SmiProgram {
public:
    explicit SmiProgram(const QByteArray& body)
    {
        QFile file(m_folder.filePath(QStringLiteral("nvidia-smi")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("#!/bin/sh\n" + body);
        file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    }
    [[nodiscard]] ChildRun run() const
    {
        ChildRun run;
        run.driver = Driver::None;
        run.path = m_folder.path().toLocal8Bit() + ":/usr/bin:/bin";
        run.main = [](int outFd) { agent::readGpus(outFd, {"/proc", "/nonexistent"}); };
        run.enough = [](const QList<Sample>& samples) { return !samples.isEmpty(); };
        return run;
    }

private:
    QTemporaryDir m_folder;
};

} // namespace

class TestSamplerSmi : public QObject {
    Q_OBJECT

private slots:
    void rows_data();
    void rows();
    void lines_data();
    void lines();
    void memoryOfItsOwn_data();
    void memoryOfItsOwn();
    void theLoopIsRead();
    void anOldProgramIsAskedForLess();
    void aProgramThatEndsIsAnError();
};

void TestSamplerSmi::rows_data()
{
    const QByteArray heading =
        "index, uuid, name, utilization.gpu [%], memory.used [MiB], memory.total [MiB], power.draw [W], "
        "enforced.power.limit [W], temperature.gpu, clocks.current.sm [MHz], clocks.current.memory [MHz], "
        "clocks_event_reasons.active, ecc.errors.uncorrected.volatile.total";
    QTest::addColumn<QByteArray>("heading");
    QTest::addColumn<QByteArray>("row");
    QTest::addColumn<QString>("key");
    QTest::addColumn<QString>("value"); // empty: the key is missing
    const QByteArray loaded =
        "0, GPU-aaaa, NVIDIA H100 80GB HBM3, 100 %, 19818 MiB, 81559 MiB, 631.95 W, 700.00 W, 59, 1980 MHz, 2619 MHz, "
        "0x0000000000000004, 0";
    const QByteArray unknown =
        "1, GPU-aaaa, NVIDIA GeForce RTX 2080 SUPER, [N/A], 797 MiB, 8192 MiB, [Not Supported], [N/A], 40, 300 MHz, "
        "[Unknown Error], [N/A], [N/A]";
    QTest::newRow("utilisation") << heading << loaded << QStringLiteral("util") << QStringLiteral("100");
    QTest::newRow("memory used") << heading << loaded << QStringLiteral("mem_used") << QStringLiteral("20780679168");
    QTest::newRow("memory") << heading << loaded << QStringLiteral("mem_total") << QStringLiteral("85520809984");
    QTest::newRow("power") << heading << loaded << QStringLiteral("power_w") << QStringLiteral("631.95");
    QTest::newRow("limit") << heading << loaded << QStringLiteral("power_limit_w") << QStringLiteral("700");
    QTest::newRow("temperature") << heading << loaded << QStringLiteral("temp_c") << QStringLiteral("59");
    QTest::newRow("sm clock") << heading << loaded << QStringLiteral("sm_mhz") << QStringLiteral("1980");
    QTest::newRow("memory clock") << heading << loaded << QStringLiteral("mem_mhz") << QStringLiteral("2619");
    QTest::newRow("throttle") << heading << loaded << QStringLiteral("throttle") << QStringLiteral("4");
    QTest::newRow("ecc") << heading << loaded << QStringLiteral("ecc_errors") << QStringLiteral("0");
    QTest::newRow("name") << heading << loaded << QStringLiteral("name") << QStringLiteral("NVIDIA H100 80GB HBM3");
    QTest::newRow("no utilisation") << heading << unknown << QStringLiteral("util") << QString();
    QTest::newRow("no power") << heading << unknown << QStringLiteral("power_w") << QString();
    QTest::newRow("no limit") << heading << unknown << QStringLiteral("power_limit_w") << QString();
    QTest::newRow("no memory clock") << heading << unknown << QStringLiteral("mem_mhz") << QString();
    QTest::newRow("no throttle") << heading << unknown << QStringLiteral("throttle") << QString();
    QTest::newRow("no ecc") << heading << unknown << QStringLiteral("ecc_errors") << QString();
    QTest::newRow("known beside unknown") << heading << unknown << QStringLiteral("sm_mhz") << QStringLiteral("300");
    QTest::newRow("nounits") << QByteArray("uuid, index, power.draw") << QByteArray("GPU-aaaa, 3, 12.5")
                             << QStringLiteral("power_w") << QStringLiteral("12.5");
    QTest::newRow("unified memory keeps its row")
        << QByteArray("uuid, index, memory.total [MiB], memory.used [MiB], memory.free [MiB], utilization.gpu [%], "
                      "power.draw [W], temperature.gpu")
        << QByteArray("GPU-aaaa, 0, [N/A], [N/A], [N/A], 0 %, 11.17 W, 35") << QStringLiteral("power_w")
        << QStringLiteral("11.17");
}

void TestSamplerSmi::rows()
{
    QFETCH(QByteArray, heading);
    QFETCH(QByteArray, row);
    QFETCH(QString, key);
    QFETCH(QString, value);
    const QList<Sample> samples = rowOf(heading, row);
    QCOMPARE(samples.size(), 1);
    QCOMPARE(samples.first().id, kFirst);
    QCOMPARE(samples.first().has(key), !value.isEmpty());
    QCOMPARE(samples.first().values.value(key), value);
}

void TestSamplerSmi::lines_data()
{
    using Line = agent::SmiTable::Line;
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<int>("kind");
    QTest::newRow("heading") << QByteArray("index, name, memory.total [MiB]") << int(Line::Heading);
    QTest::newRow("row") << QByteArray("0, NVIDIA H200, 143771 MiB") << int(Line::Row);
    QTest::newRow("a cell too few") << QByteArray("0, NVIDIA H200") << int(Line::Text);
    QTest::newRow("words") << QByteArray(
                                  "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.")
                           << int(Line::Text);
    QTest::newRow("nothing") << QByteArray() << int(Line::Text);
    QTest::newRow("date only") << QByteArray("Fri 21 Nov 2025 11:41:31 PM EST") << int(Line::Text);
    QTest::newRow("unknown column") << QByteArray("Field \"mig.mode.current\" is not a valid field to query.")
                                    << int(Line::BadField);
}

void TestSamplerSmi::lines()
{
    QFETCH(QByteArray, line);
    QFETCH(int, kind);
    agent::SmiTable table;
    (void)table.parse("index, name, memory.total [MiB]");
    QCOMPARE(int(table.parse(line.toStdString()).kind), kind);
}

void TestSamplerSmi::memoryOfItsOwn_data()
{
    QTest::addColumn<QByteArray>("heading");
    QTest::addColumn<QByteArray>("row");
    QTest::addColumn<bool>("own");
    QTest::newRow("own") << QByteArray("index, memory.total [MiB]") << QByteArray("0, 143771 MiB") << true;
    QTest::newRow("unified") << QByteArray("index, name, memory.total [MiB], memory.free [MiB]")
                             << QByteArray("0, NVIDIA GB10, [N/A], [N/A]") << false;
    QTest::newRow("not asked") << QByteArray("index, name") << QByteArray("0, NVIDIA GB10") << true;
    QTest::newRow("lost") << QByteArray("index, memory.total [MiB]") << QByteArray("0, [GPU is lost]") << true;
}

void TestSamplerSmi::memoryOfItsOwn()
{
    QFETCH(QByteArray, heading);
    QFETCH(QByteArray, row);
    QFETCH(bool, own);
    agent::SmiTable table;
    (void)table.parse(heading.toStdString());
    QCOMPARE(table.parse(row.toStdString()).ownMemory, own);
}

void TestSamplerSmi::theLoopIsRead()
{
    const SmiProgram program("echo 'index, uuid, name, driver_version, utilization.gpu [%], memory.total [MiB]'\n"
                             "while :; do\n"
                             "  echo '0, GPU-aaaa, NVIDIA H200, 570.86.15, 12 %, 143771 MiB'\n"
                             "  echo '1, GPU-bbbb, NVIDIA H200, 570.86.15, [N/A], 143771 MiB'\n"
                             "  sleep 1\n"
                             "done\n");
    ChildRun run = program.run();
    run.enough = [](const QList<Sample>& samples) { return samples.size() >= 4; };
    const ChildResult result = runChild(run);
    QVERIFY(result.inTime && result.isGone);
    const QList<Sample> first = samplesOf(result.samples, kFirst);
    QVERIFY(first.size() >= 2);
    QCOMPARE(first.first().number(QStringLiteral("util")), 12.0);
    const QList<Sample> second = samplesOf(result.samples, QStringLiteral("gpu:GPU-bbbb"));
    QVERIFY(!second.value(0).has(QStringLiteral("util")));
    QCOMPARE(second.value(0).number(QStringLiteral("mem_total")), 143771.0 * 1024 * 1024);
}

void TestSamplerSmi::anOldProgramIsAskedForLess()
{
    const SmiProgram program(
        "case \"$*\" in *mig.mode*) echo 'Field \"mig.mode.current\" is not a valid field to query.'; exit 2;; esac\n"
        "echo 'index, uuid, temperature.gpu'\n"
        "while :; do echo '0, GPU-aaaa, 40'; sleep 1; done\n");
    const ChildResult result = runChild(program.run());
    QVERIFY(result.inTime);
    QCOMPARE(result.samples.value(0).id, kFirst);
    QCOMPARE(result.samples.value(0).number(QStringLiteral("temp_c")), 40.0);
}

void TestSamplerSmi::aProgramThatEndsIsAnError()
{
    const SmiProgram program(
        "echo \"NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\"\nexit 9\n");
    ChildRun run = program.run();
    run.enough = nullptr;
    const ChildResult result = runChild(run);
    QVERIFY(result.inTime);
    QCOMPARE(result.samples.size(), 1);
    QCOMPARE(result.samples.first().id, kAll);
    const QString sentence = result.samples.first().values.value(QStringLiteral("error"));
    QVERIFY2(sentence.contains(QStringLiteral("couldn't communicate with the NVIDIA driver")), qPrintable(sentence));
}

QTEST_GUILESS_MAIN(TestSamplerSmi)
#include "tst_sampler_smi.moc"
