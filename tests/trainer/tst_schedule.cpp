// SPDX-License-Identifier: GPL-3.0-or-later
// Schedules as tables of step and rate; the numbers are worked out from the formulas by hand. tests/parity compares
// whole runs with torch.optim.lr_scheduler.
#include "trainer/failure.h"
#include "trainer/optioncheck.h"
#include "trainer/schedule.h"

#include <QTest>

#include <array>
#include <cmath>

using namespace lockstep::trainer;

namespace {

constexpr double kRounding = 1e-12; // relative; of a cosine and a few products

Options parsed(const QStringList& arguments)
{
    std::vector<QByteArray> bytes;
    for (const QString& argument : arguments)
        bytes.push_back(argument.toUtf8());
    std::vector<const char*> pointers;
    for (const QByteArray& one : bytes)
        pointers.push_back(one.constData());
    return parseOptions(pointers).value();
}

} // namespace

class TestSchedule : public QObject {
    Q_OBJECT

private slots:
    void rates_data();
    void rates();
    void neverAboveTheHighest_data();
    void neverAboveTheHighest();
    void contradictions_data();
    void contradictions();
};

void TestSchedule::rates_data()
{
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<int>("total");
    QTest::addColumn<QList<std::pair<int, double>>>("rates");
    using Rates = QList<std::pair<int, double>>;
    const auto row = [](const char* name, const QStringList& options, int total, const Rates& rates) {
        QTest::newRow(name) << QStringList{"--lr", "1"} + options << total << rates;
    };
    row("constant", {}, 10, {{0, 1}, {9, 1}});
    row("warm-up", {"--schedule", "warmup", "--warmup-steps", "4"}, 10,
        {{0, 0.25}, {1, 0.5}, {2, 0.75}, {3, 1}, {4, 1}, {9, 1}});
    row("warm-up before constant is the same", {"--warmup-steps", "4"}, 10, {{0, 0.25}, {3, 1}, {4, 1}, {9, 1}});
    row("warm-up of one step", {"--warmup-steps", "1"}, 10, {{0, 1}, {1, 1}});
    row("cosine", {"--schedule", "cosine"}, 8,
        {{0, 1}, {2, 0.5 + std::sqrt(0.125)}, {4, 0.5}, {6, 0.5 - std::sqrt(0.125)}});
    row("cosine to a floor", {"--schedule", "cosine", "--lr-min", "0.2"}, 4, {{0, 1}, {2, 0.6}});
    row("cosine after a warm-up", {"--schedule", "cosine", "--warmup-steps", "2"}, 6,
        {{0, 0.5}, {1, 1}, {2, 1}, {4, 0.5}, {5, 0.5 - std::sqrt(0.125)}});
    row("warm-up as long as the run", {"--schedule", "cosine", "--warmup-steps", "4"}, 4, {{0, 0.25}, {3, 1}});
    row("step", {"--schedule", "step", "--schedule-every", "3", "--gamma", "0.5"}, 9,
        {{0, 1}, {2, 1}, {3, 0.5}, {5, 0.5}, {6, 0.25}, {8, 0.25}});
    row("step after a warm-up", {"--schedule", "step", "--schedule-every", "2", "--warmup-steps", "2"}, 9,
        {{0, 0.5}, {1, 1}, {2, 1}, {3, 1}, {4, 0.1}, {6, 0.01}});
    // Rises to step 0.3 * 10 - 1 = 2, falls until step 9.
    row("one-cycle", {"--schedule", "one-cycle"}, 10,
        {{0, 0.04}, {1, 0.52}, {2, 1}, {9, 4e-6}, {5, 4e-6 + (1 - 4e-6) / 2 * (std::cos(3 * std::acos(-1) / 7) + 1)}});
    row("one-cycle of one step", {"--schedule", "one-cycle"}, 1, {{0, 4e-6}});
}

void TestSchedule::rates()
{
    QFETCH(QStringList, options);
    QFETCH(int, total);
    using Rates = QList<std::pair<int, double>>;
    QFETCH(Rates, rates);
    const Schedule schedule = scheduleFor(parsed(options), total);
    for (const auto& [step, rate] : rates)
        QVERIFY2(std::abs(schedule.at(step) - rate) <= kRounding * rate,
                 qPrintable(QString("step %1: %2, not %3").arg(step).arg(schedule.at(step), 0, 'g', 17).arg(rate)));
}

void TestSchedule::neverAboveTheHighest_data()
{
    QTest::addColumn<QStringList>("options");
    for (const char* name : {"constant", "cosine", "step"})
        QTest::newRow(name) << QStringList{"--schedule", name, "--warmup-steps", "7"};
    QTest::newRow("one-cycle") << QStringList{"--schedule", "one-cycle"};
}

void TestSchedule::neverAboveTheHighest()
{
    QFETCH(QStringList, options);
    for (int total = 8; total < 60; ++total) {
        const Schedule schedule = scheduleFor(parsed(QStringList{"--lr", "0.3"} + options), total);
        for (int step = 0; step < total; ++step)
            QVERIFY(schedule.at(step) > 0 && schedule.at(step) <= 0.3);
    }
}

void TestSchedule::contradictions_data()
{
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<QStringList>("words"); // none: they fit together
    const auto row = [](const char* name, const QStringList& options, const QStringList& words) {
        QTest::newRow(name) << options << words;
    };
    row("gamma with cosine", {"--schedule", "cosine", "--gamma", "0.5"},
        {"--gamma has no part in --schedule cosine", "--schedule step"});
    row("gamma with step", {"--schedule", "step", "--gamma", "0.5"}, {});
    row("the default may be said", {"--gamma", "0.1"}, {});
    row("schedule-every alone", {"--schedule-every", "5"}, {"--schedule-every", "--schedule step"});
    row("lr-min with one-cycle", {"--schedule", "one-cycle", "--lr-min", "0.1"}, {"--lr-min", "--schedule cosine"});
    row("lr-min above lr", {"--schedule", "cosine", "--lr", "0.1", "--lr-min", "0.2"}, {"--lr-min 0.2 is above"});
    row("warmup of nothing", {"--schedule", "warmup"}, {"--schedule warmup needs --warmup-steps"});
    row("one-cycle with a warm-up", {"--schedule", "one-cycle", "--warmup-steps", "5"},
        {"--schedule one-cycle", "--warmup-steps"});
    row("momentum of adam", {"--momentum", "0.5"}, {"--momentum has no part in --optimizer adamw", "--optimizer sgd"});
    row("beta of sgd", {"--optimizer", "sgd", "--beta1", "0.5"}, {"--beta1", "--optimizer adam or adamw"});
    row("nesterov without momentum", {"--optimizer", "sgd", "--nesterov", "yes", "--momentum", "0"},
        {"--nesterov yes needs a --momentum"});
    row("a scale without fp16", {"--loss-scale", "8"}, {"--loss-scale", "--precision fp16"});
    row("a scale with fp16", {"--precision", "fp16", "--loss-scale", "8"}, {});
    row("compression without ddp", {"--strategy", "fsdp", "--gradient-compression", "bf16"},
        {"--gradient-compression has no part in --strategy fsdp", "--strategy ddp"});
    row("static graph with micro-batches", {"--static-graph", "yes", "--accumulate", "2"},
        {"--static-graph yes", "--accumulate"});
    row("static graph finds unused ones itself", {"--static-graph", "yes", "--find-unused-parameters", "yes"}, {});
}

void TestSchedule::contradictions()
{
    QFETCH(QStringList, options);
    QFETCH(QStringList, words);
    QString said;
    try {
        (void)parsed(options);
    } catch (const Failure& failure) {
        QCOMPARE(failure.code(), ExitCode::Options);
        said = failure.what();
    }
    QCOMPARE(said.isEmpty(), words.isEmpty());
    for (const QString& word : words)
        QVERIFY2(said.contains(word), qPrintable(said));
}

QTEST_GUILESS_MAIN(TestSchedule)
#include "tst_schedule.moc"
