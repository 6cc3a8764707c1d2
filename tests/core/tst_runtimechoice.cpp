// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runtimechoice.h"

#include <QTest>

using namespace lockstep;

namespace {

BundleAbout built()
{
    return *BundleAbout::parse(R"(
torch = "2.14.1+cu130"
cuda = "13.0"
nccl = "2.30.7"
glibc = "2.34"
arch = "x86_64"
cuda_files = ["lockstep-trainer", "liblockstep_cuda.so"]
packages = ["torch==2.14.1"]
cuda_bytes = 3500000000
)",
                               QStringLiteral("bundle.toml"));
}

NodeFacts node(const QString& cuda, const QString& glibc = QStringLiteral("2.36"),
               const QString& arch = QStringLiteral("x86_64"))
{
    NodeFacts facts;
    facts.cuda = cuda;
    facts.driver = cuda.startsWith(QLatin1String("12")) ? QStringLiteral("550.54") : QStringLiteral("580.65");
    facts.glibc = glibc;
    facts.arch = arch;
    return facts;
}

const FoundTorch kFits{QStringLiteral("/venv/torch"), QStringLiteral("2.14.1+cu130"), QStringLiteral("13.0"),
                       QStringLiteral("2.30.4"), true};

FoundTorch torch(const QString& version, const QString& nccl, bool hasCuda)
{
    return {QStringLiteral("/other/torch"), version, QStringLiteral("13.0"), nccl, hasCuda};
}

} // namespace

class TstRuntimeChoice : public QObject {
    Q_OBJECT

private slots:
    void chooses_data();
    void chooses();
    void aBundleThatSaysNothingGoesEverywhere();
    void aBundleWithoutItsCudaPartIsSaid();
};

void TstRuntimeChoice::chooses_data()
{
    QTest::addColumn<NodeFacts>("facts");
    QTest::addColumn<DeviceUse>("use");
    QTest::addColumn<QList<FoundTorch>>("torches");
    QTest::addColumn<bool>("pip");
    QTest::addColumn<QString>("desktop");
    QTest::addColumn<RuntimeKind>("kind");
    QTest::addColumn<QString>("words"); // of the choice, or of its first problem
    QTest::addColumn<bool>("fits");
    const QString none;
    const auto gpu = DeviceUse::Gpu;
    QTest::newRow("CPU") << node({}) << DeviceUse::Cpu << QList<FoundTorch>{kFits} << true << none
                         << RuntimeKind::Bundle << QStringLiteral("CPU bundle") << true;
    QTest::newRow("found") << node("13.0") << gpu << QList<FoundTorch>{torch("2.11.0+cu128", "2.27.5", true), kFits}
                           << true << none << RuntimeKind::Found << QStringLiteral("/venv/torch") << true;
    QTest::newRow("a newer driver serves") << node("13.2") << gpu << QList<FoundTorch>{kFits} << false << none
                                           << RuntimeKind::Found << QStringLiteral("/venv/torch") << true;
    QTest::newRow("another version: fetched")
        << node("13.0") << gpu << QList<FoundTorch>{torch("2.11.0+cu128", {}, true)} << true << QStringLiteral("/here")
        << RuntimeKind::Fetched << QStringLiteral("It has 2.11.0+cu128 (/other/torch)") << true;
    QTest::newRow("the same version without CUDA")
        << node("13.0") << gpu << QList<FoundTorch>{torch("2.14.1+cpu", {}, false)} << true << none
        << RuntimeKind::Fetched << QStringLiteral("without CUDA") << true;
    QTest::newRow("another NCCL") << node("13.0") << gpu << QList<FoundTorch>{torch("2.14.1+cu130", "2.29.3", true)}
                                  << true << none << RuntimeKind::Fetched << QStringLiteral("NCCL 2.29.3") << true;
    QTest::newRow("no pip: sent") << node("13.0") << gpu << QList<FoundTorch>{} << false << QStringLiteral("/here")
                                  << RuntimeKind::Sent << QStringLiteral("3.5 GB") << true;
    QTest::newRow("nowhere") << node("13.0") << gpu << QList<FoundTorch>{} << false << none << RuntimeKind::Found
                             << QStringLiteral("pip install torch==2.14.1") << false;
    QTest::newRow("old driver") << node("12.4") << gpu << QList<FoundTorch>{kFits} << false << none
                                << RuntimeKind::Found << QStringLiteral("serves CUDA 12.4 at most. Update it to 580")
                                << false;
    QTest::newRow("old glibc") << node("13.0", "2.31") << gpu << QList<FoundTorch>{kFits} << false << none
                               << RuntimeKind::Found << QStringLiteral("would not start") << false;
    QTest::newRow("old glibc, CPU") << node({}, "2.28") << DeviceUse::Cpu << QList<FoundTorch>{} << false << none
                                    << RuntimeKind::Bundle << QStringLiteral("would not start") << false;
    QTest::newRow("another machine") << node({}, "2.36", "aarch64") << DeviceUse::Cpu << QList<FoundTorch>{} << false
                                     << none << RuntimeKind::Bundle
                                     << QStringLiteral("Build Lockstep on a machine of that kind") << false;
}

void TstRuntimeChoice::chooses()
{
    QFETCH(NodeFacts, facts);
    QFETCH(DeviceUse, use);
    QFETCH(QList<FoundTorch>, torches);
    QFETCH(bool, pip);
    QFETCH(QString, desktop);
    QFETCH(RuntimeKind, kind);
    QFETCH(QString, words);
    QFETCH(bool, fits);
    const RuntimeChoice choice = chooseRuntime(built(), facts, QStringLiteral("gpu1"), use, {torches, pip, desktop});
    QCOMPARE(choice.kind, kind);
    QCOMPARE(choice.fits(), fits);
    const QString said = choice.why + (choice.problems.isEmpty() ? QString() : choice.problems.first().detail);
    QVERIFY2(said.contains(words), qPrintable(said));
    for (const Problem& problem : choice.problems)
        QCOMPARE(problem.node, QStringLiteral("gpu1"));
}

void TstRuntimeChoice::aBundleThatSaysNothingGoesEverywhere()
{
    const RuntimeChoice choice =
        chooseRuntime({}, node("13.0", "2.17", "riscv64"), QStringLiteral("gpu1"), DeviceUse::Gpu, {});
    QCOMPARE(choice.kind, RuntimeKind::Bundle);
    QVERIFY(choice.problems.isEmpty());
}

void TstRuntimeChoice::aBundleWithoutItsCudaPartIsSaid()
{
    BundleAbout about = built();
    about.cudaFiles.clear();
    const RuntimeChoice choice = chooseRuntime(about, node("13.0"), QStringLiteral("gpu1"), DeviceUse::Gpu, {});
    QVERIFY(!choice.fits());
    QVERIFY(choice.problems.first().title.contains(QStringLiteral("no part for GPUs")));
}

QTEST_GUILESS_MAIN(TstRuntimeChoice)
#include "tst_runtimechoice.moc"
