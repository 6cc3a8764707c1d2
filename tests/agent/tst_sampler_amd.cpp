// SPDX-License-Identifier: GPL-3.0-or-later
#include "nvml_script.h"
#include "remote/agent/gpuchild.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

using namespace lockstep;
using namespace lockstep::test;

namespace {

const QString kMi100 = QStringLiteral("gpu:AMD-79ccd55167a2124a");

// A /sys as amdgpu shows its devices there.
class Sys {
public:
    void write(const QString& path, const QByteArray& content) const
    {
        const QString full = m_folder.filePath(path);
        QDir().mkpath(QFileInfo(full).path());
        QFile file(full);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(content);
    }
    void remove(const QString& path) const { QFile::remove(m_folder.filePath(path)); }
    void mi100(const QString& card) const
    {
        const QString device = QStringLiteral("class/drm/") + card + QStringLiteral("/device/");
        write(device + QStringLiteral("vendor"), "0x1002\n");
        write(device + QStringLiteral("device"), "0x738c\n");
        write(device + QStringLiteral("unique_id"), "79ccd55167a2124a\n");
        write(device + QStringLiteral("product_name"), "Arcturus GL-XL [Instinct MI100]\n");
        write(device + QStringLiteral("uevent"), "DRIVER=amdgpu\nPCI_SLOT_NAME=0000:23:00.0\n");
        write(device + QStringLiteral("gpu_busy_percent"), "87\n");
        write(device + QStringLiteral("mem_info_vram_total"), "34342961152\n");
        write(device + QStringLiteral("mem_info_vram_used"), "1073741824\n");
        const QString sensors = device + QStringLiteral("hwmon/hwmon4/");
        write(sensors + QStringLiteral("power1_average"), "36000000\n");
        write(sensors + QStringLiteral("power1_cap"), "290000000\n");
        write(sensors + QStringLiteral("temp1_input"), "53000\n");
        write(sensors + QStringLiteral("temp2_input"), "55000\n");
        write(sensors + QStringLiteral("freq1_input"), "300000000\n");
        write(sensors + QStringLiteral("freq2_input"), "1200000000\n");
    }
    [[nodiscard]] ChildRun run(Driver driver = Driver::None, const QByteArray& script = {}) const
    {
        ChildRun run;
        run.driver = driver;
        run.script = script;
        run.path = "/nonexistent";
        const agent::GpuRoots roots{"/proc", m_folder.path().toStdString()};
        run.main = [roots](int outFd) { agent::readGpus(outFd, roots); };
        run.enough = [](const QList<Sample>& samples) { return !samples.isEmpty(); };
        return run;
    }

private:
    QTemporaryDir m_folder;
};

} // namespace

class TestSamplerAmd : public QObject {
    Q_OBJECT

private slots:
    void everyValueIsReported();
    void whatIsMissingIsUnknown_data();
    void whatIsMissingIsUnknown();
    void olderCardsHaveOtherNames();
    void onlyAmdsOwnCardsCount_data();
    void onlyAmdsOwnCardsCount();
    void cardsAreInOrder();
    void aFailingNvidiaLibraryDoesNotHideThem();
};

void TestSamplerAmd::everyValueIsReported()
{
    const Sys sys;
    sys.mi100(QStringLiteral("card0"));
    const ChildResult result = runChild(sys.run());
    QVERIFY(result.inTime && result.isGone);
    const QHash<QString, QString> expected = {
        {QStringLiteral("id"), kMi100},
        {QStringLiteral("index"), QStringLiteral("0")},
        {QStringLiteral("name"), QStringLiteral("Arcturus GL-XL [Instinct MI100]")},
        {QStringLiteral("util"), QStringLiteral("87")},
        {QStringLiteral("mem_used"), QStringLiteral("1073741824")},
        {QStringLiteral("mem_total"), QStringLiteral("34342961152")},
        {QStringLiteral("power_w"), QStringLiteral("36")},
        {QStringLiteral("power_limit_w"), QStringLiteral("290")},
        {QStringLiteral("temp_c"), QStringLiteral("55")},
        {QStringLiteral("sm_mhz"), QStringLiteral("300")},
        {QStringLiteral("mem_mhz"), QStringLiteral("1200")},
    };
    QCOMPARE(result.samples.value(0).values, expected);
}

void TestSamplerAmd::whatIsMissingIsUnknown_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("key");
    const QString device = QStringLiteral("class/drm/card0/device/");
    QTest::newRow("used") << device + QStringLiteral("mem_info_vram_used") << QStringLiteral("mem_used");
    QTest::newRow("power") << device + QStringLiteral("hwmon/hwmon4/power1_average") << QStringLiteral("power_w");
    QTest::newRow("clock") << device + QStringLiteral("hwmon/hwmon4/freq1_input") << QStringLiteral("sm_mhz");
}

void TestSamplerAmd::whatIsMissingIsUnknown()
{
    QFETCH(QString, file);
    QFETCH(QString, key);
    const Sys sys;
    sys.mi100(QStringLiteral("card0"));
    sys.remove(file);
    const Sample gpu = runChild(sys.run()).samples.value(0);
    QCOMPARE(gpu.id, kMi100);
    QVERIFY(!gpu.has(key));
    QCOMPARE(gpu.number(QStringLiteral("util")), 87.0);
}

void TestSamplerAmd::olderCardsHaveOtherNames()
{
    const Sys sys;
    sys.mi100(QStringLiteral("card0"));
    const QString device = QStringLiteral("class/drm/card0/device/");
    sys.remove(device + QStringLiteral("unique_id"));
    sys.remove(device + QStringLiteral("product_name"));
    sys.remove(device + QStringLiteral("hwmon/hwmon4/temp2_input"));
    sys.remove(device + QStringLiteral("hwmon/hwmon4/power1_average"));
    sys.write(device + QStringLiteral("hwmon/hwmon4/power1_input"), "41500000\n");
    const Sample gpu = runChild(sys.run()).samples.value(0);
    QCOMPARE(gpu.id, QStringLiteral("gpu:0000:23:00.0"));
    QCOMPARE(gpu.values.value(QStringLiteral("name")), QStringLiteral("AMD GPU 0x738c"));
    QCOMPARE(gpu.number(QStringLiteral("temp_c")), 53.0);
    QCOMPARE(gpu.number(QStringLiteral("power_w")), 41.5);
}

void TestSamplerAmd::onlyAmdsOwnCardsCount_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<QByteArray>("content");
    QTest::newRow("another vendor") << QStringLiteral("class/drm/card0/device/vendor") << QByteArray("0x8086\n");
    QTest::newRow("a connector") << QStringLiteral("class/drm/card0-HDMI-A-1/device/vendor") << QByteArray("0x1002\n");
    QTest::newRow("not driven by amdgpu") << QStringLiteral("class/drm/card0/device/vendor") << QByteArray("0x1002\n");
}

void TestSamplerAmd::onlyAmdsOwnCardsCount()
{
    QFETCH(QString, file);
    QFETCH(QByteArray, content);
    const Sys sys;
    sys.write(file, content);
    ChildRun run = sys.run();
    run.enough = nullptr;
    const ChildResult result = runChild(run);
    QCOMPARE(result.samples.size(), 1);
    QVERIFY(result.samples.first().has(QStringLiteral("note")));
}

void TestSamplerAmd::cardsAreInOrder()
{
    const Sys sys;
    sys.mi100(QStringLiteral("card10"));
    sys.mi100(QStringLiteral("card2"));
    sys.write(QStringLiteral("class/drm/card10/device/unique_id"), "10\n");
    ChildRun run = sys.run();
    run.enough = [](const QList<Sample>& samples) { return samples.size() >= 2; };
    const ChildResult result = runChild(run);
    QCOMPARE(result.samples.value(0).id, kMi100);
    QCOMPARE(result.samples.value(1).id, QStringLiteral("gpu:AMD-10"));
    QCOMPARE(result.samples.value(1).number(QStringLiteral("index")), 1.0);
}

void TestSamplerAmd::aFailingNvidiaLibraryDoesNotHideThem()
{
    const Sys sys;
    sys.mi100(QStringLiteral("card0"));
    QCOMPARE(runChild(sys.run(Driver::New, "init 9\n")).samples.value(0).id, kMi100);
}

QTEST_GUILESS_MAIN(TestSamplerAmd)
#include "tst_sampler_amd.moc"
