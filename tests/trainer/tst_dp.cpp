// SPDX-License-Identifier: GPL-3.0-or-later
// --strategy dp and single: one process, with threads of a CPU as devices, beside ranks.
#include "tests/trainer/ranks.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>

using namespace lockstep::test;

namespace {

constexpr double kRelativeTolerance = 1e-6; // as in tst_training: a batch cut in parts is summed in another order

} // namespace

class TestDp : public QObject {
    Q_OBJECT

private slots:
    void equalsOneDeviceWithTheWholeBatch_data();
    void equalsOneDeviceWithTheWholeBatch();
    void equalsRanks();
    void saysWhatItsCopiesCost();
    void dropoutGivesTheSameBitsEveryTime();
    void singleIsDdpWithoutPeers();
    void isRefused_data();
    void isRefused();
};

void TestDp::equalsOneDeviceWithTheWholeBatch_data()
{
    QTest::addColumn<QStringList>("options");
    QTest::newRow("2 devices") << QStringList{"--batch", "16"};
    QTest::newRow("3 devices, which do not divide the batch") << QStringList{"--batch", "16", "--dp-devices", "3"};
    QTest::newRow("more devices than samples") << QStringList{"--batch", "2", "--dp-devices", "3"};
    QTest::newRow("1 device") << QStringList{"--batch", "16", "--dp-devices", "1"};
    QTest::newRow("cnn, several forwards") << QStringList{"--model", "cnn", "--batch", "6", "--accumulate", "2"};
}

void TestDp::equalsOneDeviceWithTheWholeBatch()
{
    QFETCH(QStringList, options);
    const QTemporaryDir folder;
    const QStringList all = quick(QStringList{"--optimizer", "sgd", "--steps", "20"} + options);
    Ranks devices(0, all + QStringList{"--strategy", "dp", "--dump-parameters", folder.filePath("dp")});
    QVERIFY(devices.finish());
    QVERIFY2(devices.exitCode(0) == 0, devices.errors(0).constData());
    const qsizetype own = all.indexOf("--dp-devices");
    Ranks one(0, (own < 0 ? all : all.first(own)) +
                     QStringList{"--strategy", "single", "--dump-parameters", folder.filePath("single")});
    QVERIFY(one.finish());
    QVERIFY2(one.exitCode(0) == 0, one.errors(0).constData());
    const std::vector<float> ofDp = floats(folder.filePath("dp.0"));
    const std::vector<float> ofOne = floats(folder.filePath("single.0"));
    QVERIFY(!ofDp.empty());
    QCOMPARE(ofDp.size(), ofOne.size());
    const double distance = relativeDistance(ofDp, ofOne);
    qInfo("relative distance %g", distance);
    QVERIFY(distance < kRelativeTolerance);
}

void TestDp::equalsRanks()
{
    const QTemporaryDir folder;
    // As stored: both then take the same samples in each step, though not the same half of them.
    const QStringList options = quick({"--optimizer", "sgd", "--steps", "20", "--shuffle", "no"});
    Ranks devices(0, options +
                         QStringList{"--strategy", "dp", "--batch", "32", "--dump-parameters", folder.filePath("dp")});
    QVERIFY(devices.finish());
    Ranks ranks(2, options + QStringList{"--dump-parameters", folder.filePath("ddp")});
    QVERIFY(ranks.finish());
    const double distance = relativeDistance(floats(folder.filePath("dp.0")), floats(folder.filePath("ddp.0")));
    qInfo("relative distance %g", distance);
    QVERIFY(distance < kRelativeTolerance);
}

void TestDp::saysWhatItsCopiesCost()
{
    Ranks devices(0, quick({"--strategy", "dp", "--dp-devices", "2", "--steps", "4"}));
    QVERIFY(devices.finish());
    QCOMPARE(devices.fact(0, "dp_devices"), std::string("2"));
    int steps = 0;
    for (const Record& record : devices.records(0, "metric")) {
        if (!record.contains("steps"))
            continue;
        ++steps;
        for (const char* key : {"replicate_ms", "scatter_ms", "gather_ms", "reduce_ms"})
            QVERIFY2(record.contains(key) && QByteArray::fromStdString(record.at(key)).toDouble() > 0, key);
    }
    QVERIFY(steps > 0);
}

void TestDp::dropoutGivesTheSameBitsEveryTime() // though the devices are threads that draw from one generator
{
    const QStringList options = quick({"--strategy", "dp", "--dp-devices", "3", "--dropout", "0.5", "--steps", "30"});
    std::string hash;
    for (int run = 0; run < 3; ++run) {
        Ranks devices(0, options);
        QVERIFY(devices.finish());
        QVERIFY2(devices.exitCode(0) == 0, devices.errors(0).constData());
        if (run == 0)
            hash = devices.fact(0, "parameter_hash");
        QCOMPARE(devices.fact(0, "parameter_hash"), hash);
    }
    QCOMPARE(hash.size(), std::size_t{16});
}

void TestDp::singleIsDdpWithoutPeers()
{
    const QStringList options = quick({"--steps", "10"});
    Ranks one(0, options + QStringList{"--strategy", "single"});
    QVERIFY(one.finish());
    Ranks alone(0, options);
    QVERIFY(alone.finish());
    QCOMPARE(one.fact(0, "parameter_hash").size(), std::size_t{16});
    QCOMPARE(one.fact(0, "parameter_hash"), alone.fact(0, "parameter_hash"));
}

void TestDp::isRefused_data()
{
    QTest::addColumn<int>("world");
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<QByteArray>("words");
    QTest::newRow("dp on two ranks") << 2 << QStringList{"--strategy", "dp"}
                                     << QByteArray("--strategy dp is one process, but WORLD_SIZE is 2");
    QTest::newRow("single on two ranks") << 2 << QStringList{"--strategy", "single"}
                                         << QByteArray("--strategy single is one process, but WORLD_SIZE is 2");
    QTest::newRow("devices of ddp") << 0 << QStringList{"--dp-devices", "2"} << QByteArray("it is for --strategy dp");
    QTest::newRow("sync batch norm") << 0 << QStringList{"--strategy", "dp", "--sync-batch-norm", "yes"}
                                     << QByteArray("it is for --strategy ddp or fsdp");
}

void TestDp::isRefused()
{
    QFETCH(int, world);
    QFETCH(QStringList, options);
    QFETCH(QByteArray, words);
    Ranks ranks(world, quick(options));
    QVERIFY(ranks.finish());
    const QByteArray errors = ranks.errors(0);
    QVERIFY2(errors.contains(words), errors.constData());
    QCOMPARE(ranks.exitCode(0), 2);
}

QTEST_GUILESS_MAIN(TestDp)
#include "tst_dp.moc"
