// SPDX-License-Identifier: GPL-3.0-or-later
// Data sets in memory and made ones: MNIST's and CIFAR's files, synthetic data.
#include "trainer/data/dataset.h"
#include "trainer/data/idxfile.h"
#include "trainer/data/imagememory.h"
#include "trainer/failure.h"

#include <QDir>
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

// Every red byte is `byte`, green ones are 1 more, blue ones 2.
QByteArray cifarRecord(bool hundred, int label, int byte)
{
    QByteArray record(hundred ? 1 : 0, '\x7f'); // the coarse label is not looked at
    record += static_cast<char>(label);
    for (int channel = 0; channel < 3; ++channel)
        record += QByteArray(32 * 32, static_cast<char>(byte + channel));
    return record;
}

template <typename Call>
QByteArray refusal(const Call& call)
{
    try {
        call();
    } catch (const Failure& failure) {
        return failure.code() == ExitCode::Data ? failure.what() : "another exit code";
    }
    return "it was taken";
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
    void channelsAreNormalisedOnTheirOwn();
    void readsCifar_data();
    void readsCifar();
    void brokenCifar_data();
    void brokenCifar();
    void missingFilesAreNamed_data();
    void missingFilesAreNamed();
    void syntheticImages_data();
    void syntheticImages();
    void syntheticTokens();
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
    data.normalise({{0.5F, 0.25F}});
    data.read(indices, {}, {.images = images.data(), .targets = labels.data()});
    QCOMPARE(images, (std::vector<float>{2, 2, -2, 2}));
    const ChannelStatistics statistics = data.statistics().at(0);
    QVERIFY(std::abs(statistics.mean - 0.6F) < 1e-6F);
    QVERIFY(std::abs(statistics.deviation - 0.41633F) < 1e-5F);
}

void TestTrainerData::channelsAreNormalisedOnTheirOwn()
{
    ImageMemory data({1, 2, 1, 2}, {0, 255, 51, 51}, {0}, 7);
    QCOMPARE(data.shape().classes, 7);
    const std::vector<ChannelStatistics> statistics = data.statistics();
    QCOMPARE(statistics.size(), std::size_t{2});
    QCOMPARE(statistics[0].mean, 0.5F);
    QCOMPARE(statistics[0].deviation, 0.5F);
    QVERIFY(std::abs(statistics[1].mean - 0.2F) < 1e-6F);
    data.normalise({{0.5F, 0.5F}, {0.0F, 0.1F}});
    std::vector<float> image(4);
    std::int64_t label = 1;
    const std::vector<std::int64_t> first{0};
    data.read(first, {}, {.images = image.data(), .targets = &label});
    QCOMPARE(image, (std::vector<float>{-1, 1, 2, 2}));
    QVERIFY_THROWS_EXCEPTION(Failure, ImageMemory({1, 1, 1, 1}, {0}, {7}, 7));
}

void TestTrainerData::readsCifar_data()
{
    QTest::addColumn<bool>("hundred");
    QTest::addColumn<QString>("subfolder");
    QTest::newRow("10") << false << "";
    QTest::newRow("10, the archive's folder") << false << "cifar-10-batches-bin/";
    QTest::newRow("100") << true << "";
    QTest::newRow("100, the archive's folder") << true << "cifar-100-binary/";
}

void TestTrainerData::readsCifar()
{
    QFETCH(bool, hundred);
    QFETCH(QString, subfolder);
    const QTemporaryDir folder;
    QVERIFY(QDir(folder.path()).mkpath("./" + subfolder));
    const int files = hundred ? 1 : 5;
    for (int i = 0; i < files; ++i) {
        const QString name = hundred ? QStringLiteral("train.bin") : QStringLiteral("data_batch_%1.bin").arg(i + 1);
        put(folder.filePath(subfolder + name), cifarRecord(hundred, i, i) + cifarRecord(hundred, i + 1, 100 + i));
    }
    put(folder.filePath(subfolder + (hundred ? "test.bin" : "test_batch.bin")), cifarRecord(hundred, 9, 3));
    Options options;
    options.data = hundred ? DataKind::Cifar100 : DataKind::Cifar10;
    options.dataPath = folder.path().toStdString();
    const DataSplit split = loadData(options);
    QCOMPARE(split.train->count(), 2 * files);
    QCOMPARE(split.test->count(), 1);
    QCOMPARE(split.train->shape(),
             (SampleShape{.channels = 3, .height = 32, .width = 32, .classes = hundred ? 100 : 10}));
    QCOMPARE(split.test->shape().classes, split.train->shape().classes);

    std::vector<float> image(3 * 32 * 32);
    std::int64_t label = 0;
    const std::vector<std::int64_t> last{2 * files - 1};
    split.train->read(last, {}, {.images = image.data(), .targets = &label});
    QCOMPARE(label, files);
    const auto byte = static_cast<float>(100 + files - 1);
    QCOMPARE(image[0], (byte / 255 - (hundred ? 0.5071F : 0.4914F)) / (hundred ? 0.2673F : 0.2470F));
    QCOMPARE(image[3071], ((byte + 2) / 255 - (hundred ? 0.4409F : 0.4465F)) / (hundred ? 0.2762F : 0.2616F));
}

void TestTrainerData::brokenCifar_data()
{
    QTest::addColumn<QByteArray>("test");
    QTest::addColumn<QByteArray>("words");
    QTest::newRow("empty") << QByteArray() << QByteArray("test.bin: it is empty");
    QTest::newRow("cut") << cifarRecord(true, 3, 3).chopped(1) << QByteArray("no multiple of 3074");
    QTest::newRow("label") << cifarRecord(true, 3, 3) + cifarRecord(true, 100, 3)
                           << QByteArray("image 1 has the label 100 of 100");
}

void TestTrainerData::brokenCifar()
{
    QFETCH(QByteArray, test);
    QFETCH(QByteArray, words);
    const QTemporaryDir folder;
    put(folder.filePath("train.bin"), cifarRecord(true, 3, 3));
    put(folder.filePath("test.bin"), test);
    Options options;
    options.data = DataKind::Cifar100;
    options.dataPath = folder.path().toStdString();
    const QByteArray said = refusal([&options] { (void)loadData(options); });
    QVERIFY2(said.contains(words), said.constData());
}

void TestTrainerData::missingFilesAreNamed_data()
{
    QTest::addColumn<int>("data");
    QTest::addColumn<QByteArray>("words");
    QTest::newRow("idx") << int(DataKind::Idx) << QByteArray("/train-images-idx3-ubyte");
    QTest::newRow("cifar10") << int(DataKind::Cifar10) << QByteArray("/data_batch_1.bin: No such file");
    QTest::newRow("cifar100") << int(DataKind::Cifar100) << QByteArray("/train.bin: No such file");
    QTest::newRow("images") << int(DataKind::Images) << QByteArray("train/CLASS/FILE");
    QTest::newRow("tokens") << int(DataKind::Tokens) << QByteArray("/train.bin: No such file");
    QTest::newRow("text") << int(DataKind::Text) << QByteArray("/train.txt: No such file");
}

void TestTrainerData::missingFilesAreNamed()
{
    QFETCH(int, data);
    QFETCH(QByteArray, words);
    const QTemporaryDir folder;
    Options options;
    options.data = static_cast<DataKind>(data);
    options.dataPath = folder.path().toStdString();
    const QByteArray said = refusal([&options] { (void)loadData(options); });
    QVERIFY2(said.contains(words) && said.contains(folder.path().toUtf8()), said.constData());
}

void TestTrainerData::syntheticImages_data()
{
    QTest::addColumn<int>("side");
    QTest::addColumn<int>("channels");
    QTest::addColumn<int>("classes");
    QTest::newRow("default") << 0 << 0 << 0;
    QTest::newRow("as ImageNet") << 224 << 3 << 1000;
    QTest::newRow("one pixel") << 1 << 1 << 2;
    QTest::newRow("one class") << 5 << 2 << 1;
}

void TestTrainerData::syntheticImages()
{
    QFETCH(int, side);
    QFETCH(int, channels);
    QFETCH(int, classes);
    Options options;
    options.data = DataKind::Synthetic;
    options.syntheticSamples = std::int64_t{1} << 40; // nothing of them is kept
    options.imageSize = side;
    options.channels = channels;
    options.classes = classes;
    const auto imageAndLabel = [&options](std::int64_t seed, std::int64_t index) {
        options.seed = seed;
        const DataSplit split = loadData(options);
        std::vector<float> image(static_cast<std::size_t>(split.train->shape().inputs()));
        std::int64_t label = -1;
        split.train->read(std::vector{index}, {}, {.images = image.data(), .targets = &label});
        return std::pair(image, label);
    };
    const DataSplit split = loadData(options);
    QCOMPARE(split.train->count(), options.syntheticSamples);
    QCOMPARE(split.train->shape().inputs(), side == 0 ? 784 : side * side * channels);
    QCOMPARE(split.train->shape().classes, classes == 0 ? 10 : classes);
    QVERIFY(imageAndLabel(1, 5) == imageAndLabel(1, 5));
    if (side != 1) {
        QVERIFY(imageAndLabel(1, 5).first != imageAndLabel(2, 5).first);
        QVERIFY(imageAndLabel(1, 5).first != imageAndLabel(1, 6).first);
    }
    for (std::int64_t index = 0; index < 100; ++index) {
        std::vector<float> image(static_cast<std::size_t>(split.train->shape().inputs()));
        std::int64_t label = -1;
        split.train->read(std::vector{index}, {}, {.images = image.data(), .targets = &label});
        QVERIFY(label >= 0 && label < split.train->shape().classes);
        QVERIFY(std::ranges::all_of(image, [](float value) { return value > -2 && value < 6; }));
    }
}

void TestTrainerData::syntheticTokens()
{
    Options options;
    options.data = DataKind::Synthetic;
    options.model = ModelKind::Gpt;
    options.context = 50;
    options.vocabulary = 30;
    const DataSplit split = loadData(options);
    QCOMPARE(split.train->shape(), (SampleShape{.kind = SampleKind::Tokens, .context = 50, .classes = 30}));
    std::vector<std::int64_t> tokens(100);
    std::vector<std::int64_t> targets(100);
    split.train->read(std::vector<std::int64_t>{4, 9}, {}, {.tokens = tokens.data(), .targets = targets.data()});
    QCOMPARE(std::vector(tokens.begin() + 1, tokens.begin() + 50), std::vector(targets.begin(), targets.begin() + 49));
    QVERIFY(std::vector(tokens.begin(), tokens.begin() + 50) != std::vector(tokens.begin() + 50, tokens.end()));
    QVERIFY(std::ranges::all_of(tokens, [](std::int64_t token) { return token >= 0 && token < 30; }));
}

QTEST_GUILESS_MAIN(TestTrainerData)
#include "tst_trainerdata.moc"
