// SPDX-License-Identifier: GPL-3.0-or-later
// Who takes which sample: as Python's DistributedSampler, and what is left of an epoch for the same ranks or others.
#include "trainer/data/sampler.h"
#include "trainer/failure.h"

#include <QFile>
#include <QTest>

using namespace lockstep::trainer;

namespace {

using Indices = std::vector<std::int64_t>;

std::vector<EpochShare> sharesOf(std::int64_t samples, SamplerOptions options, std::int64_t taken)
{
    std::vector<EpochShare> shares;
    for (options.rank = 0; options.rank < options.replicas; ++options.rank)
        shares.push_back(DistributedSampler(samples, options).share(1, taken));
    return shares;
}

// The order over all ranks: round by round.
Indices together(const std::vector<EpochShare>& shares)
{
    Indices all;
    for (std::int64_t i = 0; i < shares[0].total; ++i) {
        const EpochShare& share = shares[static_cast<std::size_t>(i) % shares.size()];
        all.push_back(share.indices.at(static_cast<std::size_t>(i) / shares.size()));
    }
    return all;
}

} // namespace

class TestTrainerSampler : public QObject {
    Q_OBJECT

private slots:
    void equalsPythons();
    void orderOfVeryMany();
    void theRestForTheSameRanks_data();
    void theRestForTheSameRanks();
    void theRestForOtherRanks_data();
    void theRestForOtherRanks();
    void everySampleOnceWithJoin();
    void refuses();
};

void TestTrainerSampler::equalsPythons()
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
        const DistributedSampler sampler(head[0].toLongLong(), options);
        const EpochShare share = sampler.share(head[6].toLongLong());
        QCOMPARE(static_cast<std::int64_t>(share.indices.size()), share.rounds());
        QCOMPARE(share.rounds(), sampler.perRank());
        QByteArrayList indices;
        for (const std::int64_t index : share.indices)
            indices << QByteArray::number(qlonglong(index));
        QCOMPARE(indices.mid(0, 40).join(' '), halves[1].trimmed());
        ++compared;
    }
    QVERIFY(compared > 500);
}

void TestTrainerSampler::orderOfVeryMany()
{
    // torch.randperm(214748369, generator=torch.Generator().manual_seed(3)) needs 1.7 GB: it was compared once, by its
    // first and last elements and a weighted sum. A size for every day, made by numpy's MT19937 and ATen's formula:
    QCOMPARE(randpermOfMany(12, 3), (Indices{8, 5, 1, 2, 10, 7, 6, 3, 4, 0, 11, 9}));
    Indices sorted = randpermOfMany(1000, 7);
    std::ranges::sort(sorted);
    for (std::int64_t i = 0; i < 1000; ++i)
        QCOMPARE(sorted[static_cast<std::size_t>(i)], i);
    QVERIFY(randperm(1000, 7) != randpermOfMany(1000, 7));
}

void TestTrainerSampler::theRestForTheSameRanks_data()
{
    QTest::addColumn<int>("samples");
    QTest::addColumn<int>("replicas");
    QTest::addColumn<int>("remainder");
    for (const auto& [name, samples, replicas] :
         {std::tuple{"even", 12, 3}, {"uneven", 11, 3}, {"one too many", 10, 3}, {"few", 2, 5}, {"alone", 7, 1}}) {
        for (const Remainder remainder : {Remainder::Pad, Remainder::Drop, Remainder::Join}) {
            if (remainder == Remainder::Drop && samples < replicas)
                continue;
            QTest::addRow("%s, %d", name, int(remainder)) << samples << replicas << int(remainder);
        }
    }
}

void TestTrainerSampler::theRestForTheSameRanks()
{
    QFETCH(int, samples);
    QFETCH(int, replicas);
    QFETCH(int, remainder);
    const SamplerOptions options{.replicas = replicas, .remainder = static_cast<Remainder>(remainder), .seed = 4};
    const std::vector<EpochShare> whole = sharesOf(samples, options, 0);
    for (std::int64_t rounds = 0; rounds <= whole[0].rounds(); ++rounds) {
        const std::int64_t taken = std::min(whole[0].total, rounds * replicas);
        const std::vector<EpochShare> rest = sharesOf(samples, options, taken);
        for (std::size_t rank = 0; rank < rest.size(); ++rank) {
            const Indices& all = whole[rank].indices;
            const auto skipped = std::min(rounds, static_cast<std::int64_t>(all.size()));
            QCOMPARE(rest[rank].indices, Indices(all.begin() + skipped, all.end()));
            QCOMPARE(rest[rank].total, whole[0].total - taken);
        }
    }
}

void TestTrainerSampler::theRestForOtherRanks_data()
{
    QTest::addColumn<int>("taken");
    QTest::addColumn<int>("replicas");
    QTest::addColumn<int>("remainder");
    QTest::addColumn<int>("perRank");
    QTest::newRow("pad, 4 of 10 are left for 3") << 6 << 3 << int(Remainder::Pad) << 2;
    QTest::newRow("drop, 4 of 10 are left for 3") << 6 << 3 << int(Remainder::Drop) << 1;
    QTest::newRow("join, 4 of 10 are left for 3") << 6 << 3 << int(Remainder::Join) << 2;
    QTest::newRow("pad, 1 is left for 4") << 9 << 4 << int(Remainder::Pad) << 1;
    QTest::newRow("drop, 1 is left for 4") << 9 << 4 << int(Remainder::Drop) << 0;
    QTest::newRow("pad, nothing is left") << 10 << 4 << int(Remainder::Pad) << 0;
    QTest::newRow("pad, others took their padding too") << 12 << 4 << int(Remainder::Pad) << 0;
    QTest::newRow("drop, all is left") << 0 << 4 << int(Remainder::Drop) << 2;
}

void TestTrainerSampler::theRestForOtherRanks()
{
    QFETCH(int, taken);
    QFETCH(int, replicas);
    QFETCH(int, remainder);
    QFETCH(int, perRank);
    Indices order = sharesOf(10, {.replicas = 1, .seed = 4}, 0)[0].indices;
    order.insert(order.end(), order.begin(), order.end()); // the padding repeats it from its start
    const auto shares =
        sharesOf(10, {.replicas = replicas, .remainder = static_cast<Remainder>(remainder), .seed = 4}, taken);
    for (const EpochShare& share : shares) {
        QCOMPARE(share.rounds(), perRank);
        if (static_cast<Remainder>(remainder) != Remainder::Join)
            QCOMPARE(static_cast<std::int64_t>(share.indices.size()), share.rounds());
    }
    QCOMPARE(together(shares), Indices(order.begin() + taken, order.begin() + taken + shares[0].total));
}

void TestTrainerSampler::everySampleOnceWithJoin()
{
    std::vector<int> seen(101);
    for (const EpochShare& share : sharesOf(101, {.replicas = 4, .remainder = Remainder::Join, .seed = 3}, 0)) {
        QCOMPARE(share.rounds(), 26);
        QCOMPARE(share.total, 101);
        for (const std::int64_t index : share.indices)
            ++seen.at(static_cast<std::size_t>(index));
    }
    QCOMPARE(std::ranges::count(seen, 1), 101);
}

void TestTrainerSampler::refuses()
{
    QVERIFY_THROWS_EXCEPTION(Failure, DistributedSampler(0, {}));
    QVERIFY_THROWS_EXCEPTION(Failure, DistributedSampler(std::int64_t{1} << 40, {}));
    QVERIFY_THROWS_EXCEPTION(Failure, DistributedSampler(3, {.replicas = 4, .remainder = Remainder::Drop}));
}

QTEST_GUILESS_MAIN(TestTrainerSampler)
#include "tst_trainersampler.moc"
