// SPDX-License-Identifier: GPL-3.0-or-later
// What the ranks say of themselves, compared; and the hashes they say it with.
#include "trainer/comparison.h"
#include "trainer/contenthash.h"

#include <QTest>

#include <cstring>

using namespace lockstep::trainer;

class TestComparison : public QObject {
    Q_OBJECT

private slots:
    void differencesAreNamed_data();
    void differencesAreNamed();
    void aStatementSurvivesItsBytes();
    void rangesOfRanks_data();
    void rangesOfRanks();
    void hashes_data();
    void hashes();
    void filesThatCannotBeRead();
};

void TestComparison::differencesAreNamed_data()
{
    QTest::addColumn<std::vector<Statement>>("statements");
    QTest::addColumn<QByteArray>("text");
    const auto row = [](const char* name, std::vector<Statement> statements, const char* text) {
        QTest::newRow(name) << std::move(statements) << QByteArray(text);
    };
    row("alike", {{{"--lr", "1"}, {"--seed", "2"}}, {{"--lr", "1"}, {"--seed", "2"}}}, "");
    row("none", {}, "");
    row("one", {{{"--lr", "1"}}, {{"--lr", "2"}}}, "--lr is 1 on rank 0, 2 on rank 1");
    row("ranges", {{{"x", "1"}}, {{"x", "2"}}, {{"x", "1"}}, {{"x", "2"}}, {{"x", "2"}}, {{"x", "2"}}},
        "x is 1 on ranks 0, 2, 2 on ranks 1, 3-5");
    row("two", {{{"a", "1"}, {"b", "1"}}, {{"a", "2"}, {"b", "3"}}},
        "a is 1 on rank 0, 2 on rank 1; b is 1 on rank 0, 3 on rank 1");
    row("missing", {{{"a", "1"}}, {}}, "a is 1 on rank 0, missing on rank 1");
    row("more", {{}, {{"b", ""}}}, "b is missing on rank 0,  on rank 1");
    row("every rank another", {{{"x", "1"}}, {{"x", "2"}}, {{"x", "3"}}, {{"x", "4"}}, {{"x", "5"}}},
        "x is 1 on rank 0, 2 on rank 1, 3 on rank 2, 4 on rank 3, and more");
    Statement some;
    Statement others;
    for (const char* name : {"a", "b", "c", "d", "e", "f", "g", "h"}) {
        some.emplace_back(name, "1");
        others.emplace_back(name, "2");
    }
    row("many", {some, others},
        "a is 1 on rank 0, 2 on rank 1; b is 1 on rank 0, 2 on rank 1; c is 1 on rank 0, 2 on rank 1; d is 1 on rank "
        "0, "
        "2 on rank 1; e is 1 on rank 0, 2 on rank 1; f is 1 on rank 0, 2 on rank 1; and 2 more");
}

void TestComparison::differencesAreNamed()
{
    QFETCH(std::vector<Statement>, statements);
    QFETCH(QByteArray, text);
    QCOMPARE(QByteArray::fromStdString(differences(statements)), text);
}

void TestComparison::aStatementSurvivesItsBytes()
{
    const Statement statement{{"--lr", "0.1"}, {"lines", "line\nline"}, {"empty", ""}};
    const std::string bytes = encoded(statement);
    QVERIFY(decodedStatement(bytes) == statement);
    QVERIFY(decodedStatement(bytes + std::string(9, '\0')) == statement); // as padded for a gather
    for (std::size_t size = 0; size < bytes.size(); ++size)
        QVERIFY(decodedStatement(std::string_view(bytes).substr(0, size)).size() < statement.size());
}

void TestComparison::rangesOfRanks_data()
{
    QTest::addColumn<std::vector<int>>("ranks");
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("none") << std::vector<int>{} << QByteArray();
    QTest::newRow("one") << std::vector<int>{7} << QByteArray("7");
    QTest::newRow("two in a row") << std::vector<int>{1, 2} << QByteArray("1, 2");
    QTest::newRow("runs") << std::vector<int>{0, 2, 4, 5, 6, 9} << QByteArray("0, 2, 4-6, 9");
    std::vector<int> odd;
    for (int rank = 1; rank < 99; rank += 2)
        odd.push_back(rank);
    QTest::newRow("many") << odd << QByteArray("1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31, ...");
}

void TestComparison::rangesOfRanks()
{
    QFETCH(std::vector<int>, ranks);
    QFETCH(QByteArray, text);
    QCOMPARE(QByteArray::fromStdString(rankRanges(ranks)), text);
}

void TestComparison::hashes_data() // the algorithm's own examples
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QByteArray>("hash");
    QTest::newRow("empty") << QByteArray() << QByteArray("ef46db3751d8e999");
    QTest::newRow("1 byte") << QByteArray("a") << QByteArray("d24ec4f1a98c6e5b");
    QTest::newRow("3 bytes") << QByteArray("abc") << QByteArray("44bc2cf5ad770999");
    QTest::newRow("39 bytes") << QByteArray("Nobody inspects the spammish repetition")
                              << QByteArray("fbcea83c8a378bf1");
}

void TestComparison::hashes()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QByteArray, hash);
    for (qsizetype cut = 0; cut <= bytes.size(); ++cut) { // in any two pieces
        ContentHash content;
        content.add(bytes.constData(), static_cast<std::size_t>(cut));
        content.add(bytes.constData() + cut, static_cast<std::size_t>(bytes.size() - cut));
        QCOMPARE(QByteArray::fromStdString(content.hex()), hash);
    }
}

void TestComparison::filesThatCannotBeRead()
{
    QCOMPARE(hashOfFile("/nowhere/x"), std::uint64_t{0});
    QCOMPARE(hashOfFile("/proc/self"), std::uint64_t{0});
    QVERIFY(hashOfFile("/proc/self/exe") != 0);
}

QTEST_GUILESS_MAIN(TestComparison)
#include "tst_comparison.moc"
