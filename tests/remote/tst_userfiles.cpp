// SPDX-License-Identifier: GPL-3.0-or-later
// A folder that goes with a run, and the files that come back while it goes on, on real agents.
#include "core/resultsshelf.h"
#include "remote/resultsagain.h"
#include "remote/runsession.h"
#include "tests/remote/madenodes.h"
#include "tests/remote/ownnetwork.h"

#include <QDir>
#include <QFile>
#include <QSignalSpy>
#include <QTest>

#include <atomic>

using namespace lockstep;
using namespace lockstep::test;

namespace {

constexpr int kEndMs = 60'000;

// Writes what it was given, a file in two parts with a pause between them, and goes on until it is told to end.
constexpr char kProgram[] = R"(#!/bin/sh
echo "info - 0 world=$WORLD_SIZE" >&3
pwd > where.txt
cat given.txt > "took-$RANK.txt"
echo more >> given.txt
mkdir -p out
{ head -c 700000 /dev/zero; until [ -e "$LOCKSTEP_TEST_GO" ]; do sleep 0.05; done; head -c 700000 /dev/zero; } > out/slow.pt
until [ -e "$LOCKSTEP_TEST_END" ]; do sleep 0.05; done
echo late > out/late.pt
)";

void write(const QString& path, const QByteArray& text)
{
    QDir().mkpath(QFileInfo(path).path());
    QFile file(path);
    QVERIFY2(file.open(QIODevice::WriteOnly), qPrintable(path));
    file.write(text);
}

QByteArray contentOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

class TstUserFiles : public QObject {
    Q_OBJECT

private slots:
    void goAndComeBack();
};

void TstUserFiles::goAndComeBack()
{
    MadeNodes made(1);
    const QString code = made.folder() + QStringLiteral("/code"), go = made.folder() + QStringLiteral("/go"),
                  end = made.folder() + QStringLiteral("/end");
    write(code + QStringLiteral("/work/given.txt"), "given");
    write(code + QStringLiteral("/work/untouched.txt"), "as it was sent");
    write(code + QStringLiteral("/left.log"), "stays here");
    write(code + QStringLiteral("/.gitignore"), "*.log\n");
    write(made.bundleFolder() + QStringLiteral("/lockstep-trainer"), kProgram);
    RunSpec spec;
    spec.name = QStringLiteral("files");
    spec.ranksPerNode = 1;
    spec.graceS = 1;
    spec.folder = code;
    spec.directory = QStringLiteral("work");
    spec.results = {QStringLiteral("*.txt"), QStringLiteral("out/")};
    spec.env = {{"LOCKSTEP_TEST_GO", go.toUtf8()}, {"LOCKSTEP_TEST_END", end.toUtf8()}};

    StoreThread store(DataFolder(made.dataFolder()));
    RunSession session(made.parts(), store);
    QSignalSpy finished(&session, &RunSession::finished);
    QStringList fetched;
    connect(&session, &RunSession::resultFetched, this,
            [&](const ResultEntry& entry) { fetched.append(QString::fromUtf8(entry.path)); });
    session.launch(spec, made.nodes());
    QTRY_VERIFY_WITH_TIMEOUT(session.isFinished() || fetched.contains(QStringLiteral("took-0.txt")), kEndMs);
    QVERIFY2(!session.isFinished(), qPrintable(session.state().reason));
    const QString run = session.state().id;
    const QString here = DataFolder(made.dataFolder()).resultsFolder(run) + QStringLiteral("/n1/");
    const QString there = made[0].runs + QLatin1Char('/') + run + QStringLiteral("/files");
    QCOMPARE(contentOf(here + QStringLiteral("took-0.txt")), QByteArray("given"));
    QTRY_COMPARE_WITH_TIMEOUT(QString::fromUtf8(contentOf(here + QStringLiteral("where.txt"))).trimmed(),
                              there + QStringLiteral("/work"), kEndMs);
    QVERIFY(!QFile::exists(there + QStringLiteral("/left.log")));
    // The ranks' own copy changes, what is shared does not.
    QTRY_COMPARE_WITH_TIMEOUT(contentOf(here + QStringLiteral("given.txt")), QByteArray("givenmore\n"), kEndMs);
    const QDir contents(made[0].cache + QStringLiteral("/contents"));
    for (const QString& name : contents.entryList(QDir::Files))
        QVERIFY(!contentOf(contents.filePath(name)).contains("givenmore"));

    // Half a file, open for writing, is none. The link is cut and healed meanwhile.
    QVERIFY(!QFile::exists(here + QStringLiteral("out/slow.pt")));
    made[0].cut = true;
    write(go, "");
    QTRY_VERIFY_WITH_TIMEOUT(session.state().nodes[0].link != LinkPhase::Live, kEndMs);
    made[0].cut = false;
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(here + QStringLiteral("out/slow.pt")), kEndMs);
    QCOMPARE(contentOf(here + QStringLiteral("out/slow.pt")).size(), 1'400'000);

    // Who asks once has what is whole, and does not wait for the end of the run.
    const ResultsOrder once{run, spec.results, made.nodes(), made.folder() + QStringLiteral("/once"), {}};
    const auto whole = fetchResults(made.parts(), once, [](const ResultEntry&) {}, {});
    QVERIFY(whole && whole->size() == 1 && !whole->first().how);
    QVERIFY2(whole->first().how.error().code == ErrorCode::Busy, qPrintable(whole->first().how.error().text));
    QCOMPARE(contentOf(once.folder + QStringLiteral("/n1/took-0.txt")), QByteArray("given"));
    QCOMPARE(contentOf(once.folder + QStringLiteral("/n1/out/slow.pt")).size(), 1'400'000);

    write(end, "");
    QVERIFY(finished.wait(kEndMs));
    QVERIFY2(session.state().phase == RunPhase::Finished, qPrintable(session.state().reason));
    QCOMPARE(contentOf(here + QStringLiteral("out/late.pt")), QByteArray("late\n")); // written as the last thing
    QVERIFY(!QFile::exists(here + QStringLiteral("untouched.txt")));
    const auto entries = ResultsShelf::all(DataFolder(made.dataFolder()).resultsFolder(run));
    QVERIFY(std::all_of(entries.begin(), entries.end(), [](const ResultEntry& entry) { return entry.isWhole(); }));
    QVERIFY(entries.size() >= 5);

    // What was removed here comes again on request; not beside the program that drives the run.
    QVERIFY(QFile::remove(here + QStringLiteral("out/slow.pt")));
    RunStore own{DataFolder(made.dataFolder())};
    const Inventory inventory = made.inventory();
    auto claim = own.claim(run);
    const auto refused = orderResults(own, run, inventory);
    QVERIFY2(claim && !refused && refused.error().code == ErrorCode::Busy, "two would fetch at once");
    claim.reset();
    const auto order = orderResults(own, run, inventory);
    QVERIFY2(order, order ? "" : qPrintable(order.error().text));
    std::atomic<int> came = 0;
    const auto again = fetchResults(made.parts(), *order, [&came](const ResultEntry&) { ++came; }, {});
    QVERIFY(again && again->size() == 1 && again->first().how);
    QCOMPARE(came.load(), 1);
    QCOMPARE(contentOf(here + QStringLiteral("out/slow.pt")).size(), 1'400'000);
    // A node that answers and sends nothing, or can't be reached, is said and not waited for.
    made[0].sendsNothing = true;
    const auto nothing = fetchResults(made.parts(), *order, [](const ResultEntry&) {}, {});
    QVERIFY(nothing && nothing->size() == 1 && !nothing->first().how);
    QVERIFY2(nothing->first().how.error().text.contains(QLatin1String("n1 stopped sending")),
             qPrintable(nothing->first().how.error().text));
    made[0].cut = true;
    const auto away = fetchResults(made.parts(), *order, [](const ResultEntry&) {}, {});
    QVERIFY(away && away->size() == 1 && !away->first().how);
}

int main(int argc, char** argv)
{
    enterOwnNetwork();
    QCoreApplication app(argc, argv);
    TstUserFiles test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_userfiles.moc"
