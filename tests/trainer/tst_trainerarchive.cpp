// SPDX-License-Identifier: GPL-3.0-or-later
// The bytes of a checkpoint: what was written is read, and whatever is broken or foreign is refused with a sentence.
#include "trainer/checkpoint/checkpointfolder.h"
#include "trainer/checkpoint/pickle.h"
#include "trainer/checkpoint/safetensorsheader.h"
#include "trainer/checkpoint/ziparchive.h"
#include "trainer/failure.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QProcess>
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

QByteArray contentOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

void put(const QString& path, const QByteArray& bytes)
{
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size())
        qFatal("cannot write %s", qPrintable(path));
}

// A safetensors file: the length, the JSON, so many bytes of tensors.
QByteArray safetensors(const QByteArray& json, int bytes)
{
    QByteArray file(8, '\0');
    for (int i = 0; i < 8; ++i)
        file[i] = static_cast<char>(static_cast<std::uint64_t>(json.size()) >> (8 * i) & 0xff);
    return file + json + QByteArray(bytes, 'x');
}

std::span<const std::byte> bytesOf(const QByteArray& bytes)
{
    return std::as_bytes(std::span(bytes.constData(), static_cast<std::size_t>(bytes.size())));
}

void putCheckpoint(CheckpointFolder& folder, std::int64_t step)
{
    put(QString::fromStdString(folder.fileOf(step)), QByteArray::number(qint64{step}));
    folder.wasWritten(step);
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
    void numbersBeyond32BitsAreReadByUsAndByPython_data();
    void numbersBeyond32BitsAreReadByUsAndByPython();
    void manyEntriesAreReadByUsAndByPython();
    void safetensorsReadsWhatItWrites();
    void safetensorsRefuses_data();
    void safetensorsRefuses();
    void everyTruncatedSafetensorsIsRefused();
    void manyNamesCostNoMoreThanTheirLength();
    void aFolderKeepsTheLastAndTheBest();
    void aFolderLeavesWhatIsNotItsOwn();
    void aFolderIsMadeAndCleaned();
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

// The forms are those of files above 4 GiB; the numbers from which they are used are small here.
void TestTrainerArchive::numbersBeyond32BitsAreReadByUsAndByPython_data()
{
    QTest::addColumn<quint64>("from");
    QTest::newRow("every number") << quint64{0};
    QTest::newRow("the big entry, and what lies behind it") << quint64{50'000};
    QTest::newRow("only places") << quint64{100'050};
}

void TestTrainerArchive::numbersBeyond32BitsAreReadByUsAndByPython()
{
    QFETCH(quint64, from);
    const QTemporaryDir folder;
    const QString path = folder.filePath("a.zip");
    const std::string big(100'000, 'x');
    ZipWriter writer(path.toStdString(), from);
    writer.add("archive/data/0", bytesOf(big));
    writer.add("archive/data.pkl", bytesOf(std::string("pickle")));
    writer.commit();

    const ZipReader reader(path.toStdString());
    QVERIFY(std::ranges::equal(reader.content("archive/data/0"), bytesOf(big)));
    QVERIFY(std::ranges::equal(reader.content("archive/data.pkl"), bytesOf(std::string("pickle"))));
    const QByteArray bytes = contentOf(path);
    QCOMPARE(bytes.indexOf(QByteArray(100, 'x')) % 64, 0);
    QCOMPARE(bytes.indexOf("pickle") % 64, 0);
    QVERIFY(bytes.contains(QByteArray("PK\6\6", 4))); // zip64's end of directory

    QProcess python;
    python.start("python3",
                 {"-c",
                  "import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None\n"
                  "assert z.read('archive/data.pkl') == b'pickle' and z.read('archive/data/0') == b'x' * 100000",
                  path});
    QVERIFY(python.waitForFinished());
    QVERIFY2(python.exitCode() == 0, python.readAllStandardError());

    const QString cut = folder.filePath("cut.zip");
    for (qsizetype length = bytes.size() - 400; length < bytes.size(); ++length) {
        put(cut, bytes.first(length));
        QVERIFY_THROWS_EXCEPTION(Failure, ZipReader(cut.toStdString()));
    }
}

void TestTrainerArchive::manyEntriesAreReadByUsAndByPython()
{
    constexpr int kEntries = 70'000; // beyond 16 bits
    const QTemporaryDir folder;
    const QString path = folder.filePath("a.zip");
    ZipWriter writer(path.toStdString());
    for (int i = 0; i < kEntries; ++i)
        writer.add("archive/data/" + std::to_string(i), {});
    writer.commit();
    const ZipReader reader(path.toStdString());
    QVERIFY(reader.has("archive/data/69999"));
    QProcess python;
    python.start("python3", {"-c", "import sys, zipfile; print(len(zipfile.ZipFile(sys.argv[1]).namelist()))", path});
    QVERIFY(python.waitForFinished());
    QCOMPARE(python.readAllStandardOutput(), QByteArray("70000\n"));
}

void TestTrainerArchive::safetensorsReadsWhatItWrites()
{
    std::vector<SafetensorsEntry> entries{{"a \"quoted\" name", "BOOL", {3}, 0, 0},
                                          {"fc.weight", "F32", {2, 3}, 0, 0},
                                          {"batches", "I64", {}, 0, 0},
                                          {"nothing", "F16", {0, 4}, 0, 0}};
    std::string file = makeSafetensorsHeader(entries);
    QVERIFY(file.size() % 8 == 0);
    file.append(3 + 24 + 8, 'x');
    const auto found = readSafetensorsHeader(bytesOf(file), "x");
    QCOMPARE(found.size(), entries.size());
    for (const SafetensorsEntry& entry : entries) {
        const auto same = std::ranges::find(found, entry.name, &SafetensorsEntry::name);
        QVERIFY(same != found.end());
        QCOMPARE(same->type, entry.type);
        QCOMPARE(same->shape, entry.shape);
        QCOMPARE(same->begin, entry.begin);
        QCOMPARE(same->end, entry.end);
        QVERIFY(entry.begin % bytesOfSafetensorsType(entry.type) == 0);
    }
}

void TestTrainerArchive::safetensorsRefuses_data()
{
    QTest::addColumn<QByteArray>("file");
    QTest::addColumn<QByteArray>("words");
    const QByteArray good = R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
    QTest::newRow("short") << QByteArray("abc") << QByteArray("too short");
    QTest::newRow("long header") << QByteArray("\xff\xff\xff\xff\0\0\0\0{}", 10) << QByteArray("100 MB");
    QTest::newRow("longest header") << QByteArray("\xff\xff\xff\xff\xff\xff\xff\xff{}", 10) << QByteArray("100 MB");
    QTest::newRow("cut header") << safetensors(good, 0).first(20) << QByteArray("header is cut off");
    QTest::newRow("no JSON") << safetensors("{\"a\":", 0) << QByteArray("no JSON");
    QTest::newRow("a list") << safetensors("[]", 0) << QByteArray("does not begin with {");
    QTest::newRow("cut tensor") << safetensors(good, 7) << QByteArray("a is cut off");
    QTest::newRow("bytes of nobody") << safetensors(good, 9) << QByteArray("belong to no tensor");
    QTest::newRow("hole") << safetensors(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}})", 12)
                          << QByteArray("unnamed bytes");
    QTest::newRow("overlap")
        << safetensors(
               R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}})",
               12)
        << QByteArray("b overlaps");
    QTest::newRow("twice")
        << safetensors(
               R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})",
               8)
        << QByteArray("names a twice");
    QTest::newRow("other size") << safetensors(R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})", 8)
                                << QByteArray("has 8 bytes, its shape needs 12");
    QTest::newRow("overflow") << safetensors(
                                     R"({"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}})", 0)
                              << QByteArray("too large");
    QTest::newRow("negative") << safetensors(R"({"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})", 8)
                              << QByteArray("not described");
    QTest::newRow("no shape") << safetensors(R"({"a":{"dtype":"F32","data_offsets":[0,8]}})", 8)
                              << QByteArray("not described");
    QTest::newRow("backwards") << safetensors(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})", 8)
                               << QByteArray("cut off");
    QTest::newRow("type") << safetensors(R"({"a":{"dtype":"F99","shape":[2],"data_offsets":[0,8]}})", 8)
                          << QByteArray("the type F99");
    QTest::newRow("nested") << safetensors(QByteArray("{\"a\":") + QByteArray(100'000, '['), 0)
                            << QByteArray("no JSON");
}

void TestTrainerArchive::safetensorsRefuses()
{
    QFETCH(QByteArray, file);
    QFETCH(QByteArray, words);
    try {
        (void)readSafetensorsHeader(bytesOf(file), "x.safetensors");
        QFAIL("was taken");
    } catch (const Failure& failure) {
        QVERIFY(failure.code() == ExitCode::Checkpoint);
        QVERIFY2(QByteArray(failure.what()).contains(words), failure.what());
        QVERIFY2(QByteArray(failure.what()).contains("x.safetensors"), failure.what());
    }
}

void TestTrainerArchive::everyTruncatedSafetensorsIsRefused()
{
    const QByteArray whole =
        safetensors(R"({"__metadata__":{"format":"pt"},"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 8);
    QCOMPARE(readSafetensorsHeader(bytesOf(whole), "x").size(), std::size_t{1});
    for (qsizetype length = 0; length < whole.size(); ++length)
        QVERIFY_THROWS_EXCEPTION(Failure, (void)readSafetensorsHeader(bytesOf(whole.first(length)), "x"));
}

// A reader that looks through all names for each one takes minutes for these.
void TestTrainerArchive::manyNamesCostNoMoreThanTheirLength()
{
    constexpr int kNames = 200'000;
    constexpr qint64 kMostMs = 20'000; // on a busy machine; 0.5 s was measured
    QByteArray json = "{";
    for (int i = 0; i < kNames; ++i)
        json +=
            (i > 0 ? ",\"" : "\"") + QByteArray::number(i) + R"(":{"dtype":"F32","shape":[0],"data_offsets":[0,0]})";
    QElapsedTimer timer;
    timer.start();
    QCOMPARE(readSafetensorsHeader(bytesOf(safetensors(json + "}", 0)), "x").size(), std::size_t{kNames});
    json = R"({"a":{"dtype":"F32","shape":[0],"data_offsets":[0,0])";
    for (int i = 0; i < kNames; ++i)
        json += ",\"" + QByteArray::number(i) + "\":0";
    const QByteArray file = safetensors(json + "}}", 0);
    QVERIFY_THROWS_EXCEPTION(Failure, (void)readSafetensorsHeader(bytesOf(file), "x"));
    QVERIFY2(timer.elapsed() < kMostMs, qPrintable(QString::number(timer.elapsed())));
}

void TestTrainerArchive::aFolderKeepsTheLastAndTheBest()
{
    const QTemporaryDir scratch;
    CheckpointFolder folder(scratch.filePath("some/where/").toStdString(), 2);
    QVERIFY(folder.list().empty());
    folder.make();
    for (const std::int64_t step : {10, 20, 30, 40}) {
        putCheckpoint(folder, step);
        if (step <= 20)
            folder.setBest(step);
    }
    const QDir dir(scratch.filePath("some/where"));
    QCOMPARE(dir.entryList(QDir::Files, QDir::Name),
             (QStringList{"best.pt", "step-000000030.pt", "step-000000040.pt"}));
    QCOMPARE(contentOf(dir.filePath("best.pt")), QByteArray("20"));
    QCOMPARE(folder.list().back(), (CheckpointName{40, dir.filePath("step-000000040.pt").toStdString()}));
    putCheckpoint(folder, 40); // once more, at the epoch's end
    QCOMPARE(folder.list().size(), std::size_t{2});
}

void TestTrainerArchive::aFolderLeavesWhatIsNotItsOwn()
{
    const QTemporaryDir scratch;
    for (const char* name : {"step-000000010.pt", "step-000000020.pt", "step-000000090.pt", "notes.txt", "step-.pt",
                             "step-1x.pt", "step-5.pt.old"})
        put(scratch.filePath(name), name);
    CheckpointFolder folder(scratch.path().toStdString(), 1);
    folder.make();
    QCOMPARE(folder.list().size(), std::size_t{3});
    folder.takeOver(20); // goes on from step 20: a later one is another run's
    putCheckpoint(folder, 30);
    const QStringList left = QDir(scratch.path()).entryList(QDir::Files, QDir::Name);
    QCOMPARE(left, (QStringList{"notes.txt", "step-.pt", "step-000000030.pt", "step-000000090.pt", "step-1x.pt",
                                "step-5.pt.old"}));
}

void TestTrainerArchive::aFolderIsMadeAndCleaned()
{
    const QTemporaryDir scratch;
    for (const char* name : {"step-000000010.pt.new.4711", "best.pt.new.12", "a.new.b", ".new.7"})
        put(scratch.filePath(name), "half of it");
    CheckpointFolder(scratch.path().toStdString(), 1).make();
    QCOMPARE(QDir(scratch.path()).entryList(QDir::Files | QDir::Hidden, QDir::Name),
             (QStringList{".new.7", "a.new.b"}));
    QVERIFY_THROWS_EXCEPTION(Failure, CheckpointFolder(scratch.filePath("a.new.b").toStdString(), 1).make());
    QVERIFY_THROWS_EXCEPTION(Failure, CheckpointFolder(scratch.filePath("a.new.b/c").toStdString(), 1).make());
}

QTEST_GUILESS_MAIN(TestTrainerArchive)
#include "tst_trainerarchive.moc"
