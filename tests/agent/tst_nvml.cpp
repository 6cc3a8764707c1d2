// SPDX-License-Identifier: GPL-3.0-or-later
#include "nvml_script.h"
#include "remote/agent/gpuchild.h"
#include "remote/agent/nvmlpcie.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

using namespace lockstep;
using namespace lockstep::test;

namespace {

const QByteArray kOneGpu =
    "driver 570.86.15\ncuda 13020\ngpus 1\n"
    "gpu 0 name NVIDIA H200\ngpu 0 uuid GPU-aaaa\ngpu 0 util 97\n"
    "gpu 0 mem_total 150000000000\ngpu 0 mem_used 61234126848\ngpu 0 mem_reserved 500000000\n"
    "gpu 0 power_mw 500000\ngpu 0 power_instant_mw 612345\ngpu 0 limit_mw 700000\n"
    "gpu 0 temp 61\ngpu 0 sm 1980\ngpu 0 mem_clock 3201\ngpu 0 throttle 0x44\ngpu 0 ecc 2\ngpu 0 mig 0\n"
    "gpu 0 pcie_rx_rate 30000000000\ngpu 0 pcie_tx_rate 1000000\n"
    "gpu 0 process 4242 1048576\ngpu 0 process 4243 -1\n";
const QString kFirst = QStringLiteral("gpu:GPU-aaaa");
const QString kSecond = QStringLiteral("gpu:GPU-bbbb");
const QString kAll = QStringLiteral("gpus");

void laidDown(const QString& path, const QByteArray& content)
{
    QDir().mkpath(QFileInfo(path).path());
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(content);
}

ChildRun gpusWith(const QByteArray& script, const agent::GpuRoots& roots = {})
{
    ChildRun run;
    run.script = script;
    run.main = [roots](int outFd) { agent::readGpus(outFd, roots); };
    run.enough = [](const QList<Sample>& samples) { return !samples.isEmpty(); };
    return run;
}

} // namespace

class TestNvml : public QObject {
    Q_OBJECT

private slots:
    void everyValueIsReported();
    void whatIsNotSupportedIsMissing_data();
    void whatIsNotSupportedIsMissing();
    void anOldDriverIsReadByItsOldFunctions();
    void valuesFollowTime();
    void moreProcessesThanExpected();
    void aLostGpuSaysSoAndTheOtherGoesOn();
    void theReaderEndsWhenEveryGpuIsLost();
    void unifiedMemoryIsTheMachines();
    void aPartitionedGpuHasNoUtilisation();
    void wideCountersAreComparedWithTheRoundBefore();
    void noiseOfTheDriverSpoilsNothing();
    void noGpuIsANote_data();
    void noGpuIsANote();
    void aFailureIsASentence_data();
    void aFailureIsASentence();
    void pcieRates_data();
    void pcieRates();
};

void TestNvml::everyValueIsReported()
{
    const ChildResult result = runChild(gpusWith(kOneGpu));
    QVERIFY(result.inTime && result.isGone);
    const Sample gpu = result.samples.value(0);
    QCOMPARE(gpu.id, kFirst);
    QVERIFY(gpu.timeUs > 0);
    const double rx = gpu.number(QStringLiteral("pcie_rx_bytes_per_s")).value_or(-1);
    const double tx = gpu.number(QStringLiteral("pcie_tx_bytes_per_s")).value_or(-1);
    QVERIFY2(rx > 28e9 && rx < 32e9, qPrintable(QString::number(rx))); // 32-bit counters that wrap 7 times a second
    QVERIFY2(tx > 0.9e6 && tx < 1.1e6, qPrintable(QString::number(tx)));
    QHash<QString, QString> values = gpu.values;
    values.remove(QStringLiteral("pcie_rx_bytes_per_s"));
    values.remove(QStringLiteral("pcie_tx_bytes_per_s"));
    const QHash<QString, QString> expected = {
        {QStringLiteral("id"), kFirst},
        {QStringLiteral("index"), QStringLiteral("0")},
        {QStringLiteral("name"), QStringLiteral("NVIDIA H200")},
        {QStringLiteral("util"), QStringLiteral("97")},
        {QStringLiteral("mem_used"), QStringLiteral("61234126848")},
        {QStringLiteral("mem_total"), QStringLiteral("150000000000")},
        {QStringLiteral("power_w"), QStringLiteral("612.35")},
        {QStringLiteral("power_limit_w"), QStringLiteral("700")},
        {QStringLiteral("temp_c"), QStringLiteral("61")},
        {QStringLiteral("sm_mhz"), QStringLiteral("1980")},
        {QStringLiteral("mem_mhz"), QStringLiteral("3201")},
        {QStringLiteral("throttle"), QStringLiteral("44")},
        {QStringLiteral("ecc_errors"), QStringLiteral("2")},
        {QStringLiteral("processes"), QStringLiteral("4242:1048576,4243:-1")},
    };
    QCOMPARE(values, expected);
}

void TestNvml::whatIsNotSupportedIsMissing_data()
{
    QTest::addColumn<QByteArray>("nosup");
    QTest::addColumn<QString>("key");
    QTest::addColumn<QString>("left"); // what stands there instead, empty: nothing
    QTest::newRow("util") << QByteArray("util") << QStringLiteral("util") << QString();
    QTest::newRow("temperature") << QByteArray("temp") << QStringLiteral("temp_c") << QString();
    QTest::newRow("limit") << QByteArray("limit_mw") << QStringLiteral("power_limit_w") << QString();
    QTest::newRow("sm") << QByteArray("sm") << QStringLiteral("sm_mhz") << QString();
    QTest::newRow("memory clock") << QByteArray("mem_clock") << QStringLiteral("mem_mhz") << QString();
    QTest::newRow("throttle") << QByteArray("throttle") << QStringLiteral("throttle") << QString();
    QTest::newRow("ecc") << QByteArray("ecc") << QStringLiteral("ecc_errors") << QString();
    QTest::newRow("pcie") << QByteArray("pcie_rx_rate") << QStringLiteral("pcie_rx_bytes_per_s") << QString();
    QTest::newRow("mean power when there is no instant one")
        << QByteArray("power_instant_mw") << QStringLiteral("power_w") << QStringLiteral("500");
    QTest::newRow("name") << QByteArray("name") << QStringLiteral("name") << QString();
}

void TestNvml::whatIsNotSupportedIsMissing()
{
    QFETCH(QByteArray, nosup);
    QFETCH(QString, key);
    QFETCH(QString, left);
    const ChildResult result = runChild(gpusWith(kOneGpu + "gpu 0 nosup " + nosup + '\n'));
    QVERIFY(result.inTime);
    const Sample gpu = result.samples.value(0);
    QCOMPARE(gpu.id, kFirst);
    QCOMPARE(gpu.has(key), !left.isEmpty());
    QCOMPARE(gpu.values.value(key), left);
    QVERIFY(!gpu.has(QStringLiteral("error")));
}

void TestNvml::anOldDriverIsReadByItsOldFunctions()
{
    ChildRun run = gpusWith(kOneGpu);
    run.driver = Driver::Old;
    const ChildResult result = runChild(run);
    QVERIFY(result.inTime);
    const Sample gpu = result.samples.value(0);
    QCOMPARE(gpu.number(QStringLiteral("mem_used")), 61734126848.0); // its used holds the reserved part
    QCOMPARE(gpu.number(QStringLiteral("power_w")), 500.0);
    QCOMPARE(gpu.number(QStringLiteral("power_limit_w")), 700.0);
    QCOMPARE(gpu.number(QStringLiteral("temp_c")), 61.0);
    QCOMPARE(gpu.values.value(QStringLiteral("throttle")), QStringLiteral("44"));
    QCOMPARE(gpu.values.value(QStringLiteral("processes")), QStringLiteral("4242:1048576,4243:-1"));
    QVERIFY(!gpu.has(QStringLiteral("pcie_rx_bytes_per_s")));
}

void TestNvml::valuesFollowTime()
{
    ChildRun run = gpusWith(kOneGpu + "0.5 gpu 0 util 3\n");
    run.enough = [](const QList<Sample>& samples) { return samples.size() >= 3; };
    const ChildResult result = runChild(run);
    QVERIFY(result.inTime);
    QCOMPARE(result.samples.value(0).number(QStringLiteral("util")), 97.0);
    QCOMPARE(result.samples.value(1).number(QStringLiteral("util")), 3.0);
    const qint64 period = result.samples.value(2).timeUs - result.samples.value(1).timeUs;
    QVERIFY2(period > 500'000 && period < 2'000'000, qPrintable(QString::number(period)));
}

void TestNvml::moreProcessesThanExpected()
{
    QByteArray script = kOneGpu;
    QStringList expected = {QStringLiteral("4242:1048576"), QStringLiteral("4243:-1")};
    for (int pid = 5000; pid < 5100; ++pid) {
        script += "gpu 0 process " + QByteArray::number(pid) + " 10\n";
        expected.append(QStringLiteral("%1:10").arg(pid));
    }
    const ChildResult result = runChild(gpusWith(script));
    QCOMPARE(result.samples.value(0).values.value(QStringLiteral("processes")), expected.join(QLatin1Char(',')));
}

void TestNvml::aLostGpuSaysSoAndTheOtherGoesOn()
{
    ChildRun run =
        gpusWith(kOneGpu + "gpus 2\ngpu 1 name NVIDIA H200\ngpu 1 uuid GPU-bbbb\ngpu 1 util 50\n0.5 gpu 1 lost 15\n");
    run.enough = [](const QList<Sample>& samples) { return samplesOf(samples, kFirst).size() >= 3; };
    const ChildResult result = runChild(run);
    QVERIFY(result.inTime);
    const QList<Sample> lost = samplesOf(result.samples, kSecond);
    QVERIFY(lost.size() >= 2);
    QCOMPARE(lost.first().number(QStringLiteral("util")), 50.0);
    const QString sentence = lost.at(1).values.value(QStringLiteral("error"));
    for (const char* word : {"GPU 1", "NVIDIA H200", "GPU is lost", "Xid", "reboot"})
        QVERIFY2(sentence.contains(QLatin1String(word)), qPrintable(sentence));
    QVERIFY(!lost.at(1).has(QStringLiteral("util")));
    QCOMPARE(samplesOf(result.samples, kFirst).at(2).number(QStringLiteral("util")), 97.0);
}

void TestNvml::theReaderEndsWhenEveryGpuIsLost()
{
    ChildRun run = gpusWith(kOneGpu + "0.5 gpu 0 lost 16\n");
    run.enough = nullptr;
    const ChildResult result = runChild(run);
    QVERIFY(result.inTime);
    QCOMPARE(result.samples.last().id, kAll);
    QVERIFY(result.samples.last().has(QStringLiteral("error")));
    const QString sentence = result.samples.value(result.samples.size() - 2).values.value(QStringLiteral("error"));
    QVERIFY2(sentence.contains(QStringLiteral("--gpu-reset -i 0")), qPrintable(sentence));
}

void TestNvml::unifiedMemoryIsTheMachines()
{
    QTemporaryDir tree;
    laidDown(tree.filePath(QStringLiteral("meminfo")),
             "MemTotal:       125000000 kB\nMemFree: 1 kB\nMemAvailable:   25000000 kB\n");
    const ChildResult result =
        runChild(gpusWith(kOneGpu + "gpu 0 nosup mem_total\n", {tree.path().toStdString(), "/sys"}));
    const Sample gpu = result.samples.value(0);
    QCOMPARE(gpu.number(QStringLiteral("mem_total")), 125000000.0 * 1024);
    QCOMPARE(gpu.number(QStringLiteral("mem_used")), 100000000.0 * 1024);
    QCOMPARE(gpu.values.value(QStringLiteral("unified")), QStringLiteral("1"));
    QCOMPARE(gpu.number(QStringLiteral("util")), 97.0);
}

void TestNvml::aPartitionedGpuHasNoUtilisation()
{
    const ChildResult result = runChild(gpusWith(kOneGpu + "gpu 0 mig 1\ngpu 0 nosup util\n"));
    const Sample gpu = result.samples.value(0);
    QCOMPARE(gpu.values.value(QStringLiteral("mig")), QStringLiteral("1"));
    QVERIFY(!gpu.has(QStringLiteral("util")));
    QVERIFY(!gpu.has(QStringLiteral("pcie_rx_bytes_per_s")));
    QCOMPARE(gpu.number(QStringLiteral("mem_total")), 150e9);
}

void TestNvml::wideCountersAreComparedWithTheRoundBefore()
{
    ChildRun run = gpusWith(kOneGpu + "gpu 0 pcie_type 3\n");
    run.enough = [](const QList<Sample>& samples) { return samples.size() >= 2; };
    const ChildResult result = runChild(run);
    QVERIFY(!result.samples.value(0).has(QStringLiteral("pcie_rx_bytes_per_s")));
    const double rx = result.samples.value(1).number(QStringLiteral("pcie_rx_bytes_per_s")).value_or(-1);
    QVERIFY2(rx > 28e9 && rx < 32e9, qPrintable(QString::number(rx)));
}

void TestNvml::noiseOfTheDriverSpoilsNothing()
{
    ChildRun run = gpusWith(kOneGpu + "print 1\n");
    run.main = [](int outFd) {
        ::dup2(outFd, STDOUT_FILENO); // as the program is run: its records go to stdout
        agent::readGpus(STDOUT_FILENO, {});
    };
    run.enough = [](const QList<Sample>& samples) { return samples.size() >= 2; };
    const ChildResult result = runChild(run);
    QVERIFY(result.inTime && result.isGone);
    QVERIFY2(result.output.startsWith("device - "), result.output.constData());
    QVERIFY(!result.output.contains("noise"));
}

void TestNvml::noGpuIsANote_data()
{
    QTest::addColumn<int>("driver");
    QTest::addColumn<QByteArray>("script");
    QTest::addColumn<QString>("note");
    QTest::newRow("no driver installed") << int(Driver::None) << QByteArray()
                                         << QStringLiteral("none found: libnvidia-ml.so.1 is not installed");
    QTest::newRow("driver without a device")
        << int(Driver::New) << QByteArray("driver 570.86.15\ngpus 0\n")
        << QStringLiteral("none found: the NVIDIA driver is loaded but shows no GPU");
}

void TestNvml::noGpuIsANote()
{
    QFETCH(int, driver);
    QFETCH(QByteArray, script);
    QFETCH(QString, note);
    ChildRun run = gpusWith(script);
    run.driver = Driver(driver);
    run.path = "/nonexistent";
    run.enough = nullptr; // it must end by itself
    const ChildResult result = runChild(run);
    QVERIFY(result.inTime);
    QCOMPARE(result.samples.size(), 1);
    QCOMPARE(result.samples.value(0).id, kAll);
    QCOMPARE(result.samples.value(0).values.value(QStringLiteral("note")), note);
}

void TestNvml::aFailureIsASentence_data()
{
    QTest::addColumn<QByteArray>("script");
    QTest::addColumn<QStringList>("words");
    QTest::newRow("driver not loaded") << QByteArray("init 9\n")
                                       << QStringList{QStringLiteral("Driver Not Loaded"), QStringLiteral("570.86.15"),
                                                      QStringLiteral("modprobe nvidia")};
    QTest::newRow("versions differ") << QByteArray("init 18\n")
                                     << QStringList{QStringLiteral(
                                                        "Failed to initialize NVML: Driver/library version mismatch"),
                                                    QStringLiteral("570.86.15"), QStringLiteral("535.129.03"),
                                                    QStringLiteral("reboot")};
    QTest::newRow("anything else") << QByteArray("init 999\n")
                                   << QStringList{QStringLiteral("Unknown Error"), QStringLiteral("999")};
}

void TestNvml::aFailureIsASentence()
{
    QFETCH(QByteArray, script);
    QFETCH(QStringList, words);
    QTemporaryDir tree;
    laidDown(tree.filePath(QStringLiteral("module/nvidia/version")), "535.129.03\n");
    ChildRun run = gpusWith(script, {"/proc", tree.path().toStdString()});
    run.enough = nullptr;
    const ChildResult result = runChild(run);
    QVERIFY(result.inTime);
    QCOMPARE(result.samples.size(), 1);
    QCOMPARE(result.samples.value(0).id, kAll);
    const QString sentence = result.samples.value(0).values.value(QStringLiteral("error"));
    for (const QString& word : words)
        QVERIFY2(sentence.contains(word), qPrintable(sentence));
}

void TestNvml::pcieRates_data()
{
    using agent::nvml::kU32;
    using agent::nvml::kU64;
    QTest::addColumn<quint64>("before");
    QTest::addColumn<quint64>("after");
    QTest::addColumn<int>("type");
    QTest::addColumn<qint64>("intervalUs");
    QTest::addColumn<double>("rate"); // -1: none
    QTest::newRow("plain") << quint64(1000) << quint64(31000) << int(kU32) << qint64(30'000) << 1e6;
    QTest::newRow("wrapped") << quint64(0xffff'fff0) << quint64(0x10) << int(kU32) << qint64(1000) << 32000.0;
    QTest::newRow("window too long for 32 bits") << quint64(0) << quint64(1) << int(kU32) << qint64(1'000'000) << -1.0;
    QTest::newRow("wide") << quint64(0) << quint64(60'000'000'000) << int(kU64) << qint64(1'000'000) << 60e9;
    QTest::newRow("reset") << quint64(500) << quint64(0) << int(kU64) << qint64(1'000'000) << -1.0;
    QTest::newRow("no time") << quint64(0) << quint64(1) << int(kU64) << qint64(0) << -1.0;
    QTest::newRow("another field by that number")
        << quint64(0) << quint64(1ull << 60) << int(kU64) << qint64(1'000'000) << -1.0;
}

void TestNvml::pcieRates()
{
    QFETCH(quint64, before);
    QFETCH(quint64, after);
    QFETCH(int, type);
    QFETCH(qint64, intervalUs);
    QFETCH(double, rate);
    const auto result = agent::pcieRate(agent::PcieCounter{before, type}, agent::PcieCounter{after, type}, intervalUs);
    QCOMPARE(result.value_or(-1), rate);
    QVERIFY(!agent::pcieRate(std::nullopt, agent::PcieCounter{after, type}, intervalUs));
}

QTEST_GUILESS_MAIN(TestNvml)
#include "tst_nvml.moc"
