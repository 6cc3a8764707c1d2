// SPDX-License-Identifier: GPL-3.0-or-later
// Synchronous batch norm beside batch norm of the joined batch, where ranks have batches of different sizes and one has
// none: threads as ranks, so that every tensor can be looked at.
#include "trainer/failure.h"
#include "trainer/models/batchnorm.h"
#include "trainer/models/syncbatchnorm.h"

#include <torch/nn/modules/batchnorm.h>

#include <QTest>

#include <barrier>
#include <thread>

using namespace lockstep::trainer;

namespace {

constexpr double kTolerance = 1e-5; // of the largest element: sums are taken by rank first
constexpr std::int64_t kChannels = 5;

struct Net : Model {
    Net() { norm = register_module("norm", BatchNorm(kChannels)); }
    at::Tensor forward(const at::Tensor& inputs) override { return norm(inputs); }
    BatchNorm norm{nullptr};
};

struct ForeignNet : Net {
    ForeignNet() { register_module("theirs", torch::nn::BatchNorm2d(kChannels)); }
};

class Table { // where threads meet and put down their tensors
public:
    explicit Table(int world) : m_world(world), m_places(static_cast<std::size_t>(world)), m_barrier(world) {}

    BatchNormPeers peers(int rank)
    {
        return {m_world, [this, rank](const at::Tensor& own) { return all(rank, own); },
                [this, rank](at::Tensor& own) {
                    const Tensors everyone = all(rank, own.clone());
                    own.copy_(at::stack(everyone).sum(0));
                }};
    }

private:
    Tensors all(int rank, const at::Tensor& own)
    {
        m_places[static_cast<std::size_t>(rank)] = own;
        m_barrier.arrive_and_wait();
        Tensors everyone = m_places;
        m_barrier.arrive_and_wait();
        return everyone;
    }

    int m_world;
    Tensors m_places;
    std::barrier<> m_barrier;
};

double distance(const at::Tensor& a, const at::Tensor& b)
{
    return ((a - b).abs().max() / b.abs().max()).item<double>();
}

} // namespace

class TestSyncBatchNorm : public QObject {
    Q_OBJECT

private slots:
    void equalsTheJoinedBatch_data();
    void equalsTheJoinedBatch();
    void aForeignBatchNormIsNamed();
};

void TestSyncBatchNorm::equalsTheJoinedBatch_data()
{
    QTest::addColumn<QList<int>>("sizes");
    QTest::addColumn<QList<int>>("plane");
    QTest::newRow("equal") << QList{3, 3} << QList{4, 6};
    QTest::newRow("different") << QList{1, 4, 2} << QList{4, 6};
    QTest::newRow("one rank has none") << QList{3, 0} << QList{4, 6};
    QTest::newRow("features without a plane") << QList{2, 5} << QList<int>{};
    QTest::newRow("far from zero") << QList{2, 2} << QList{8, 8};
}

void TestSyncBatchNorm::equalsTheJoinedBatch()
{
    QFETCH(QList<int>, sizes);
    QFETCH(QList<int>, plane);
    const int world = static_cast<int>(sizes.size());
    std::vector<std::int64_t> shape{0, kChannels};
    std::vector<std::int64_t> split;
    shape.insert(shape.end(), plane.begin(), plane.end());
    for (const int size : sizes) {
        shape[0] += size;
        split.push_back(size);
    }
    at::manual_seed(1);
    const double offset = qstrcmp(QTest::currentDataTag(), "far from zero") == 0 ? 100 : 0.5;
    const at::Tensor inputs = at::randn(shape) + offset;
    const at::Tensor factors = at::randn(shape); // of the loss, so that no gradient is alike
    const at::Tensor weight = at::rand({kChannels}) + 0.5;
    const auto makeNet = [&weight] {
        auto net = std::make_shared<Net>();
        net->norm->weight.detach().copy_(weight);
        return net;
    };

    const auto whole = makeNet();
    const at::Tensor wholeInputs = inputs.clone().requires_grad_();
    const at::Tensor wholeOutputs = whole->forward(wholeInputs);
    (wholeOutputs * factors).sum().backward();

    std::vector<std::shared_ptr<Net>> nets;
    Tensors parts;
    for (const at::Tensor& part : inputs.split_with_sizes(split)) {
        nets.push_back(makeNet());
        parts.push_back(part.clone().requires_grad_());
    }
    const Tensors partFactors = factors.split_with_sizes(split);
    Tensors outputs(parts.size());
    Table table(world);
    std::vector<std::thread> ranks;
    for (int rank = 0; rank < world; ++rank) {
        ranks.emplace_back([&, rank, i = static_cast<std::size_t>(rank)] {
            convertSyncBatchNorm(*nets[i], table.peers(rank));
            outputs[i] = nets[i]->forward(parts[i]);
            (outputs[i] * partFactors[i]).sum().backward();
        });
    }
    for (std::thread& rank : ranks)
        rank.join();

    at::Tensor weightGradient = at::zeros({kChannels});
    at::Tensor biasGradient = at::zeros({kChannels});
    Tensors inputGradients;
    for (std::size_t i = 0; i < nets.size(); ++i) {
        weightGradient += nets[i]->norm->weight.grad();
        biasGradient += nets[i]->norm->bias.grad();
        inputGradients.push_back(parts[i].grad());
        QVERIFY(distance(nets[i]->norm->running_mean, whole->norm->running_mean) < kTolerance);
        QVERIFY(distance(nets[i]->norm->running_var, whole->norm->running_var) < kTolerance);
        QCOMPARE(nets[i]->norm->num_batches_tracked.item<std::int64_t>(), 1);
    }
    // Far from zero, the inputs themselves have only 1e-5 of their spread to tell.
    const double tolerance = offset > 1 ? 100 * kTolerance : kTolerance;
    QVERIFY(distance(at::cat(outputs), wholeOutputs) < tolerance);
    QVERIFY(distance(at::cat(inputGradients), wholeInputs.grad()) < tolerance);
    QVERIFY(distance(weightGradient, whole->norm->weight.grad()) < tolerance);
    QVERIFY(distance(biasGradient, whole->norm->bias.grad()) < tolerance);
}

void TestSyncBatchNorm::aForeignBatchNormIsNamed()
{
    const auto net = std::make_shared<ForeignNet>();
    Table table(1);
    try {
        convertSyncBatchNorm(*net, table.peers(0));
        QFAIL("it was taken");
    } catch (const Failure& failure) {
        QVERIFY2(QByteArray(failure.what()).contains("theirs is a torch::nn::BatchNorm2dImpl"), failure.what());
    }
}

QTEST_GUILESS_MAIN(TestSyncBatchNorm)
#include "tst_syncbatchnorm.moc"
