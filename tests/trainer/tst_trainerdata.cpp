// SPDX-License-Identifier: GPL-3.0-or-later
// What the trainer reads, and the order in which it takes it.
#include "trainer/data/dataset.h"
#include "trainer/data/idxfile.h"
#include "trainer/data/imagememory.h"
#include "trainer/data/sampler.h"
#include "trainer/failure.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <zlib.h>

using namespace lockstep::trainer;

namespace {

QByteArray idx(const QByteArray& sizes, const QByteArray& values) // sizes: one byte each, enough here
{
    QByteArray file("\0\0\x08", 3);
    file += static_cast<char>(sizes.size());
    for (const char size : sizes)
        file += QByteArray(3, '\0') + size;
    return file + values;
}

void put(const QString& path, const QByteArray& bytes)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(file.write(bytes), bytes.size());
}

QByteArray gzipped(const QByteArray& bytes)
{
    const QTemporaryDir folder;
    const QString path = folder.filePath("x.gz");
    gzFile file = gzopen(path.toLocal8Bit().constData(), "wb");
    gzwrite(file, bytes.constData(), static_cast<unsigned>(bytes.size()));
    gzclose(file);
    QFile read(path);
    return read.open(QIODevice::ReadOnly) ? read.readAll() : QByteArray();
}

} // namespace

class TestTrainerData : public QObject {
    Q_OBJECT

private slots:
    void readsIdx_data();
    void readsIdx();
    void everyTruncationIsRefused_data();
    void everyTruncationIsRefused();
    void foldersThatDoNotFit_data();
    void foldersThatDoNotFit();
    void readNormalises();
    void syntheticDataFollowTheSeed();
    void samplerEqualsPythons();
    void samplerCoversEverySample();
    void samplerRefuses();
};

void TestTrainerData::readsIdx_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QByteArray>("words"); // empty: it is right
    const QByteArray good = idx("\x02\x01\x03", "abcdef");
    QTest::newRow("good") << good << QByteArray();
    QTest::newRow("empty") << QByteArray() << QByteArray("it ends within its header");
    QTest::newRow("magic") << QByteArray("PK\x08\x03") + good.mid(4) << QByteArray("it is no IDX file");
    QTest::newRow("type") << QByteArray("\0\0\x0d\x03", 4) + good.mid(4) << QByteArray("type 13");
    QTest::newRow("dimensions") << idx("\x06", "abcdef") << QByteArray("it has 1 dimensions, not 3");
    QTest::newRow("nothing") << idx(QByteArray("\x02\0\x03", 3), "") << QByteArray("it holds nothing");
    QTest::newRow("too long") << good + "g" << QByteArray("longer than the 6 values");
    QTest::newRow("too short") << good.chopped(1) << QByteArray("it ends after 5 of 6 values");
    QTest::newRow("claims 2^96") << QByteArray("\0\0\x08\x03", 4) + QByteArray(12, '\xff')
                                 << QByteArray("more than 64 GiB");
    QTest::newRow("claims 16 GiB") << QByteArray("\0\0\x08\x03\0\0\xff\xff\0\0\x02\0\0\0\x02\0", 16) + "abc"
                                   << QByteArray("it ends after 3 of");
}

void TestTrainerData::readsIdx()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QByteArray, words);
    const QTemporaryDir folder;
    put(folder.filePath("plain"), bytes);
    put(folder.filePath("packed.gz"), gzipped(bytes));
    for (const char* name : {"plain", "packed"}) {
        try {
            const IdxArray array = readIdx(folder.filePath(name).toStdString(), 3);
            QVERIFY2(words.isEmpty(), "was taken");
            QCOMPARE(array.sizes, (std::vector<std::int64_t>{2, 1, 3}));
            QCOMPARE(array.bytes, (std::vector<std::uint8_t>{'a', 'b', 'c', 'd', 'e', 'f'}));
        } catch (const Failure& failure) {
            QVERIFY(failure.code() == ExitCode::Data);
            QVERIFY2(!words.isEmpty() && QByteArray(failure.what()).contains(words), failure.what());
            QVERIFY2(QByteArray(failure.what()).contains(name), failure.what());
        }
    }
}

void TestTrainerData::everyTruncationIsRefused_data()
{
    QTest::addColumn<bool>("packed");
    QTest::newRow("plain") << false;
    QTest::newRow("gzip") << true;
}

void TestTrainerData::everyTruncationIsRefused()
{
    QFETCH(bool, packed);
    const QTemporaryDir folder;
    const QByteArray plain = idx("\x05\x04\x03", QByteArray("0123456789").repeated(6));
    const QByteArray whole = packed ? gzipped(plain) : plain;
    const QString path = folder.filePath(packed ? "x.gz" : "x");
    for (qsizetype length = 0; length < whole.size(); ++length) {
        put(path, whole.first(length));
        try {
            (void)readIdx(folder.filePath("x").toStdString(), 3);
            QFAIL(qPrintable(QStringLiteral("%1 of %2 bytes were taken").arg(length).arg(whole.size())));
        } catch (const Failure& failure) {
            QVERIFY(failure.code() == ExitCode::Data);
        }
    }
}

void TestTrainerData::foldersThatDoNotFit_data()
{
    QTest::addColumn<QByteArray>("trainLabels");
    QTest::addColumn<QByteArray>("testImages");
    QTest::addColumn<QByteArray>("testLabels");
    QTest::addColumn<QByteArray>("words"); // empty: it fits
    const QByteArray images = idx("\x02\x01\x03", "abcdef");
    QTest::newRow("fits") << idx("\x02", QByteArray("\1\0", 2)) << images << idx("\x02", QByteArray("\0\0", 2))
                          << QByteArray();
    QTest::newRow("labels") << idx("\x03", "\1\1\1") << images << idx("\x02", "\1\1")
                            << QByteArray("2 images, but 3 labels");
    QTest::newRow("sizes") << idx("\x02", "\1\1") << idx("\x01\x03\x01", "abc") << idx("\x01", "\1")
                           << QByteArray("differ in size");
    QTest::newRow("classes") << idx("\x02", "\1\1") << images << idx("\x02", "\1\2")
                             << QByteArray("the training labels lack");
}

void TestTrainerData::foldersThatDoNotFit()
{
    QFETCH(QByteArray, trainLabels);
    QFETCH(QByteArray, testImages);
    QFETCH(QByteArray, testLabels);
    QFETCH(QByteArray, words);
    const QTemporaryDir folder;
    put(folder.filePath("train-images-idx3-ubyte"), idx("\x02\x01\x03", "abcdef"));
    put(folder.filePath("train-labels-idx1-ubyte"), trainLabels);
    put(folder.filePath("t10k-images-idx3-ubyte"), testImages);
    put(folder.filePath("t10k-labels-idx1-ubyte"), testLabels);
    Options options;
    options.data = DataKind::Idx;
    options.dataPath = folder.path().toStdString();
    try {
        const DataSplit split = loadData(options);
        QVERIFY(words.isEmpty());
        QCOMPARE(split.train->count(), 2);
        QCOMPARE(split.train->shape().classes, 2);
        QCOMPARE(split.train->shape().width, 3);
    } catch (const Failure& failure) {
        QVERIFY(failure.code() == ExitCode::Data);
        QVERIFY2(!words.isEmpty() && QByteArray(failure.what()).contains(words), failure.what());
    }
}

void TestTrainerData::readNormalises()
{
    ImageMemory data({3, 1, 1, 2}, {0, 255, 51, 102, 255, 255}, {1, 2, 0});
    std::vector<float> images(4);
    std::vector<std::int64_t> labels(2);
    const std::vector<std::int64_t> indices{2, 0};
    data.read(indices, {}, {.images = images.data(), .targets = labels.data()});
    QCOMPARE(images, (std::vector<float>{1, 1, 0, 1}));
    QCOMPARE(labels, (std::vector<std::int64_t>{0, 1}));
    data.normalise({0.5F, 0.25F});
    data.read(indices, {}, {.images = images.data(), .targets = labels.data()});
    QCOMPARE(images, (std::vector<float>{2, 2, -2, 2}));
    const ImageMemory::Statistics statistics = data.statistics();
    QVERIFY(std::abs(statistics.mean - 0.6F) < 1e-6F);
    QVERIFY(std::abs(statistics.deviation - 0.41633F) < 1e-5F);
}

void TestTrainerData::syntheticDataFollowTheSeed()
{
    const auto firstImage = [](std::int64_t seed) {
        Options options;
        options.data = DataKind::Synthetic;
        options.syntheticSamples = 20;
        options.seed = seed;
        const DataSplit split = loadData(options);
        std::vector<float> image(static_cast<std::size_t>(split.train->shape().inputs()));
        std::int64_t label = 0;
        const std::vector<std::int64_t> first{0};
        split.train->read(first, {}, {.images = image.data(), .targets = &label});
        return image;
    };
    QVERIFY(firstImage(1) == firstImage(1));
    QVERIFY(firstImage(1) != firstImage(2));
}

void TestTrainerData::samplerEqualsPythons()
{
    QFile file(QStringLiteral(LOCKSTEP_SOURCE_DIR "/tests/trainer/sampler_vectors.txt"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    int compared = 0;
    while (!file.atEnd()) {
        const QByteArray line = file.readLine().trimmed();
        if (line.startsWith('#'))
            continue;
        const QList<QByteArray> halves = line.split(':');
        const QList<QByteArray> head = halves[0].trimmed().split(' ');
        QCOMPARE(head.size(), 7);
        SamplerOptions options;
        options.replicas = head[1].toInt();
        options.rank = head[2].toInt();
        options.order = head[3] == "1" ? Order::Shuffled : Order::AsStored;
        options.remainder = head[4] == "1" ? Remainder::Drop : Remainder::Pad;
        options.seed = head[5].toLongLong();
        QByteArrayList indices;
        for (const std::int64_t index :
             DistributedSampler(head[0].toLongLong(), options).share(head[6].toLongLong()).indices)
            indices << QByteArray::number(qlonglong(index));
        QCOMPARE(indices.mid(0, 40).join(' '), halves[1].trimmed());
        ++compared;
    }
    QVERIFY(compared > 100);
}

void TestTrainerData::samplerCoversEverySample()
{
    std::vector<int> seen(101);
    for (int rank = 0; rank < 4; ++rank) {
        const DistributedSampler sampler(101, {.replicas = 4, .rank = rank, .seed = 3});
        QCOMPARE(sampler.perRank(), 26);
        for (const std::int64_t index : sampler.share(1).indices)
            ++seen.at(static_cast<std::size_t>(index));
    }
    QCOMPARE(std::ranges::count(seen, 1), 98); // three are the padding
    QCOMPARE(std::ranges::count(seen, 2), 3);
}

void TestTrainerData::samplerRefuses()
{
    QVERIFY_THROWS_EXCEPTION(Failure, DistributedSampler(0, {}));
    QVERIFY_THROWS_EXCEPTION(Failure, DistributedSampler(std::int64_t{1} << 40, {}));
    QVERIFY_THROWS_EXCEPTION(Failure, DistributedSampler(3, {.replicas = 4, .remainder = Remainder::Drop}));
}

QTEST_GUILESS_MAIN(TestTrainerData)
#include "tst_trainerdata.moc"
