// SPDX-License-Identifier: GPL-3.0-or-later
// The roll call on a board in memory, a thread a rank: who is missing is named, and an earlier run's notes fool nobody.
#include "trainer/failure.h"
#include "trainer/parallel/rollcall.h"

#include <QTest>

#include <map>
#include <mutex>
#include <thread>
#include <vector>

using namespace lockstep::trainer;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds kAmple{30'000};
constexpr milliseconds kShort{150};

class Memory : public Board {
public:
    void write(const std::string& key, const std::string& value) override
    {
        const std::lock_guard lock(m_mutex);
        m_notes[key] = value;
    }
    std::optional<std::string> read(const std::string& key) override
    {
        const std::lock_guard lock(m_mutex);
        const auto found = m_notes.find(key);
        return found == m_notes.end() ? std::nullopt : std::optional(found->second);
    }

private:
    std::mutex m_mutex;
    std::map<std::string, std::string> m_notes;
};

// What each call came to: a run's id, or its failure's code and sentence.
std::vector<std::string> call(Board& board, const std::vector<Caller>& callers, milliseconds deadline)
{
    std::vector<std::string> results(callers.size());
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < callers.size(); ++i) {
        threads.emplace_back([&, i] {
            try {
                results[i] = callRoll(board, callers[i], deadline);
            } catch (const Failure& failure) {
                results[i] = std::to_string(static_cast<int>(failure.code())) + ": " + failure.what();
            }
        });
    }
    for (std::thread& thread : threads)
        thread.join();
    return results;
}

} // namespace

class TestRollCall : public QObject {
    Q_OBJECT

private slots:
    void allMeetInOneRun();
    void aBoardOfAnEarlierRunIsAsGoodAsNew();
    void missingRanksAreNamedByAll();
    void timeSpentBeforeItIsPartOfTheWait();
    void withoutRankZeroTheOthersCountOneAnother();
    void unequalWorldsAreTold_data();
    void unequalWorldsAreTold();
    void aRankThatIsThereTwiceIsTold();
};

void TestRollCall::allMeetInOneRun()
{
    Memory board;
    const auto results = call(board, {{2, 3, "x"}, {1, 3, "x"}, {0, 3, "x"}}, kAmple);
    QCOMPARE(results[0].size(), std::size_t{16});
    QCOMPARE(results[1], results[0]);
    QCOMPARE(results[2], results[0]);
}

void TestRollCall::aBoardOfAnEarlierRunIsAsGoodAsNew()
{
    Memory board;
    const auto first = call(board, {{0, 2, "x"}, {1, 2, "x"}}, kAmple);
    const auto failed = call(board, {{0, 3, "x"}, {1, 3, "x"}}, kShort);
    QVERIFY2(failed[0].starts_with("6: 1 of 3 ranks"), failed[0].c_str());
    std::vector<std::string> early;
    std::thread one([&] { early = call(board, {{1, 2, "x"}}, kAmple); }); // it reads the old run's id first
    const auto second = call(board, {{0, 2, "x"}}, kAmple);
    one.join();
    QCOMPARE(early[0], second[0]);
    QVERIFY(second[0] != first[0]);
}

void TestRollCall::missingRanksAreNamedByAll()
{
    Memory board;
    const auto results = call(board, {{0, 9, "x"}, {3, 9, "x"}}, kShort);
    for (const std::string& result : results)
        QCOMPARE(result, std::string("6: 7 of 9 ranks did not come to x within 0.15 s: missing 1, 2, 4-8; here 0, 3"));
}

// A rank that has waited for rank 0's port does not wait as long again.
void TestRollCall::timeSpentBeforeItIsPartOfTheWait()
{
    Memory board;
    const auto before = std::chrono::steady_clock::now();
    const auto results = call(board, {{1, 2, "x", before - kAmple + kShort}}, kAmple);
    QVERIFY2(results[0].starts_with("6: 1 of 2 ranks did not come to x within 30 s"), results[0].c_str());
    QVERIFY(std::chrono::steady_clock::now() - before < kAmple / 2);
}

void TestRollCall::withoutRankZeroTheOthersCountOneAnother()
{
    Memory board;
    (void)call(board, {{0, 4, "x"}, {1, 4, "x"}, {2, 4, "x"}, {3, 4, "x"}}, kAmple);
    for (int rank = 0; rank < 4; ++rank)
        board.write("came/" + std::to_string(rank), "1000"); // long ago
    const auto results = call(board, {{1, 4, "x"}, {3, 4, "x"}}, kShort);
    for (const std::string& result : results)
        QVERIFY2(result.ends_with("missing 0, 2; here 1, 3"), result.c_str());
}

void TestRollCall::unequalWorldsAreTold_data()
{
    QTest::addColumn<int>("rank");
    QTest::addColumn<int>("world");
    QTest::addColumn<QByteArray>("words");
    QTest::newRow("counts more") << 1 << 3 << QByteArray("10: rank 1 has WORLD_SIZE 3, rank 0 has 2");
    QTest::newRow("is beyond") << 2 << 3 << QByteArray("10: this rank has WORLD_SIZE 3, but at x 2 ranks met");
}

void TestRollCall::unequalWorldsAreTold()
{
    QFETCH(int, rank);
    QFETCH(int, world);
    QFETCH(QByteArray, words);
    Memory board;
    std::vector<Caller> callers{{rank, world, "x"}, {0, 2, "x"}};
    if (rank == 2)
        callers.push_back({1, 2, "x"});
    const auto results = call(board, callers, milliseconds(500));
    QVERIFY2(results[0].starts_with(words.toStdString()), results[0].c_str());
}

void TestRollCall::aRankThatIsThereTwiceIsTold()
{
    Memory board;
    const auto results = call(board, {{0, 3, "x"}, {1, 3, "x"}, {1, 3, "x"}, {2, 3, "x"}}, kShort);
    const bool told = results[1].find("another process came to x as rank 1 too") != std::string::npos ||
                      results[2].find("another process came to x as rank 1 too") != std::string::npos;
    QVERIFY2(told, (results[1] + "\n" + results[2]).c_str());
}

QTEST_GUILESS_MAIN(TestRollCall)
#include "tst_rollcall.moc"
