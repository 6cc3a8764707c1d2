// SPDX-License-Identifier: GPL-3.0-or-later
// What happens to gradients between backward and the parameters, without any rank: checking, measuring, clipping,
// scaling, stepping. Beside Python's numbers stands tests/parity/test_amp.py.
#include "trainer/failure.h"
#include "trainer/gradients.h"
#include "trainer/optimizer.h"
#include "trainer/parallel/gradientnorms.h"

#include <ATen/ATen.h>

#include <QTest>

#include <cmath>
#include <limits>

using namespace lockstep::trainer;

namespace {

constexpr float kInfinite = std::numeric_limits<float>::infinity();
constexpr double kRounding = 1e-6; // of a few float operations, relative

// Parameters whose gradients the test sets; another rank may have an overflow of its own.
class FakeStrategy : public Strategy {
public:
    explicit FakeStrategy(std::vector<at::Tensor> parameters) : m_parameters(std::move(parameters)) {}

    const std::vector<at::Tensor>& parameters() const override { return m_parameters; }
    at::Tensor forward(const Batch&, Sync) override { return {}; }
    void backward(const at::Tensor&) override {}
    at::Tensor evaluate(const at::Tensor& inputs) override { return inputs; }
    void gather(const std::vector<at::Tensor>&, const Visit&) override {}
    void scatter(const Fetch&, const std::vector<at::Tensor>&) override {}
    at::Tensor gradientNorms() override
    {
        ++measured;
        return normsOfGradients(m_parameters);
    }
    void anyRank(at::Tensor& flag) override
    {
        if (otherOverflows)
            flag.fill_(1);
    }

    int measured = 0;
    bool otherOverflows = false;

private:
    std::vector<at::Tensor> m_parameters;
};

std::vector<at::Tensor> twoParameters() // both of value 1
{
    std::vector<at::Tensor> parameters{at::ones({2}), at::ones({1})};
    for (at::Tensor& parameter : parameters)
        parameter.set_requires_grad(true);
    return parameters;
}

struct Case {
    explicit Case(const std::vector<const char*>& arguments)
        : options(parseOptions(arguments).value()), strategy(twoParameters()), scaler(options, at::kCPU),
          gradients(options, strategy, scaler, {"weight", "bias"}), optimizer(strategy.parameters(), options)
    {
    }

    void setGradients(std::optional<std::vector<float>> weight, std::optional<float> bias)
    {
        at::Tensor first = strategy.parameters()[0];
        at::Tensor second = strategy.parameters()[1];
        first.mutable_grad() = weight ? at::tensor(*weight) : at::Tensor();
        second.mutable_grad() = bias ? at::full({1}, *bias) : at::Tensor();
    }
    std::vector<float> gradient(std::size_t i) const { return values(strategy.parameters()[i].grad()); }
    std::vector<float> parameter(std::size_t i) const { return values(strategy.parameters()[i].detach()); }
    static std::vector<float> values(const at::Tensor& tensor)
    {
        return {tensor.const_data_ptr<float>(), tensor.const_data_ptr<float>() + tensor.numel()};
    }
    double stepsOf(std::size_t i) const { return optimizer.state().at(0).tensors.at(i).item<double>(); }

    Options options;
    FakeStrategy strategy;
    GradScaler scaler;
    Gradients gradients;
    Optimizer optimizer;
};

bool near(double value, double expected)
{
    return std::abs(value - expected) <= kRounding * std::abs(expected);
}

} // namespace

class TestGradients : public QObject {
    Q_OBJECT

private slots:
    void clippingByNorm();
    void belowTheLimitNothingChanges();
    void clippingByValue();
    void theNormOfAnySizeIsPythons_data();
    void theNormOfAnySizeIsPythons();
    void nothingTakenIsRefused_data();
    void nothingTakenIsRefused();
    void theNormIsMeasuredNowAndThen();
    void notFinite_data();
    void notFinite();
    void anotherRanksOverflowLeavesTheStepOut();
    void theScaleFalls();
    void theScaleRises();
    void theScaleIsRestored();
    void aParameterWithoutGradientIsNamedOnce_data();
    void aParameterWithoutGradientIsNamedOnce();
    void aGradientInBetweenBeginsTheCountAnew();
    void onlyParametersWithGradientStep_data();
    void onlyParametersWithGradientStep();
};

void TestGradients::clippingByNorm()
{
    Case c({"--clip-norm", "1"});
    c.setGradients({{2, 1}}, 2); // norm 3
    QVERIFY(c.gradients.finish(0));
    QCOMPARE(c.gradients.norm().value(), 3.0);
    const double factor = 1 / (3 + 1e-6);
    QVERIFY(near(c.gradient(0)[0], 2 * factor) && near(c.gradient(0)[1], factor) && near(c.gradient(1)[0], 2 * factor));
}

void TestGradients::belowTheLimitNothingChanges()
{
    Case c({"--clip-norm", "3.1"});
    c.setGradients({{2, 1}}, 2);
    QVERIFY(c.gradients.finish(0));
    QCOMPARE(c.gradient(0), (std::vector<float>{2, 1}));
    QCOMPARE(c.gradient(1), std::vector<float>{2});
}

void TestGradients::clippingByValue()
{
    Case c({"--clip-value", "1.5"});
    c.setGradients({{2, -7}}, 1);
    QVERIFY(c.gradients.finish(0));
    QCOMPARE(c.gradient(0), (std::vector<float>{1.5, -1.5}));
    QCOMPARE(c.gradient(1), std::vector<float>{1});
}

// Near the ends of what PyTorch itself can measure in floats: beyond, its norms are infinite, or 0, too.
void TestGradients::theNormOfAnySizeIsPythons_data()
{
    QTest::addColumn<float>("value");
    QTest::addColumn<double>("norm"); // torch.nn.utils.clip_grad_norm_'s
    QTest::newRow("large") << 1e19F << 1.4142135e19;
    QTest::newRow("small") << 1e-18F << 1.4142135e-18;
}

void TestGradients::theNormOfAnySizeIsPythons()
{
    QFETCH(float, value);
    QFETCH(double, norm);
    Case c({"--clip-norm", "1", "--nan", "stop"});
    for (int step = 0; step <= Gradients::kStepsWithout; ++step) {
        c.setGradients({{value, 0}}, value);
        QVERIFY(c.gradients.finish(step));
        QVERIFY(near(c.gradients.norm().value(), norm));
    }
    QVERIFY(near(c.gradient(0)[0], value > 1 ? value / norm : value));
    QVERIFY(c.gradients.withoutGradient().empty());
}

void TestGradients::nothingTakenIsRefused_data()
{
    QTest::addColumn<QByteArray>("option");
    QTest::addColumn<QByteArray>("value");
    QTest::addColumn<QByteArray>("words");
    QTest::newRow("fp16") << QByteArray("--precision") << QByteArray("fp16") << QByteArray("--loss-scale of 8192 ");
    QTest::newRow("skip") << QByteArray("--nan") << QByteArray("skip") << QByteArray("a smaller --lr");
}

void TestGradients::nothingTakenIsRefused()
{
    QFETCH(QByteArray, option);
    QFETCH(QByteArray, value);
    QFETCH(QByteArray, words);
    Case c({option.constData(), value.constData()});
    c.gradients.refuseNothingTaken(); // nor was any left out
    for (int step = 0; step < 3; ++step) {
        c.setGradients({{1, kInfinite}}, 1);
        QVERIFY(!c.gradients.finish(step));
        c.scaler.update();
    }
    try {
        c.gradients.refuseNothingTaken();
        QFAIL("was taken");
    } catch (const Failure& failure) {
        QCOMPARE(failure.code(), ExitCode::NanLoss);
        QVERIFY2(QByteArray(failure.what()).contains("each of the 3 steps was left out"), failure.what());
        QVERIFY2(QByteArray(failure.what()).contains(words), failure.what());
    }
    c.setGradients({{1, 1}}, 1);
    QVERIFY(c.gradients.finish(3));
    c.gradients.refuseNothingTaken(); // one was trained
}

void TestGradients::theNormIsMeasuredNowAndThen()
{
    Case c({"--grad-norm-every", "4"});
    Case never({"--grad-norm-every", "0"});
    for (int step = 0; step < 9; ++step) {
        c.setGradients({{2, 1}}, 2);
        never.setGradients({{2, 1}}, 2);
        QVERIFY(c.gradients.finish(step) && never.gradients.finish(step));
        QCOMPARE(c.gradients.norm().has_value(), step % 4 == 0);
        QVERIFY(!never.gradients.norm());
    }
    QCOMPARE(c.strategy.measured, 3);
    QCOMPARE(never.strategy.measured, 1); // for the watch
}

void TestGradients::notFinite_data()
{
    QTest::addColumn<float>("value");
    QTest::addColumn<QByteArray>("onNan");
    QTest::addColumn<bool>("stops");
    QTest::addColumn<bool>("steps");
    for (const float value : {kInfinite, -kInfinite, std::nanf("")}) {
        QTest::addRow("stop at %g", double(value)) << value << QByteArray("stop") << true << false;
        QTest::addRow("skip %g", double(value)) << value << QByteArray("skip") << false << false;
        QTest::addRow("go on with %g", double(value)) << value << QByteArray("go-on") << false << true;
    }
}

void TestGradients::notFinite()
{
    QFETCH(float, value);
    QFETCH(QByteArray, onNan);
    QFETCH(bool, stops);
    QFETCH(bool, steps);
    Case c({"--grad-norm-every", "1", "--nan", onNan.constData()});
    c.setGradients({{1, 1}}, value);
    bool stopped = false;
    try {
        QCOMPARE(c.gradients.finish(6), steps);
    } catch (const Failure& failure) {
        stopped = true;
        QCOMPARE(failure.code(), ExitCode::NanLoss);
        QVERIFY2(QString(failure.what()).contains("at step 7"), failure.what());
    }
    QCOMPARE(stopped, stops);
    QCOMPARE(c.gradients.skipped(), std::int64_t{!stops && !steps});
    QCOMPARE(c.gradients.skipped(), 0); // said once
    c.setGradients({{1, 1}}, 1);
    QVERIFY(c.gradients.finish(7));
    QCOMPARE(c.gradients.skipped(), 0);
}

void TestGradients::anotherRanksOverflowLeavesTheStepOut()
{
    for (const auto& [name, value] : {std::pair{"--nan", "skip"}, std::pair{"--precision", "fp16"}}) {
        Case c({name, value});
        c.setGradients({{1, 1}}, 1);
        c.strategy.otherOverflows = true;
        QVERIFY(!c.gradients.finish(0));
    }
}

void TestGradients::theScaleFalls()
{
    Case c({"--precision", "fp16", "--loss-scale", "1024"});
    QCOMPARE(c.scaler.scaled(at::full({}, 0.5)).item<float>(), 512.0F);
    for (const double scale : {1024.0, 512.0, 256.0}) {
        c.setGradients({{1, kInfinite}}, 1);
        QVERIFY(!c.gradients.finish(0));
        QCOMPARE(c.gradients.lossScale().value(), scale); // the step's own
        c.scaler.update();
        QCOMPARE(c.scaler.scale(), scale / 2);
    }
    QCOMPARE(c.gradients.skipped(), 3);
    c.setGradients({{128, 256}}, 64);
    QVERIFY(c.gradients.finish(3));
    QCOMPARE(c.gradient(0), (std::vector<float>{1, 2})); // over 128
    QCOMPARE(c.gradient(1), std::vector<float>{0.5});
}

void TestGradients::theScaleRises()
{
    Case c({"--precision", "fp16", "--loss-scale", "8", "--loss-scale-every", "3"});
    std::vector<double> scales;
    for (int step = 0; step < 8; ++step) {
        c.setGradients({{1, step == 4 ? kInfinite : 1}}, 1); // an overflow begins the count anew
        QCOMPARE(c.gradients.finish(step), step != 4);
        c.scaler.update();
        scales.push_back(c.scaler.scale());
    }
    QCOMPARE(scales, (std::vector<double>{8, 8, 16, 16, 8, 8, 8, 16}));
}

void TestGradients::theScaleIsRestored()
{
    Case first({"--precision", "fp16", "--loss-scale", "8", "--loss-scale-every", "3"});
    for (int step = 0; step < 2; ++step) {
        first.setGradients({{1, 1}}, 1);
        QVERIFY(first.gradients.finish(step));
        first.scaler.update();
    }
    QCOMPARE(first.scaler.state().growthTracker, 2);
    Case second({"--precision", "fp16", "--loss-scale", "4", "--loss-scale-every", "3"});
    second.scaler.restore(first.scaler.state());
    second.setGradients({{1, 1}}, 1);
    QVERIFY(second.gradients.finish(2));
    second.scaler.update();
    QCOMPARE(second.scaler.scale(), 16.0);
    second.scaler.restore({}); // a checkpoint without one
    QCOMPARE(second.scaler.scale(), 16.0);
}

void TestGradients::aParameterWithoutGradientIsNamedOnce_data()
{
    QTest::addColumn<bool>("missing");
    QTest::newRow("zero") << false;
    QTest::newRow("missing") << true;
}

void TestGradients::aParameterWithoutGradientIsNamedOnce()
{
    QFETCH(bool, missing);
    Case c({});
    for (int step = 0; step < 60; ++step) {
        c.setGradients({{1, 1}}, missing ? std::nullopt : std::optional(0.0F));
        QVERIFY(c.gradients.finish(step));
        const std::vector<std::string> names = c.gradients.withoutGradient();
        QCOMPARE(names,
                 step == Gradients::kStepsWithout - 1 ? std::vector<std::string>{"bias"} : std::vector<std::string>{});
    }
    QCOMPARE(c.strategy.measured, 20 + 4); // each step while it is watched, then every tenth again
}

void TestGradients::aGradientInBetweenBeginsTheCountAnew()
{
    Case c({});
    int told = -1;
    for (int step = 0; step < 60; ++step) {
        c.setGradients({{1, 1}}, step == 15 ? 1.0F : 0.0F);
        QVERIFY(c.gradients.finish(step));
        if (!c.gradients.withoutGradient().empty())
            told = step;
    }
    QCOMPARE(told, 39); // seen without one again at the next measurement, step 20
}

void TestGradients::onlyParametersWithGradientStep_data()
{
    QTest::addColumn<QByteArray>("kind");
    QTest::addColumn<QByteArray>("decay");
    QTest::newRow("sgd") << QByteArray("sgd") << QByteArray("0");
    QTest::newRow("adam") << QByteArray("adam") << QByteArray("0.5");
    QTest::newRow("adamw") << QByteArray("adamw") << QByteArray("0.5");
}

void TestGradients::onlyParametersWithGradientStep()
{
    QFETCH(QByteArray, kind);
    QFETCH(QByteArray, decay);
    const std::vector<const char*> options{"--optimizer", kind.constData(), "--weight-decay", decay.constData()};
    Case c(options);
    c.setGradients({{1, 1}}, std::nullopt);
    c.optimizer.step(0.1);
    QVERIFY(c.parameter(0)[0] < 1);
    QCOMPARE(c.parameter(1), std::vector<float>{1}); // no decay either
    c.setGradients(std::nullopt, std::nullopt);
    c.optimizer.step(0.1); // nothing to do

    Case late(options); // its first step, while the other parameter has done one
    late.setGradients({{1, 1}}, std::nullopt);
    late.optimizer.step(0.1);
    late.setGradients({{1, 1}}, 1);
    late.optimizer.step(0.1);
    Case alone(options);
    alone.setGradients(std::nullopt, 1);
    alone.optimizer.step(0.1);
    QCOMPARE(late.parameter(1), alone.parameter(1));
    if (kind != "sgd") {
        QCOMPARE(late.stepsOf(0), 2.0);
        QCOMPARE(late.stepsOf(1), 1.0);
    }
    late.optimizer.zeroGradients();
    QVERIFY(!late.strategy.parameters()[0].grad().defined());
}

QTEST_GUILESS_MAIN(TestGradients)
#include "tst_gradients.moc"
