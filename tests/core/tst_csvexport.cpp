// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/csvexport.h"
#include "spools.h"

#include <QBuffer>
#include <QTest>

using namespace lockstep;

class TestCsvExport : public QObject {
    Q_OBJECT

private slots:
    void longForm();
    void wideForm();
    void everyPointOfManyRanks();
    void fullDisk();
};

namespace {

class FullDisk : public QIODevice {
protected:
    qint64 readData(char*, qint64) override { return -1; }
    qint64 writeData(const char*, qint64) override { return -1; }
};

void fill(RunData& data, const QByteArray& records, int node = 0)
{
    const QByteArray spool = test::hello(0, test::kStartUs) + records;
    RunDecoder decoder(node, 0);
    decoder.setStartWallUs(test::kStartUs);
    data.apply(decoder.feed({spool.constData(), static_cast<std::size_t>(spool.size())}));
}

QByteArray csv(const RunData& data, CsvForm form)
{
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    const Result<void> written = writeCsv(data, form, buffer);
    return written ? buffer.data() : written.error().text.toUtf8();
}

const QByteArray kRecords = "metric 0 500000 step=1 loss=0.1\n"
                            "metric 1 500000 step=1 loss=nan\n"
                            "metric 0 1000000 step=2 loss=inf\n"
                            "metric 0 1500000 step=1 loss=-inf\n" // the step comes again
                            "device - 1000000 id=gpu:a util=97\n";

} // namespace

void TestCsvExport::longForm()
{
    RunData data;
    data.setPlan({}, test::twoByTwo());
    fill(data, kRecords);
    QCOMPARE(csv(data, CsvForm::Long), "metric,rank,node,device,attempt,step,seconds,value\n"
                                       "device/util,,gpu1,gpu:a,1,,1,97\n"
                                       "loss,0,gpu1,,1,1,0.5,0.1\n"
                                       "loss,0,gpu1,,1,2,1,inf\n"
                                       "loss,0,gpu1,,1,1,1.5,-inf\n"
                                       "loss,1,gpu1,,1,1,0.5,nan\n");
}

void TestCsvExport::wideForm()
{
    RunData data;
    data.setPlan({}, test::twoByTwo());
    fill(data, kRecords);
    QCOMPARE(csv(data, CsvForm::Wide), "attempt,step,seconds,device/util[gpu1 gpu:a],loss[0],loss[1]\n"
                                       "1,1,,,0.1,nan\n"
                                       "1,1,,,-inf,\n"
                                       "1,2,,,inf,\n"
                                       "1,,1,97,,\n");
}

void TestCsvExport::everyPointOfManyRanks()
{
    LaunchPlan plan = test::twoByTwo();
    RunData data;
    data.setPlan({}, plan);
    QByteArray records;
    constexpr int kSteps = 300, kRanks = 8, kMetrics = 12;
    for (int step = 0; step < kSteps; ++step) {
        for (int rank = 0; rank < kRanks; ++rank) {
            records += QString("metric %1 %2 step=%3").arg(rank).arg(step * 1000).arg(step * 1000).toLatin1();
            for (int metric = 0; metric < kMetrics; ++metric)
                records += QString(" m%1=%2").arg(metric).arg(step + metric * 0.25).toLatin1();
            records += '\n';
        }
    }
    fill(data, records);
    QCOMPARE(csv(data, CsvForm::Long).count('\n'), 1 + kSteps * kRanks * kMetrics);
    const QByteArray wide = csv(data, CsvForm::Wide);
    QCOMPARE(wide.count('\n'), 1 + kSteps);
    const QList<QByteArray> last = wide.split('\n')[kSteps].split(',');
    QCOMPARE(last.size(), 3 + kRanks * kMetrics);
    QVERIFY(!last.mid(3).contains(QByteArray()));
    QCOMPARE(last[1], "299000");
}

void TestCsvExport::fullDisk()
{
    RunData data;
    data.setPlan({}, test::twoByTwo());
    FullDisk disk;
    QVERIFY(disk.open(QIODevice::WriteOnly));
    const Result<void> written = writeCsv(data, CsvForm::Long, disk);
    QVERIFY(!written && written.error().code == ErrorCode::Io);
}

QTEST_GUILESS_MAIN(TestCsvExport)
#include "tst_csvexport.moc"
