// SPDX-License-Identifier: GPL-3.0-or-later
// The threads that fill batches: in order whoever is first, errors where they belong, a clean end.
#include "trainer/data/batchworkers.h"
#include "trainer/failure.h"

#include <QTest>

#include <array>
#include <atomic>
#include <latch>
#include <thread>

using namespace lockstep::trainer;

namespace {

// Sample i is the number i. `hold` lets a test decide when a reader goes on.
class Numbers : public Dataset {
public:
    [[nodiscard]] std::int64_t count() const override { return 1'000'000; }
    [[nodiscard]] const SampleShape& shape() const override { return m_shape; }
    void read(std::span<const std::int64_t> indices, const Draw& draw, const BatchMemory& memory) const override
    {
        ++reads;
        if (hold)
            hold(indices.front());
        float* into = memory.images;
        for (const std::int64_t index : indices) {
            if (index == broken)
                throw Failure(ExitCode::Data, "sample " + std::to_string(index) + " is broken");
            *into++ = static_cast<float>(index + draw.epoch);
        }
    }

    std::int64_t broken = -1;
    std::function<void(std::int64_t)> hold;
    mutable std::atomic<int> reads = 0;

private:
    SampleShape m_shape;
};

struct Place {
    std::array<std::int64_t, 2> indices{};
    std::array<float, 2> values{};

    [[nodiscard]] BatchJob job() { return {indices, {.epoch = 0}, {.images = values.data()}}; }
};

} // namespace

class TestTrainerWorkers : public QObject {
    Q_OBJECT

private slots:
    void inOrder_data();
    void inOrder();
    void aSlowFirstThreadDoesNotChangeTheOrder();
    void nobodyWaitsForAThreadThatHasNotBegun();
    void errorsComeWithTheirBatch_data();
    void errorsComeWithTheirBatch();
    void givesUpAndGoesOn();
    void endsWithWorkUnderWay();
    void howManyWorkers();
};

void TestTrainerWorkers::inOrder_data()
{
    QTest::addColumn<int>("threads");
    QTest::newRow("none") << 0;
    QTest::newRow("one") << 1;
    QTest::newRow("four") << 4;
}

void TestTrainerWorkers::inOrder()
{
    QFETCH(int, threads);
    const Numbers numbers;
    BatchWorkers workers(numbers, threads);
    std::array<Place, 6> places;
    std::int64_t given = 0;
    const auto submit = [&](std::int64_t batch) {
        Place& place = places[static_cast<std::size_t>(batch) % places.size()];
        place.indices = {2 * batch, 2 * batch + 1};
        workers.submit(place.job());
    };
    for (std::int64_t batch = 0; batch < 6; ++batch)
        submit(batch);
    for (; given < 2000; ++given) {
        workers.finishOldest();
        const Place& place = places[static_cast<std::size_t>(given) % places.size()];
        QCOMPARE(place.values, (std::array{static_cast<float>(2 * given), static_cast<float>(2 * given + 1)}));
        submit(given + 6);
    }
}

void TestTrainerWorkers::aSlowFirstThreadDoesNotChangeTheOrder()
{
    Numbers numbers;
    std::latch secondIsRead(1);
    numbers.hold = [&](std::int64_t index) {
        if (index == 0)
            secondIsRead.wait();
        else
            secondIsRead.count_down();
    };
    BatchWorkers workers(numbers, 2);
    std::array<Place, 2> places{Place{{0, 1}}, Place{{2, 3}}};
    workers.submit(places[0].job());
    QTRY_COMPARE(numbers.reads.load(), 1); // a thread has the first
    workers.submit(places[1].job());
    workers.finishOldest();
    QCOMPARE(places[0].values, (std::array{0.0F, 1.0F}));
    workers.finishOldest();
    QCOMPARE(places[1].values, (std::array{2.0F, 3.0F}));
}

void TestTrainerWorkers::nobodyWaitsForAThreadThatHasNotBegun()
{
    Numbers numbers;
    std::latch held(1);
    const std::thread::id self = std::this_thread::get_id();
    std::atomic<int> own = 0;
    numbers.hold = [&](std::int64_t index) {
        if (index == 0)
            held.wait();
        else if (std::this_thread::get_id() == self)
            ++own;
    };
    BatchWorkers workers(numbers, 1);
    std::array<Place, 3> places{Place{{0, 1}}, Place{{2, 3}}, Place{{4, 5}}};
    workers.submit(places[0].job());
    QTRY_COMPARE(numbers.reads.load(), 1); // the only thread is busy
    held.count_down();
    workers.finishOldest();
    workers.submit(places[1].job());
    workers.submit(places[2].job());
    workers.finishOldest(); // by this thread or by that one, but never a wait for nobody
    workers.finishOldest();
    QCOMPARE(places[2].values, (std::array{4.0F, 5.0F}));

    BatchWorkers none(numbers, 0);
    none.submit(places[1].job());
    own = 0;
    none.finishOldest();
    QCOMPARE(own.load(), 1);
}

void TestTrainerWorkers::errorsComeWithTheirBatch_data()
{
    inOrder_data();
}

void TestTrainerWorkers::errorsComeWithTheirBatch()
{
    QFETCH(int, threads);
    Numbers numbers;
    numbers.broken = 3;
    BatchWorkers workers(numbers, threads);
    std::array<Place, 3> places{Place{{0, 1}}, Place{{2, 3}}, Place{{4, 5}}};
    for (Place& place : places)
        workers.submit(place.job());
    workers.finishOldest();
    QVERIFY_THROWS_EXCEPTION(Failure, workers.finishOldest());
    workers.finishOldest();
    QCOMPARE(places[2].values, (std::array{4.0F, 5.0F}));
}

void TestTrainerWorkers::givesUpAndGoesOn()
{
    const Numbers numbers;
    BatchWorkers workers(numbers, 2);
    std::array<Place, 8> places;
    for (int round = 0; round < 200; ++round) {
        for (std::size_t i = 0; i < places.size(); ++i) {
            places[i].indices = {static_cast<std::int64_t>(i), round};
            workers.submit(places[i].job());
        }
        workers.finishOldest();
        workers.giveUp(); // from here on nobody writes
        places = {};
        workers.submit(places[0].job());
        workers.finishOldest();
        workers.giveUp();
        QCOMPARE(places[1].values, (std::array{0.0F, 0.0F}));
    }
}

void TestTrainerWorkers::endsWithWorkUnderWay()
{
    const Numbers numbers;
    for (int round = 0; round < 100; ++round) {
        std::array<Place, 8> places{};
        BatchWorkers workers(numbers, 3);
        for (Place& place : places)
            workers.submit(place.job());
    }
}

void TestTrainerWorkers::howManyWorkers()
{
    QCOMPARE(workersFor(0, 2), 0);
    QCOMPARE(workersFor(5, 2), 5);
    const auto cores = static_cast<std::int64_t>(std::thread::hardware_concurrency());
    QCOMPARE(workersFor(-1, 1), std::clamp<std::int64_t>(cores, 1, 8));
    QCOMPARE(workersFor(-1, 1'000'000), 1);
}

QTEST_GUILESS_MAIN(TestTrainerWorkers)
#include "tst_trainerworkers.moc"
