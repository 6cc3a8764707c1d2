// SPDX-License-Identifier: GPL-3.0-or-later
// The bytes of a checkpoint: what was written is read, and whatever is broken or foreign is refused with a sentence.
#include "trainer/failure.h"
#include "trainer/checkpoint/pickle.h"
#include "trainer/checkpoint/ziparchive.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <random>

using namespace lockstep::trainer;

namespace {

std::span<const std::byte> bytesOf(const std::string& text)
{
    return std::as_bytes(std::span(text));
}

std::string sample()
{
    PickleWriter writer;
    writer.beginDict();
    writer.text("model");
    writer.beginOrderedDict();
    writer.text("weight");
    writer.tensor({"FloatStorage", "0", 6, 0, {2, 3}, {3, 1}});
    writer.endDict();
    writer.text("numbers");
    writer.beginList();
    writer.integer(-7);
    writer.integer(std::int64_t{1} << 40);
    writer.integer(-(std::int64_t{1} << 40));
    writer.real(0.001);
    writer.truth(true);
    writer.none();
    writer.endList();
    writer.endDict();
    return writer.finish();
}

} // namespace

class TestTrainerArchive : public QObject {
    Q_OBJECT

private slots:
    void pickleReadsWhatItWrites();
    void pickleRefuses_data();
    void pickleRefuses();
    void everyTruncatedPickleIsRefused();
    void damagedPicklesNeverCrash();
    void zipReadsWhatItWrites();
    void everyTruncatedZipIsRefused();
    void aDamagedByteIsNoticed();
    void anUnfinishedFileLeavesNothing();
};

void TestTrainerArchive::pickleReadsWhatItWrites()
{
    const std::string bytes = sample();
    const PickleDocument document(bytesOf(bytes), "x");
    const auto* model = PickleDocument::find(document.root(), "model");
    QVERIFY(model != nullptr);
    const auto& tensor = std::get<StoredTensor>(PickleDocument::find(*model, "weight")->held);
    QCOMPARE(tensor.storageType, std::string("FloatStorage"));
    QCOMPARE(tensor.key, std::string("0"));
    QCOMPARE(tensor.sizes, (std::vector<std::int64_t>{2, 3}));
    QCOMPARE(tensor.strides, (std::vector<std::int64_t>{3, 1}));
    const auto& numbers = std::get<PickleDocument::List>(PickleDocument::find(document.root(), "numbers")->held);
    QCOMPARE(numbers.size(), std::size_t{6});
    QCOMPARE(std::get<std::int64_t>(numbers[0]->held), -7);
    QCOMPARE(std::get<std::int64_t>(numbers[1]->held), std::int64_t{1} << 40);
    QCOMPARE(std::get<std::int64_t>(numbers[2]->held), -(std::int64_t{1} << 40));
    QCOMPARE(std::get<double>(numbers[3]->held), 0.001);
    QCOMPARE(std::get<bool>(numbers[4]->held), true);
    QVERIFY(std::holds_alternative<PickleDocument::None>(numbers[5]->held));
    QVERIFY(PickleDocument::find(document.root(), "other") == nullptr);
}

void TestTrainerArchive::pickleRefuses_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QByteArray>("words");
    QTest::newRow("a call") << QByteArray("\x80\x02"
                                          "cos\nsystem\nX\x02\0\0\0ls\x85R.",
                                          24)
                            << QByteArray("os.system");
    QTest::newRow("empty stack") << QByteArray("\x80\x02.", 3) << QByteArray("stack runs empty");
    QTest::newRow("no mark") << QByteArray("\x80\x02}u.", 5) << QByteArray("never opened");
    QTest::newRow("key without value") << QByteArray("\x80\x02}(K\1u.", 8) << QByteArray("key without a value");
    QTest::newRow("wrong memo") << QByteArray("\x80\x02h\5.", 5) << QByteArray("never there");
    QTest::newRow("append to number") << QByteArray("\x80\x02K\1K\2a.", 8) << QByteArray("a list must stand");
    QTest::newRow("unknown opcode") << QByteArray("\x80\x02\x95.", 4) << QByteArray("opcode 149");
    QTest::newRow("long text") << QByteArray("\x80\x02X\xff\xff\xff\x7f", 7) << QByteArray("ends in the middle");
    QTest::newRow("long number") << QByteArray("\x80\x02\x8a\x09", 4) + QByteArray(9, '1') + "."
                                 << QByteArray("beyond 64 bits");
    QTest::newRow("storage") << QByteArray("\x80\x02(K\1K\2tQ.", 10) << QByteArray("storage of another form");
    QTest::newRow("itself inside") << QByteArray("\x80\x02]q\0h\0a0.", 10) << QByteArray("stack runs empty");
}

void TestTrainerArchive::pickleRefuses()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QByteArray, words);
    try {
        const PickleDocument document(bytesOf(bytes.toStdString()), "x.pt");
        QFAIL("was taken");
    } catch (const Failure& failure) {
        QVERIFY(failure.code() == ExitCode::Checkpoint);
        QVERIFY2(QByteArray(failure.what()).contains(words), failure.what());
        QVERIFY2(QByteArray(failure.what()).contains("x.pt"), failure.what());
    }
}

void TestTrainerArchive::everyTruncatedPickleIsRefused()
{
    const std::string whole = sample();
    for (std::size_t length = 0; length < whole.size(); ++length)
        QVERIFY_THROWS_EXCEPTION(Failure, PickleDocument(bytesOf(whole.substr(0, length)), "x"));
}

void TestTrainerArchive::damagedPicklesNeverCrash()
{
    constexpr unsigned kSeed = 20261129;
    std::mt19937 random(kSeed);
    const std::string whole = sample();
    int taken = 0;
    for (int round = 0; round < 20'000; ++round) {
        std::string damaged = whole;
        for (unsigned i = 0; i < 1 + random() % 4; ++i)
            damaged[random() % damaged.size()] = static_cast<char>(random());
        try {
            const PickleDocument document(bytesOf(damaged), "x");
            ++taken; // a changed number is still a pickle
        } catch (const Failure&) {
        }
    }
    qInfo("seed %u: %d of 20000 were still pickles", kSeed, taken);
    QVERIFY(taken < 20'000);
}

void TestTrainerArchive::zipReadsWhatItWrites()
{
    const QTemporaryDir folder;
    const std::string path = folder.filePath("a.zip").toStdString();
    const std::string big(100'000, 'x');
    ZipWriter writer(path);
    writer.add("archive/data.pkl", bytesOf(std::string("pickle")));
    writer.add("archive/data/0", bytesOf(big));
    writer.add("archive/empty", {});
    QVERIFY(!QFile::exists(folder.filePath("a.zip"))); // it lies aside until it is whole
    writer.commit();

    const ZipReader reader(path);
    QCOMPARE(reader.folder(), std::string("archive"));
    QVERIFY(std::ranges::equal(reader.content("archive/data.pkl"), bytesOf(std::string("pickle"))));
    QVERIFY(std::ranges::equal(reader.content("archive/data/0"), bytesOf(big)));
    QVERIFY(reader.content("archive/empty").empty());
    QVERIFY(!reader.has("archive/other"));
    QVERIFY_THROWS_EXCEPTION(Failure, (void)reader.content("archive/other"));
    QCOMPARE(QDir(folder.path()).entryList(QDir::Files), QStringList{"a.zip"});
}

void TestTrainerArchive::everyTruncatedZipIsRefused()
{
    const QTemporaryDir folder;
    const QString path = folder.filePath("a.zip");
    ZipWriter writer(path.toStdString());
    writer.add("archive/data.pkl", bytesOf(std::string("pickle")));
    writer.commit();
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray whole = file.readAll();
    const QString cut = folder.filePath("cut.zip");
    for (qsizetype length = 0; length < whole.size(); ++length) {
        QFile out(cut);
        QVERIFY(out.open(QIODevice::WriteOnly));
        out.write(whole.first(length));
        out.close();
        QVERIFY_THROWS_EXCEPTION(Failure, ZipReader(cut.toStdString()));
    }
    QVERIFY_THROWS_EXCEPTION(Failure, ZipReader(folder.path().toStdString())); // a folder
}

void TestTrainerArchive::aDamagedByteIsNoticed()
{
    const QTemporaryDir folder;
    const QString path = folder.filePath("a.zip");
    ZipWriter writer(path.toStdString());
    writer.add("archive/data.pkl", bytesOf(std::string("pickle")));
    writer.commit();
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadWrite));
    QByteArray bytes = file.readAll();
    const qsizetype at = bytes.indexOf("pickle");
    bytes[at] = 'P';
    file.seek(0);
    file.write(bytes);
    file.close();
    const ZipReader reader(path.toStdString());
    QVERIFY_THROWS_EXCEPTION(Failure, (void)reader.content("archive/data.pkl"));
    // Every damage of one byte is refused or changes nothing that is read; none crashes.
    for (qsizetype i = 0; i < bytes.size(); ++i) {
        QByteArray damaged = bytes;
        damaged[at] = 'p';
        damaged[i] = static_cast<char>(damaged[i] ^ 0x55);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(damaged);
        file.close();
        try {
            const ZipReader other(path.toStdString());
            if (other.has("archive/data.pkl"))
                QVERIFY(std::ranges::equal(other.content("archive/data.pkl"), bytesOf(std::string("pickle"))));
        } catch (const Failure&) {
        }
    }
}

void TestTrainerArchive::anUnfinishedFileLeavesNothing()
{
    const QTemporaryDir folder;
    {
        ZipWriter writer(folder.filePath("a.zip").toStdString());
        writer.add("archive/data.pkl", bytesOf(std::string("pickle")));
    }
    QVERIFY(QDir(folder.path()).entryList(QDir::Files).isEmpty());
    QVERIFY_THROWS_EXCEPTION(Failure, ZipWriter("/nowhere/a.zip"));
}

QTEST_GUILESS_MAIN(TestTrainerArchive)
#include "tst_trainerarchive.moc"
