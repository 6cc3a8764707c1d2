// SPDX-License-Identifier: GPL-3.0-or-later
// Pictures: every kind of JPEG and PNG, broken ones, resizing, folders, augmentation.
#include "tests/trainer/madeimages.h"

#include "trainer/data/augment.h"
#include "trainer/data/imagememory.h"
#include "trainer/data/pixelimage.h"
#include "trainer/data/resize.h"
#include "trainer/failure.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <set>

using namespace lockstep::test;
using namespace lockstep::trainer;

namespace {

std::span<const std::uint8_t> bytesOf(const QByteArray& file)
{
    return {reinterpret_cast<const std::uint8_t*>(file.constData()), static_cast<std::size_t>(file.size())};
}

PixelImage decode(const QByteArray& file)
{
    return decodeImage(bytesOf(file), "x.file");
}

QByteArray refusal(const QByteArray& file)
{
    try {
        (void)decode(file);
    } catch (const Failure& failure) {
        return failure.code() == ExitCode::Data ? failure.what() : "another exit code";
    }
    return "it was taken";
}

void put(const QString& path, const QByteArray& bytes)
{
    QVERIFY(QFileInfo(path).dir().mkpath("."));
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(file.write(bytes), bytes.size());
}

QByteArray plain(int width, int height, const QByteArray& rgb) // a PNG of one colour
{
    return png({.width = width, .height = height, .rows = rgb.repeated(width * height)});
}

// As torch.nn.functional.interpolate saw it when the vectors below were made.
PixelImage pattern(std::int64_t width, std::int64_t height)
{
    PixelImage image{width, height, {}};
    for (std::int64_t y = 0; y < height; ++y) {
        for (std::int64_t x = 0; x < width; ++x) {
            for (std::int64_t c = 0; c < 3; ++c)
                image.pixels.push_back(static_cast<std::uint8_t>(x * 37 + y * 91 + c * 53 + x * y * 7));
        }
    }
    return image;
}

int mostDifferent(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b)
{
    int most = a.size() == b.size() ? 0 : 256;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
        most = std::max(most, std::abs(a[i] - b[i]));
    return most;
}

Options folderOptions(const QTemporaryDir& folder, int side)
{
    Options options;
    options.data = DataKind::Images;
    options.dataPath = folder.path().toStdString();
    options.imageSize = side;
    return options;
}

std::pair<std::vector<float>, std::int64_t> sample(const Dataset& data, std::int64_t index, const Draw& draw = {})
{
    std::vector<float> image(static_cast<std::size_t>(data.shape().inputs()));
    std::int64_t label = -1;
    data.read(std::vector{index}, draw, {.images = image.data(), .targets = &label});
    return {image, label};
}

} // namespace

class TestTrainerImages : public QObject {
    Q_OBJECT

private slots:
    void decodes_data();
    void decodes();
    void refuses_data();
    void refuses();
    void everyTruncationIsRefused_data();
    void everyTruncationIsRefused();
    void resizesAsPillow_data();
    void resizesAsPillow();
    void readsAFolder();
    void greyAndOtherSizes();
    void foldersThatDoNotFit_data();
    void foldersThatDoNotFit();
    void aBrokenImageNamesItsFile();
    void cropsStayInside();
    void augmentationFollowsSeedEpochAndIndex();
    void shiftsOverABlackBorder();
};

void TestTrainerImages::decodes_data()
{
    QTest::addColumn<QByteArray>("file");
    QTest::addColumn<QByteArray>("pixels"); // of a 2 × 1 image
    QTest::addColumn<int>("tolerance");
    const QByteArray colours("\x10\x20\x30\xa0\xb0\xc0", 6);
    const auto made = [](int depth, int colour, const QByteArray& rows, const QByteArray& palette = {}) {
        return png({.width = 2, .height = 1, .depth = depth, .colour = colour, .rows = rows, .palette = palette});
    };
    QTest::newRow("png, rgb") << made(8, 2, colours) << colours << 0;
    QTest::newRow("png, rgb and alpha") << made(8, 6, QByteArray("\x10\x20\x30\x00\xa0\xb0\xc0\x80", 8)) << colours
                                        << 0;
    QTest::newRow("png, rgb of 16 bits") << made(16, 2,
                                                 QByteArray("\x10\x10\x20\x20\x30\x30\xa0\xa0\xb0\xb0\xc0\xc0", 12))
                                         << colours << 0;
    QTest::newRow("png, palette") << made(8, 3, QByteArray("\1\0", 2), QByteArray("\xa0\xb0\xc0\x10\x20\x30", 6))
                                  << colours << 0;
    QTest::newRow("png, palette of 1 bit")
        << made(1, 3, QByteArray("\x80", 1), QByteArray("\xa0\xb0\xc0\x10\x20\x30", 6)) << colours << 0;
    QTest::newRow("png, grey") << made(8, 0, QByteArray("\x07\xf0", 2)) << QByteArray("\7\7\7\xf0\xf0\xf0", 6) << 0;
    QTest::newRow("png, grey and alpha") << made(8, 4, QByteArray("\x07\x00\xf0\xff", 4))
                                         << QByteArray("\7\7\7\xf0\xf0\xf0", 6) << 0;
    QTest::newRow("png, grey of 16 bits")
        << made(16, 0, QByteArray("\x07\x07\xf0\xf0", 4)) << QByteArray("\7\7\7\xf0\xf0\xf0", 6) << 0;
    QTest::newRow("png, grey of 1 bit") << made(1, 0, QByteArray("\x40", 1)) << QByteArray("\0\0\0\xff\xff\xff", 6)
                                        << 0;
    QTest::newRow("png, grey of 4 bits") << made(4, 0, QByteArray("\x1e", 1))
                                         << QByteArray("\x11\x11\x11\xee\xee\xee", 6) << 0;
    QTest::newRow("jpeg, rgb") << jpeg(2, 1, JpegColours::Rgb, QByteArray("\x10\x20\x30\x10\x20\x30", 6))
                               << QByteArray("\x10\x20\x30\x10\x20\x30", 6) << 2;
    QTest::newRow("jpeg, grey") << jpeg(2, 1, JpegColours::Grey, QByteArray("\x07\xf0", 2))
                                << QByteArray("\7\7\7\xf0\xf0\xf0", 6) << 2;
    // No ink but 50 % of cyan, then half of that in light: red is what cyan takes away.
    QTest::newRow("jpeg, cmyk") << jpeg(2, 1, JpegColours::Cmyk, QByteArray("\x80\0\0\0\x80\0\0\x80", 8))
                                << QByteArray("\x7f\xff\xff\x3f\x7f\x7f", 6) << 3;
    QTest::newRow("jpeg, cmyk inverted by Adobe")
        << jpeg(2, 1, JpegColours::AdobeCmyk, QByteArray("\x7f\xff\xff\xff\x7f\xff\xff\x7f", 8))
        << QByteArray("\x7f\xff\xff\x3f\x7f\x7f", 6) << 3;
}

void TestTrainerImages::decodes()
{
    QFETCH(QByteArray, file);
    QFETCH(QByteArray, pixels);
    QFETCH(int, tolerance);
    const PixelImage image = decode(file);
    QCOMPARE(image.width, 2);
    QCOMPARE(image.height, 1);
    const std::span<const std::uint8_t> expected = bytesOf(pixels);
    const int difference = mostDifferent(image.pixels, {expected.begin(), expected.end()});
    QVERIFY2(difference <= tolerance, QByteArray(reinterpret_cast<const char*>(image.pixels.data()), 6).toHex());
}

void TestTrainerImages::refuses_data()
{
    QTest::addColumn<QByteArray>("file");
    QTest::addColumn<QByteArray>("words");
    const QByteArray good = plain(3, 3, "abc");
    QByteArray crc = good;
    crc[crc.size() - 20] = static_cast<char>(crc[crc.size() - 20] ^ 1);
    QByteArray huge = jpeg(8, 8, JpegColours::Grey, QByteArray(64, '\0'));
    const qsizetype frame = huge.indexOf("\xff\xc0");
    huge.replace(frame + 5, 4, QByteArray("\xff\xdc\xff\xdc", 4));
    QTest::newRow("nothing") << QByteArray() << QByteArray("neither JPEG nor PNG");
    QTest::newRow("text") << QByteArray("hello") << QByteArray("neither JPEG nor PNG");
    QTest::newRow("gif") << QByteArray("GIF89a....") << QByteArray("it is a GIF, only JPEG and PNG are read");
    QTest::newRow("webp") << QByteArray("RIFF....WEBP") << QByteArray("it is a WebP");
    QTest::newRow("lfs") << QByteArray("version https://git-lfs.github.com/spec/v1") << QByteArray("Git LFS pointer");
    QTest::newRow("png, a bit is wrong") << crc << QByteArray("x.file: broken PNG: ");
    QTest::newRow("jpeg, claims 65500 × 65500") << huge << QByteArray("claims 65500 × 65500 pixels");
    QTest::newRow("jpeg, only its start") << QByteArray("\xff\xd8\xff\xe0", 4) << QByteArray("x.file: broken JPEG: ");
}

void TestTrainerImages::refuses()
{
    QFETCH(QByteArray, file);
    QFETCH(QByteArray, words);
    const QByteArray said = refusal(file);
    QVERIFY2(said.contains(words), said.constData());
}

void TestTrainerImages::everyTruncationIsRefused_data()
{
    QTest::addColumn<QByteArray>("file");
    QByteArray noise;
    for (int i = 0; i < 20 * 20 * 3; ++i)
        noise += static_cast<char>(i * i * 7 + i / 3);
    QTest::newRow("png") << png({.width = 20, .height = 20, .rows = noise});
    QTest::newRow("png, interlaced") << png({.width = 20, .height = 20, .interlaced = true, .rows = noise});
    QTest::newRow("jpeg") << jpeg(20, 20, JpegColours::Rgb, noise);
}

void TestTrainerImages::everyTruncationIsRefused()
{
    QFETCH(QByteArray, file);
    (void)decode(file);
    for (qsizetype length = 0; length < file.size() - 2; ++length) { // the last two: JPEG's end marker holds nothing
        const QByteArray said = refusal(file.first(length));
        QVERIFY2(said.contains("x.file"),
                 qPrintable(QStringLiteral("%1 of %2 bytes: ").arg(length).arg(file.size()) + said));
    }
}

void TestTrainerImages::resizesAsPillow_data()
{
    // By torch.nn.functional.interpolate(mode="bilinear", antialias=True) in double, Pillow's filter, rounded.
    QTest::addColumn<QList<int>>("size"); // of the pattern, of the crop (left, top, width, height), of the result
    QTest::addColumn<QList<int>>("pixels");
    QTest::newRow("smaller") << QList{7, 5, 0, 0, 7, 5, 3, 4}
                             << QList{56,  109, 148, 120, 147, 173, 158, 142, 113, 146, 154, 136,
                                      125, 111, 122, 114, 129, 136, 110, 117, 132, 142, 153, 139,
                                      145, 128, 135, 139, 151, 122, 136, 128, 133, 168, 139, 110};
    QTest::newRow("much smaller") << QList{9, 9, 0, 0, 9, 9, 2, 2}
                                  << QList{123, 135, 134, 130, 130, 130, 126, 129, 131, 132, 129, 122};
    QTest::newRow("the same") << QList{5, 3, 0, 0, 5, 3, 5, 3}
                              << QList{0,   53,  106, 37,  90,  143, 74,  127, 180, 111, 164, 217, 148, 201, 254,
                                       91,  144, 197, 135, 188, 241, 179, 232, 29,  223, 20,  73,  11,  64,  117,
                                       182, 235, 32,  233, 30,  83,  28,  81,  134, 79,  132, 185, 130, 183, 236};
}

void TestTrainerImages::resizesAsPillow()
{
    QFETCH(QList<int>, size);
    QFETCH(QList<int>, pixels);
    const PixelImage image = pattern(size[0], size[1]);
    const Crop crop{double(size[2]), double(size[3]), double(size[4]), double(size[5])};
    const PixelImage result = resized(image, crop, size[6], size[7]);
    QCOMPARE(result.width, size[6]);
    QCOMPARE(result.height, size[7]);
    const std::vector<std::uint8_t> expected(pixels.begin(), pixels.end());
    // One step: rounded to bytes between the two directions, as Pillow does.
    QVERIFY2(mostDifferent(result.pixels, expected) <= 1,
             qPrintable(QString::number(mostDifferent(result.pixels, expected))));

    Crop mirroredCrop = crop;
    mirroredCrop.mirrored = Mirrored::Yes;
    const PixelImage mirrored = resized(image, mirroredCrop, size[6], size[7]);
    for (std::int64_t x = 0; x < result.width; ++x) {
        for (std::int64_t c = 0; c < 3; ++c)
            QCOMPARE(mirrored.pixels[static_cast<std::size_t>(x * 3 + c)],
                     result.pixels[static_cast<std::size_t>((result.width - 1 - x) * 3 + c)]);
    }
}

void TestTrainerImages::readsAFolder()
{
    const QTemporaryDir folder;
    put(folder.filePath("train/dog/2.PNG"), plain(40, 30, QByteArray("\xff\0\0", 3)));
    put(folder.filePath("train/dog/1.jpeg"), jpeg(20, 50, JpegColours::Grey, QByteArray(1000, '\x80')));
    put(folder.filePath("train/dog/deeper/3.png"), plain(16, 16, QByteArray("\0\xff\0", 3)));
    put(folder.filePath("train/dog/notes.txt"), "no image");
    put(folder.filePath("train/cat/9.jpg"), plain(16, 16, QByteArray("\0\0\xff", 3))); // its bytes say PNG
    put(folder.filePath("train/.hidden/x.png"), "no image");
    put(folder.filePath("val/dog/1.png"), plain(16, 16, QByteArray("\0\0\0", 3)));
    const DataSplit split = loadData(folderOptions(folder, 16));
    QCOMPARE(split.train->count(), 4);
    QCOMPARE(split.test->count(), 1);
    QCOMPARE(split.train->shape(), (SampleShape{.channels = 3, .height = 16, .width = 16, .classes = 2}));
    QCOMPARE(split.test->shape(), split.train->shape());

    const auto value = [](int byte, float mean, float deviation) {
        return (static_cast<float>(byte) / 255 - mean) / deviation;
    };
    const auto [cat, catLabel] = sample(*split.train, 0); // cat, then dog/1.jpeg, dog/2.PNG, dog/deeper/3.png
    QCOMPARE(catLabel, 0);
    QCOMPARE(cat.front(), value(0, 0.485F, 0.229F));
    QCOMPARE(cat.back(), value(255, 0.406F, 0.225F));
    const auto [grey, greyLabel] = sample(*split.train, 1);
    QCOMPARE(greyLabel, 1);
    QVERIFY(std::abs(grey[300] - value(0x80, 0.456F, 0.224F)) < 0.04F);
    QCOMPARE(sample(*split.train, 2).first.front(), value(255, 0.485F, 0.229F));
    QCOMPARE(sample(*split.train, 3).first[256], value(255, 0.456F, 0.224F));
    QCOMPARE(sample(*split.test, 0).second, 1);
}

void TestTrainerImages::greyAndOtherSizes()
{
    const QTemporaryDir folder;
    put(folder.filePath("train/a/1.png"), plain(8, 8, QByteArray("\xff\0\0", 3)));
    put(folder.filePath("test/a/1.png"), plain(9, 700, QByteArray("\xff\xff\xff", 3)));
    Options options = folderOptions(folder, 0);
    options.channels = 1;
    const DataSplit split = loadData(options);
    QCOMPARE(split.train->shape(), (SampleShape{.channels = 1, .height = 224, .width = 224, .classes = 1}));
    QCOMPARE(sample(*split.train, 0).first.front(), (76.0F / 255 - 0.449F) / 0.226F); // 0.299 of red
    QCOMPARE(sample(*split.test, 0).first.back(), (1 - 0.449F) / 0.226F);
    options.channels = 2;
    QVERIFY_THROWS_EXCEPTION(Failure, (void)loadData(options));
}

void TestTrainerImages::foldersThatDoNotFit_data()
{
    QTest::addColumn<QStringList>("files");
    QTest::addColumn<QByteArray>("words");
    QTest::newRow("no split") << QStringList{"cat/1.png", "dog/1.png"} << QByteArray("train/CLASS/FILE");
    QTest::newRow("no class") << QStringList{"train/1.png"} << QByteArray("train: it holds no folder");
    QTest::newRow("an empty class") << QStringList{"train/cat/1.png", "train/dog/1.gif"}
                                    << QByteArray("train/dog: it holds no .jpg, .jpeg or .png");
    QTest::newRow("another class") << QStringList{"train/cat/1.png", "val/dog/1.png"}
                                   << QByteArray("val/dog: the training part has no such class");
}

void TestTrainerImages::foldersThatDoNotFit()
{
    QFETCH(QStringList, files);
    QFETCH(QByteArray, words);
    const QTemporaryDir folder;
    for (const QString& file : files)
        put(folder.filePath(file), plain(1, 1, "abc"));
    try {
        (void)loadData(folderOptions(folder, 4));
        QFAIL("was taken");
    } catch (const Failure& failure) {
        QVERIFY(failure.code() == ExitCode::Data);
        QVERIFY2(QByteArray(failure.what()).contains(words), failure.what());
    }
}

void TestTrainerImages::aBrokenImageNamesItsFile()
{
    const QTemporaryDir folder;
    put(folder.filePath("train/cat/good.png"), plain(4, 4, "abc"));
    put(folder.filePath("train/cat/half.png"), plain(4, 4, "abc").chopped(30));
    put(folder.filePath("train/cat/empty.png"), "");
    const DataSplit split = loadData(folderOptions(folder, 4));
    QCOMPARE(split.train->count(), 3);
    for (const auto& [index, words] : {std::pair{0, "train/cat/empty.png: it is empty"},
                                       std::pair{2, "train/cat/half.png: broken PNG: it ends too early"}}) {
        try {
            (void)sample(*split.train, index);
            QFAIL("was taken");
        } catch (const Failure& failure) {
            QVERIFY2(QByteArray(failure.what()).contains(words), failure.what());
        }
    }
}

void TestTrainerImages::cropsStayInside()
{
    for (const auto& [width, height] : {std::pair{500, 375}, {1, 1}, {3, 900}, {900, 3}, {224, 224}}) {
        int mirrored = 0;
        std::set<double> widths;
        for (std::int64_t index = 0; index < 400; ++index) {
            const Crop crop = cropFor(Augment::CropFlip, {1, 2}, index, width, height);
            QVERIFY(crop.left >= 0 && crop.top >= 0 && crop.width > 0 && crop.height > 0);
            QVERIFY(crop.left + crop.width <= width && crop.top + crop.height <= height);
            mirrored += crop.mirrored == Mirrored::Yes ? 1 : 0;
            widths.insert(crop.width);
        }
        QVERIFY2(mirrored > 140 && mirrored < 260, qPrintable(QString::number(mirrored)));
        QVERIFY(width < 200 || height < 200 || widths.size() > 50);
    }
    const Crop middle = cropFor(Augment::None, {}, 0, 512, 256);
    QCOMPARE(middle.width, 224.0);
    QCOMPARE(middle.left, 144.0);
    QCOMPARE(middle.top, 16.0);
}

void TestTrainerImages::augmentationFollowsSeedEpochAndIndex()
{
    std::vector<std::uint8_t> pixels(4 * 100);
    for (std::size_t i = 0; i < pixels.size(); ++i)
        pixels[i] = static_cast<std::uint8_t>(i % 97 + 1);
    ImageMemory data({4, 1, 10, 10}, pixels, {0, 1, 2, 3});
    const auto plainImage = sample(data, 1, {3, 0}).first;
    data.augment(Augment::CropFlip);
    const Draw draw{3, 7};
    const auto image = sample(data, 1, draw).first;
    QVERIFY(image == sample(data, 1, draw).first);
    QVERIFY(image != plainImage);
    int same = 0;
    for (int i = 0; i < 20; ++i)
        same +=
            (sample(data, 1, {3, 8 + i}).first == image) + (sample(data, 1, {4 + std::uint64_t(i), 7}).first == image);
    QVERIFY2(same <= 4, qPrintable(QString::number(same))); // of 162 possible, so a few may meet
    // In a batch as alone, wherever it stands there.
    std::vector<float> batch(300);
    std::vector<std::int64_t> labels(3);
    data.read(std::vector<std::int64_t>{2, 1, 0}, draw, {.images = batch.data(), .targets = labels.data()});
    QCOMPARE(std::vector(batch.begin() + 100, batch.begin() + 200), image);
}

void TestTrainerImages::shiftsOverABlackBorder()
{
    std::vector<std::uint8_t> pixels(100);
    for (std::size_t i = 0; i < pixels.size(); ++i)
        pixels[i] = static_cast<std::uint8_t>(i + 100);
    ImageMemory data({1, 1, 10, 10}, pixels, {0});
    data.normalise({{0.5F, 1.0F}});
    data.augment(Augment::CropFlip);
    std::set<std::pair<std::int64_t, std::int64_t>> seen;
    for (std::int64_t epoch = 0; epoch < 1000; ++epoch) {
        const Shift shift = shiftFor(Augment::CropFlip, {9, epoch}, 0);
        QVERIFY(std::abs(shift.right) <= 4 && std::abs(shift.down) <= 4);
        seen.insert({shift.right, shift.down});
        const std::vector<float> image = sample(data, 0, {9, epoch}).first;
        for (std::int64_t y = 0; y < 10; ++y) {
            for (std::int64_t x = 0; x < 10; ++x) {
                const std::int64_t fromX = (shift.mirrored == Mirrored::Yes ? 9 - x : x) + shift.right;
                const std::int64_t fromY = y + shift.down;
                const bool inside = fromX >= 0 && fromX < 10 && fromY >= 0 && fromY < 10;
                const auto byte = static_cast<float>(inside ? fromY * 10 + fromX + 100 : 0);
                QCOMPARE(image[static_cast<std::size_t>(y * 10 + x)], byte / 255.0F - 0.5F);
            }
        }
    }
    QCOMPARE(seen.size(), std::size_t{81});
    QCOMPARE(shiftFor(Augment::Crop, {9, 1}, 0).mirrored, Mirrored::No);
}

QTEST_GUILESS_MAIN(TestTrainerImages)
#include "tst_trainerimages.moc"
