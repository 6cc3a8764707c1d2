// SPDX-License-Identifier: GPL-3.0-or-later
// Token files and text: which windows, what is for testing, what is refused.
#include "trainer/data/dataset.h"
#include "trainer/failure.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace lockstep::trainer;

namespace {

using Ids = std::vector<std::int64_t>;

void put(const QString& path, const QByteArray& bytes)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(file.write(bytes), bytes.size());
}

template <typename Token>
QByteArray counting(int count, Token first = 0)
{
    QByteArray bytes;
    for (int i = 0; i < count; ++i) {
        const auto token = static_cast<Token>(first + i);
        bytes.append(reinterpret_cast<const char*>(&token), sizeof token);
    }
    return bytes;
}

Options tokens(const QString& path, std::int64_t context)
{
    Options options;
    options.data = DataKind::Tokens;
    options.dataPath = path.toStdString();
    options.context = context;
    return options;
}

std::pair<Ids, Ids> sample(const Dataset& data, std::int64_t index) // tokens and targets
{
    Ids ids(static_cast<std::size_t>(data.shape().inputs()));
    Ids targets(ids.size());
    data.read(Ids{index}, {}, {.tokens = ids.data(), .targets = targets.data()});
    return {ids, targets};
}

} // namespace

class TestTrainerTokens : public QObject {
    Q_OBJECT

private slots:
    void windows_data();
    void windows();
    void oneFileKeepsATenthForTesting();
    void textIsBytes();
    void aFolderWithoutVal();
    void refuses_data();
    void refuses();
    void anIdOutsideTheVocabularyNamesItsPlace();
};

void TestTrainerTokens::windows_data()
{
    QTest::addColumn<int>("tokens");
    QTest::addColumn<int>("samples");
    QTest::newRow("one window and its next token") << 5 << 1;
    QTest::newRow("three more are not used") << 8 << 1;
    QTest::newRow("two windows") << 9 << 2;
}

void TestTrainerTokens::windows()
{
    QFETCH(int, tokens);
    QFETCH(int, samples);
    const QTemporaryDir folder;
    for (const bool wide : {false, true}) {
        const int first = wide ? 70'000 : 500;
        put(folder.filePath("train.bin"),
            wide ? counting<std::uint32_t>(tokens, 70'000) : counting<std::uint16_t>(tokens, 500));
        put(folder.filePath("val.bin"), wide ? counting<std::uint32_t>(5, 90'000) : counting<std::uint16_t>(5, 900));
        Options options = ::tokens(folder.path(), 4);
        options.tokenType = wide ? TokenType::Uint32 : TokenType::Uint16;
        const DataSplit split = loadData(options);
        QCOMPARE(split.train->count(), samples);
        QCOMPARE(split.test->count(), 1);
        QCOMPARE(split.train->shape(),
                 (SampleShape{.kind = SampleKind::Tokens, .context = 4, .classes = wide ? 90'005 : 905}));
        for (int i = 0; i < samples; ++i) {
            const std::int64_t start = first + 4 * i;
            const auto [ids, targets] = sample(*split.train, i);
            QCOMPARE(ids, (Ids{start, start + 1, start + 2, start + 3}));
            QCOMPARE(targets, (Ids{start + 1, start + 2, start + 3, start + 4}));
        }
    }
}

void TestTrainerTokens::oneFileKeepsATenthForTesting()
{
    const QTemporaryDir folder;
    put(folder.filePath("all.bin"), counting<std::uint16_t>(109));
    Options options = tokens(folder.filePath("all.bin"), 4);
    options.vocabulary = 5000;
    const DataSplit split = loadData(options);
    QCOMPARE(split.train->count(), 24); // of 99 tokens
    QCOMPARE(split.test->count(), 2);   // of 10
    QCOMPARE(sample(*split.train, 23).second.back(), 96);
    QCOMPARE(sample(*split.test, 0).first.front(), 99);
    QCOMPARE(split.test->shape().classes, 5000);
}

void TestTrainerTokens::textIsBytes()
{
    const QTemporaryDir folder;
    put(folder.filePath("train.txt"), "He said: \xc3\xa9.");
    put(folder.filePath("val.txt"), "abcdef");
    Options options = tokens(folder.path(), 5);
    options.data = DataKind::Text;
    const DataSplit split = loadData(options);
    QCOMPARE(split.train->shape().classes, 256);
    QCOMPARE(sample(*split.train, 1).first, (Ids{'i', 'd', ':', ' ', 0xc3}));
    QCOMPARE(sample(*split.train, 1).second, (Ids{'d', ':', ' ', 0xc3, 0xa9}));
    QCOMPARE(sample(*split.test, 0).second, (Ids{'b', 'c', 'd', 'e', 'f'}));
}

void TestTrainerTokens::aFolderWithoutVal()
{
    const QTemporaryDir folder;
    put(folder.filePath("train.bin"), counting<std::uint16_t>(9));
    const DataSplit split = loadData(tokens(folder.path(), 4));
    QVERIFY(split.train && !split.test);
}

void TestTrainerTokens::refuses_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QByteArray>("words");
    QTest::newRow("empty") << QByteArray() << QByteArray("it is empty");
    QTest::newRow("half a token") << QByteArray("abc") << QByteArray("3 bytes are no multiple of 2");
    QTest::newRow("too few") << counting<std::uint16_t>(4) << QByteArray("too few for one sample of 4");
    QTest::newRow("too few to test") << counting<std::uint16_t>(40)
                                     << QByteArray("4 tokens (of this part) are too few");
}

void TestTrainerTokens::refuses()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QByteArray, words);
    const QTemporaryDir folder;
    put(folder.filePath("x.bin"), bytes);
    try {
        (void)loadData(tokens(folder.filePath("x.bin"), 4));
        QFAIL("was taken");
    } catch (const Failure& failure) {
        QVERIFY(failure.code() == ExitCode::Data);
        QVERIFY2(QByteArray(failure.what()).contains(words), failure.what());
        QVERIFY2(QByteArray(failure.what()).contains("x.bin"), failure.what());
    }
}

void TestTrainerTokens::anIdOutsideTheVocabularyNamesItsPlace()
{
    const QTemporaryDir folder;
    put(folder.filePath("train.bin"), counting<std::uint16_t>(9));
    Options options = tokens(folder.path(), 4);
    options.vocabulary = 8;
    try {
        (void)loadData(options); // before anything is trained
        QFAIL("was taken");
    } catch (const Failure& failure) {
        QVERIFY2(QByteArray(failure.what()).contains("train.bin: token 8 is 8, outside a vocabulary of 8"),
                 failure.what());
    }
    put(folder.filePath("train.bin"), counting<std::uint16_t>(8));
    put(folder.filePath("val.bin"), counting<std::uint16_t>(5, 6));
    QVERIFY_THROWS_EXCEPTION(Failure, (void)loadData(options));
    options.vocabulary = 11;
    QCOMPARE(loadData(options).train->shape().classes, 11);
    options.data = DataKind::Text;
    options.vocabulary = 120; // "z" is 122
    put(folder.filePath("train.txt"), QByteArray(1 << 20, 'a') + "z");
    QVERIFY_THROWS_EXCEPTION(Failure, (void)loadData(options));
}

QTEST_GUILESS_MAIN(TestTrainerTokens)
#include "tst_trainertokens.moc"
