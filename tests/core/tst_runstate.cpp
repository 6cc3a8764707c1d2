// SPDX-License-Identifier: GPL-3.0-or-later
// Phases and the first cause, as pictures: "r3@1 kill=9 t=50" is rank 3 on node 1, killed by signal 9 at second 50.
#include "core/exitreason.h"
#include "core/runstate.h"

#include <QRegularExpression>
#include <QTest>

#include <algorithm>
#include <tuple>

using namespace lockstep;

class TestRunState : public QObject {
    Q_OBJECT

private slots:
    void story_data();
    void story();
    void storyInAnyOrder_data() { story_data(); }
    void storyInAnyOrder();
    void proof();
    void wrongRecords();
    void nextAttempt();
    void file();
};

namespace {

constexpr qint64 kSecond = 1'000'000;

RunState fourRanksOnTwoNodes()
{
    LaunchPlan plan;
    plan.nodes.resize(2);
    plan.nodes[0].name = "gpu1";
    plan.nodes[1].name = "gpu2";
    for (int i = 0; i < 4; ++i) {
        PlannedRank rank;
        rank.rank = i;
        rank.localRank = i % 2;
        rank.nodeIndex = i / 2;
        plan.ranks.append(rank);
    }
    RunState state = stateOf(plan);
    state.phase = RunPhase::Running;
    return state;
}

PhaseChange changeOf(const QString& picture) // "rR run|code=N|kill=N t=S [say=...]", "nN stop|end t=S [left=N]"
{
    static const QRegularExpression kWord("^(\\w+)(?:=(.*))?$");
    PhaseChange change;
    const QStringList words = picture.split(' ', Qt::SkipEmptyParts);
    const int number = words[0].mid(1).toInt();
    change.rank = words[0].startsWith('r') ? number : -1;
    change.nodeIndex = words[0].startsWith('r') ? number / 2 : number;
    for (const QString& word : words.mid(1)) {
        const auto match = kWord.match(word);
        const QString key = match.captured(1), value = match.captured(2);
        if (key == "run")
            change.phase = "running";
        else if (key == "stop")
            change.phase = "stopping";
        else if (key == "end")
            change.phase = "ended", change.left = 0;
        else if (key == "code")
            change.phase = "exited", change.code = value.toInt();
        else if (key == "kill")
            change.phase = "exited", change.signal = value.toInt();
        else if (key == "t")
            change.wallUs = value.toLongLong() * kSecond;
        else if (key == "left")
            change.left = value.toInt();
        else if (key == "say")
            change.reason = QString(value).replace('_', ' ');
    }
    return change;
}

QString ranks(const RunState& state) // one letter a rank
{
    QString text;
    for (const RankState& rank : state.ranks)
        text += words(rank.phase).left(1);
    return text;
}

} // namespace

void TestRunState::story_data()
{
    QTest::addColumn<QStringList>("changes");
    QTest::addColumn<bool>("stopAsked");
    QTest::addColumn<QString>(
        "ranksThen"); // f inished or failed, e nded with the others, l ost, s topped, t raining, w aiting
    QTest::addColumn<QString>("phase");
    QTest::addColumn<QString>("title");
    QTest::addColumn<int>("code");
    QTest::newRow("trains") << QStringList{"r0 run t=1", "r1 run t=1"} << false << "ttww"
                            << "running"
                            << "" << 1;
    QTest::newRow("finished") << QStringList{"r0 code=0 t=9", "r1 code=0 t=9", "r2 code=0 t=9",
                                             "r3 code=0 t=9", "n0 end t=10",   "n1 end t=10"}
                              << false << "ffff"
                              << "finished"
                              << "" << 0;
    QTest::newRow("killed, others lose their peer") << QStringList{"r3 kill=9 t=50", "r2 code=7 t=51", "r0 code=7 t=52",
                                                                   "r1 code=7 t=52", "n0 end t=55",    "n1 end t=55"}
                                                    << false << "eeef"
                                                    << "failed"
                                                    << "Rank 3 on gpu2 was killed by SIGKILL" << 137;
    QTest::newRow("crashed") << QStringList{"r1 kill=11 t=50", "r0 kill=6 t=51", "r2 code=1 t=52",
                                            "r3 code=1 t=52",  "n0 end t=55",    "n1 end t=55"}
                             << false << "efee"
                             << "failed"
                             << "Rank 1 on gpu1 crashed with SIGSEGV" << 139;
    QTest::newRow("exit code with its reason") << QStringList{"r0 code=3 t=50 say=loss_is_NaN",
                                                              "n0 stop t=55",
                                                              "r1 kill=15 t=55",
                                                              "r2 code=7 t=51",
                                                              "r3 code=7 t=51",
                                                              "n0 end t=56",
                                                              "n1 end t=56"}
                                               << false << "feee"
                                               << "failed"
                                               << "Rank 0 on gpu1 ended with exit code 3: loss is NaN" << 3;
    QTest::newRow("the other node's clock, corrected")
        << QStringList{"r2 code=7 t=49", "r0 code=1 t=50", "r1 code=7 t=51",
                       "r3 code=7 t=51", "n0 end t=55",    "n1 end t=55"}
        << false << "feee"
        << "failed"
        << "Rank 0 on gpu1 ended with exit code 1" << 1;
    QTest::newRow("two crashes of their own") << QStringList{"r0 kill=11 t=50", "r3 kill=9 t=51"} << false << "fwwf"
                                              << "stopping"
                                              << "Rank 0 on gpu1 crashed with SIGSEGV" << 139;
    QTest::newRow("only lost peers") << QStringList{"r0 code=7 t=50", "r1 code=7 t=51", "n0 end t=52"} << false
                                     << "feww"
                                     << "stopping"
                                     << "Rank 0 on gpu1 lost a peer" << 7;
    QTest::newRow("a supervisor that did not live to say how")
        << QStringList{"r0 run t=1", "r2 run t=1", "n0 end t=9"} << true << "lwtw"
        << "stopping"
        << "" << 1;
    QTest::newRow("stopped on request") << QStringList{"n0 stop t=40",   "n1 stop t=40",    "r0 kill=15 t=41",
                                                       "r1 kill=9 t=42", "r2 kill=15 t=41", "r3 code=7 t=41",
                                                       "n0 end t=43",    "n1 end t=43"}
                                        << true << "ssss"
                                        << "stopped"
                                        << "" << 1;
    QTest::newRow("stopped; a peer was lost just before")
        << QStringList{"r2 code=7 t=39",  "n0 stop t=40",    "n1 stop t=40", "r0 kill=15 t=41",
                       "r1 kill=15 t=41", "r3 kill=15 t=41", "n0 end t=43",  "n1 end t=43"}
        << true << "ssss"
        << "stopped"
        << "" << 1;
    QTest::newRow("supervisor clears up after the first")
        << QStringList{"r0 kill=9 t=50", "n0 stop t=55", "r1 kill=9 t=56", "n0 end t=57"} << false << "feww"
        << "stopping"
        << "Rank 0 on gpu1 was killed by SIGKILL" << 137;
    QTest::newRow("one node is still open")
        << QStringList{"r0 code=0 t=9", "r1 code=0 t=9", "r2 code=0 t=9", "r3 code=0 t=9", "n0 end t=10"} << false
        << "ffff"
        << "running"
        << "" << 1;
}

void TestRunState::story()
{
    QFETCH(QStringList, changes);
    QFETCH(bool, stopAsked);
    RunState state = fourRanksOnTwoNodes();
    state.stopRequested = stopAsked;
    for (const QString& change : changes)
        applyPhase(state, changeOf(change));
    QTEST(ranks(state), "ranksThen");
    QTEST(words(state.phase), "phase");
    QTEST(state.cause ? state.cause->title : QString(), "title");
    QTEST(state.exitCode(), "code");
}

// Each node's records come in their order, but which node is heard first is chance: the story ends the same.
void TestRunState::storyInAnyOrder()
{
    QFETCH(QStringList, changes);
    QFETCH(bool, stopAsked);
    RunState state = fourRanksOnTwoNodes();
    state.stopRequested = stopAsked;
    std::stable_partition(changes.begin(), changes.end(),
                          [](const QString& change) { return changeOf(change).nodeIndex == 1; });
    for (const QString& change : changes)
        applyPhase(state, changeOf(change));
    QTEST(ranks(state), "ranksThen");
    QTEST(words(state.phase), "phase");
    QTEST(state.cause ? state.cause->title : QString(), "title");
}

void TestRunState::proof()
{
    RunState state = fourRanksOnTwoNodes();
    QCOMPARE(state.proof(), "");
    applyPhase(state, changeOf("n0 end t=5"));
    QCOMPARE(state.proof(), "2 of 4 ranks gone, 0 left behind; no answer yet from gpu2");
    applyPhase(state, changeOf("n1 end t=5"));
    QCOMPARE(state.proof(), "4 of 4 ranks gone, 0 left behind");
    applyPhase(state, changeOf("n1 end left=1 t=5"));
    QCOMPARE(state.proof(), "3 of 4 ranks gone, 1 left behind");
}

void TestRunState::wrongRecords()
{
    const RunState before = fourRanksOnTwoNodes();
    RunState state = before;
    for (const auto& [node, rank, phase] :
         {std::tuple(7, 0, "exited"), std::tuple(-1, 0, "exited"), std::tuple(0, 99, "exited"),
          std::tuple(1, 0, "exited"), std::tuple(0, 0, "danced")}) {
        PhaseChange change;
        change.nodeIndex = node;
        change.rank = rank;
        change.phase = QString::fromLatin1(phase);
        change.code = 1;
        applyPhase(state, change);
    }
    QCOMPARE(state, before);
}

void TestRunState::nextAttempt()
{
    RunState state = fourRanksOnTwoNodes();
    for (const char* change :
         {"r0 kill=9 t=50", "r1 code=7 t=51", "r2 code=7 t=51", "r3 code=7 t=51", "n0 end t=55", "n1 end t=55"})
        applyPhase(state, changeOf(change));
    QCOMPARE(state.phase, RunPhase::Failed);
    beginAttempt(state, 1);
    QCOMPARE(state.phase, RunPhase::Failed);
    beginAttempt(state, 2);
    QCOMPARE(state.phase, RunPhase::Starting);
    QVERIFY(!state.cause);
    QCOMPARE(ranks(state), "wwww");
    QCOMPARE(state.ranks[3].nodeIndex, 1);
}

void TestRunState::file()
{
    RunState state = fourRanksOnTwoNodes();
    state.id = "20261129-160401-demo";
    state.number = 12;
    state.name = "demo \"x\"";
    state.createdWallUs = 1'796'000'000'000'000;
    state.nodes[1].clockOffsetUs = -5'000'000;
    state.nodes[1].link = LinkPhase::Stale;
    state.ranks[2].step = 6204;
    applyPhase(state, changeOf("r2 kill=9 t=50"));
    state.cause->lastLines = {"a\tb", "naïve"};
    QVERIFY(state.cause->detail.contains("step 6,204"));
    const Result<RunState> again = parseRunState(toToml(state), "state.toml");
    QVERIFY2(again, again ? "" : qPrintable(again.error().text));
    QCOMPARE(*again, state);
    QVERIFY(!parseRunState("phase = \"dancing\"", "state.toml"));
    QVERIFY(!parseRunState("", "state.toml"));
}

QTEST_GUILESS_MAIN(TestRunState)
#include "tst_runstate.moc"
