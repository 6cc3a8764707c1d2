// SPDX-License-Identifier: GPL-3.0-or-later
// The exchange within a node gives Gloo's sums to the last bit, whatever the ranks, the types and the sizes; and a peer
// that is gone or silent is noticed. A rank is a thread here; the pages are mapped once for each.
#include "trainer/failure.h"
#include "trainer/parallel/gloobackend.h"
#include "trainer/parallel/nodebackend.h"
#include "trainer/parallel/nodepages.h"

#include <QTest>

#include <ATen/ATen.h>
#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>

#include <csignal>
#include <functional>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace lockstep::trainer;
using std::chrono::milliseconds;

namespace {

using Clock = std::chrono::steady_clock;
using Backend = c10::intrusive_ptr<c10d::Backend>;
using Tensors = std::vector<at::Tensor>;
using Rank = std::function<void(int rank, const Backend& gloo, const Backend& shared)>;

constexpr milliseconds kAmple{60'000};
constexpr std::size_t kPage = 4096;

// Every rank on a thread of its own; the first thing one says went wrong, or nothing.
std::string onRanks(int world, const Rank& body)
{
    const auto store = c10::make_intrusive<c10d::HashStore>();
    std::vector<std::string> wrong(static_cast<std::size_t>(world));
    std::vector<std::thread> threads;
    for (int rank = 0; rank < world; ++rank) {
        threads.emplace_back([&, rank] {
            try {
                const Backend gloo = makeGloo(store, rank, world, {{}, "127.0.0.1"}, kAmple);
                const NodeBackend shared = shareMemory(gloo, kAmple);
                if (!shared.backend)
                    throw std::runtime_error("no shared memory: " + shared.why);
                body(rank, gloo, shared.backend);
            } catch (const std::exception& error) {
                wrong[static_cast<std::size_t>(rank)] = error.what();
            }
        });
    }
    for (std::thread& thread : threads)
        thread.join();
    for (const std::string& text : wrong)
        if (!text.empty())
            return text;
    return {};
}

// Numbers whose sum depends on the order of its terms.
at::Tensor values(int rank, std::int64_t elements, at::ScalarType type)
{
    auto generator = at::make_generator<at::CPUGeneratorImpl>(static_cast<std::uint64_t>(77 + rank));
    if (at::isIntegralType(type, false))
        return at::randint(-1000, 1000, {elements}, generator, at::TensorOptions(type));
    return at::randn({elements}, generator, at::TensorOptions(type)) *
           at::pow(10.0, at::randint(-6, 6, {elements}, generator, at::TensorOptions(type)));
}

void expectEqual(const at::Tensor& got, const at::Tensor& right, const char* what)
{
    if (!at::equal(got, right))
        throw std::runtime_error(std::string(what) + " differs");
}

} // namespace

class TestNodeExchange : public QObject {
    Q_OBJECT

private slots:
    void sumsAreGloosToTheLastBit_data();
    void sumsAreGloosToTheLastBit();
    void gathersAndScattersSums_data();
    void gathersAndScattersSums();
    void manyAtOnceKeepTheirOrder();
    void otherKindsGoToGloo();
    void anEndedPeerIsNoticed();
    void aSilentPeerIsLostAtTheDeadline();
    void foreignPagesAreNotOpened();
};

void TestNodeExchange::sumsAreGloosToTheLastBit_data()
{
    QTest::addColumn<int>("world");
    QTest::addColumn<qint64>("elements");
    QTest::addColumn<int>("type");
    for (const int world : {2, 3, 4, 5}) {
        // One element, fewer than ranks, odd, several of Gloo's segments, several pieces.
        for (const qint64 elements : {1, 3, 1001, 300'001, 3'000'017})
            QTest::addRow("%d ranks, %lld floats", world, elements)
                << world << elements << static_cast<int>(at::kFloat);
        for (const at::ScalarType type : {at::kDouble, at::kInt, at::kLong})
            QTest::addRow("%d ranks, 70001 %s", world, c10::toString(type))
                << world << qint64{70'001} << static_cast<int>(type);
    }
}

void TestNodeExchange::sumsAreGloosToTheLastBit()
{
    QFETCH(int, world);
    QFETCH(qint64, elements);
    QFETCH(int, type);
    const std::string wrong = onRanks(world, [&](int rank, const Backend& gloo, const Backend& shared) {
        Tensors right{values(rank, elements, static_cast<at::ScalarType>(type))};
        Tensors got{right[0].clone()};
        gloo->allreduce(right, {})->wait();
        const auto work = shared->allreduce(got, {});
        work->wait();
        expectEqual(got[0], right[0], "the sum");
        expectEqual(work->getFuture()->value().toTensorVector()[0], right[0], "the future's sum");
    });
    QVERIFY2(wrong.empty(), wrong.c_str());
}

void TestNodeExchange::gathersAndScattersSums_data()
{
    QTest::addColumn<int>("world");
    QTest::addColumn<qint64>("elements"); // of a shard
    for (const int world : {2, 3})
        for (const qint64 elements : {1, 513, 1'000'003})
            QTest::addRow("%d ranks, shards of %lld", world, elements) << world << elements;
}

void TestNodeExchange::gathersAndScattersSums()
{
    QFETCH(int, world);
    QFETCH(qint64, elements);
    const std::string wrong = onRanks(world, [&](int rank, const Backend&, const Backend& shared) {
        at::Tensor own = values(rank, elements, at::kFloat);
        at::Tensor whole = at::zeros({world * elements});
        shared->_allgather_base(whole, own, {})->wait();
        Tensors all;
        for (int other = 0; other < world; ++other)
            all.push_back(values(other, elements, at::kFloat));
        expectEqual(whole, at::cat(all), "the gathered row");

        at::Tensor mean = at::empty({elements}, at::kInt);
        at::Tensor numbers = values(rank, world * elements, at::kInt); // exact in any order
        shared->_reduce_scatter_base(mean, numbers, {})->wait();
        at::Tensor sum = at::zeros({world * elements}, at::kInt);
        for (int other = 0; other < world; ++other)
            sum += values(other, world * elements, at::kInt);
        expectEqual(mean, sum.narrow(0, rank * elements, elements), "the scattered sum");
    });
    QVERIFY2(wrong.empty(), wrong.c_str());
}

void TestNodeExchange::manyAtOnceKeepTheirOrder()
{
    constexpr int kMany = 50;
    const std::string wrong = onRanks(3, [&](int rank, const Backend&, const Backend& shared) {
        std::vector<Tensors> tensors;
        std::vector<c10::intrusive_ptr<c10d::Work>> works;
        for (int i = 0; i < kMany; ++i) {
            tensors.push_back({at::full({1 + i * 997}, rank + i, at::kLong)});
            works.push_back(shared->allreduce(tensors.back(), {}));
        }
        for (int i = kMany - 1; i >= 0; --i) {
            works[static_cast<std::size_t>(i)]->wait();
            const at::Tensor& got = tensors[static_cast<std::size_t>(i)][0];
            expectEqual(got, at::full_like(got, 3 + 3 * i), "a sum");
        }
    });
    QVERIFY2(wrong.empty(), wrong.c_str());
}

void TestNodeExchange::otherKindsGoToGloo()
{
    const std::string wrong = onRanks(2, [&](int rank, const Backend&, const Backend& shared) {
        Tensors halves{at::full({7}, rank + 0.5, at::kHalf)};
        shared->allreduce(halves, {})->wait();
        expectEqual(halves[0], at::full({7}, 2.0, at::kHalf), "the sum of halves");
        Tensors highest{at::full({5}, rank, at::kLong)};
        c10d::AllreduceOptions options;
        options.reduceOp = c10d::ReduceOp::MAX;
        shared->allreduce(highest, options)->wait();
        expectEqual(highest[0], at::full({5}, 1, at::kLong), "the maximum");
        Tensors strided{at::full({6, 4}, rank + 1.0).t()};
        shared->allreduce(strided, {})->wait();
        expectEqual(strided[0], at::full({4, 6}, 3.0), "the sum of a transposed tensor");
    });
    QVERIFY2(wrong.empty(), wrong.c_str());
}

void TestNodeExchange::anEndedPeerIsNoticed()
{
    const auto pages = NodePages::create(0, 2, kPage);
    int answer[2];
    QCOMPARE(::pipe(answer), 0);
    const NodePages::Origin first = pages->origin();
    const pid_t child = ::fork(); // only plain system calls follow in it
    if (child == 0) {
        const auto same = NodePages::open(first, 1, 2, kPage);
        NodePages::Origin origin = same ? same->origin() : NodePages::Origin{};
        const bool told = ::write(answer[1], &origin, sizeof origin) == sizeof origin;
        for (; told;)
            ::pause();
        ::_exit(1);
    }
    NodePages::Origin second;
    QCOMPARE(::read(answer[0], &second, sizeof second), static_cast<ssize_t>(sizeof second));
    QVERIFY(pages->watch(1, second));
    std::thread killer([child] { ::kill(child, SIGKILL); });
    const std::atomic<bool> stop = false;
    const auto begun = Clock::now();
    std::string said;
    try {
        pages->meet(begun + kAmple, stop);
    } catch (const Failure& failure) {
        said = failure.what();
        QCOMPARE(failure.code(), ExitCode::LostPeer);
    }
    killer.join();
    ::waitpid(child, nullptr, 0);
    QVERIFY2(said.find("rank 1, on this node, has ended") != std::string::npos, said.c_str());
    QVERIFY(Clock::now() - begun < kAmple / 2);
}

void TestNodeExchange::aSilentPeerIsLostAtTheDeadline()
{
    const auto pages = NodePages::create(0, 2, kPage);
    const std::atomic<bool> stop = false;
    QVERIFY_THROWS_EXCEPTION(Failure, pages->meet(Clock::now() + milliseconds(50), stop));
}

void TestNodeExchange::foreignPagesAreNotOpened()
{
    const auto pages = NodePages::create(0, 2, kPage);
    const NodePages::Origin right = pages->origin();
    QVERIFY(NodePages::open(right, 1, 2, kPage) != nullptr);
    for (NodePages::Origin wrong :
         {NodePages::Origin{right.pid, right.fd, right.token + 1}, NodePages::Origin{right.pid, 0, right.token},
          NodePages::Origin{1, right.fd, right.token}, NodePages::Origin{}})
        QVERIFY(NodePages::open(wrong, 1, 2, kPage) == nullptr);
    QVERIFY(NodePages::open(right, 1, 3, kPage) == nullptr); // another number of ranks, another size
}

QTEST_GUILESS_MAIN(TestNodeExchange)
#include "tst_nodeexchange.moc"
