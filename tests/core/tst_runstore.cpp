// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runstore.h"
#include "spools.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QRegularExpression>
#include <QSet>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>

using namespace lockstep;

class TestRunStore : public QObject {
    Q_OBJECT

private slots:
    void createAndReopen();
    void idsAreUnique();
    void appendRefusesGapsAndDoubles();
    void cutAppend();
    void resolve_data();
    void resolve();
    void indexIsACache_data();
    void indexIsACache();
    void aLaunchThatWasCutOff();
    void aThousandRuns();
    void brokenRunIsShown();
    void damagedSpoolsAreSaid();
    void summaryOfAFinishedRun();
    void nodeNamesThatArePaths();
    void privateFolders();
    void standardPath();
};

namespace {

RunSpec named(const QString& name)
{
    RunSpec spec = RunSpec::demo();
    spec.name = name;
    return spec;
}

QString ids(RunStore& store)
{
    QStringList list;
    const Result<QList<RunSummary>> runs = store.list();
    for (const RunSummary& run : runs.value_or(QList<RunSummary>()))
        list.append(QString("#%1 %2 %3").arg(run.number).arg(run.name, toString(run.phase)));
    return list.join(", ");
}

} // namespace

void TestRunStore::createAndReopen()
{
    const QTemporaryDir folder;
    QString id;
    const QByteArray spool =
        test::hello(0, test::kStartUs) + "metric 0 1 step=1 loss=2.5\nphase 0 2 phase=running pid=9\n";
    {
        RunStore store{DataFolder(folder.path())};
        const Result<RunState> made = store.create(named("Fashion CNN!"), test::twoByTwo());
        QVERIFY2(made, made ? "" : qPrintable(made.error().text));
        id = made->id;
        QVERIFY2(QRegularExpression("^[0-9]{8}-[0-9]{6}-fashion-cnn-[a-z2-7]{4}$").match(id).hasMatch(),
                 qPrintable(id));
        QCOMPARE(made->number, 1);
        QCOMPARE(made->ranks.size(), 4);
        QVERIFY(store.append(id, "gpu1", 0, {spool.constData(), static_cast<std::size_t>(spool.size())}));
    }
    RunStore store{DataFolder(folder.path())}; // as after kill -9: nothing was closed
    QCOMPARE(store.spoolSize(id, "gpu1").value_or(-1), spool.size());
    QCOMPARE(store.spoolSize(id, "gpu2").value_or(-1), 0);
    QCOMPARE(store.readSpool(id, "gpu1", 5, 10).value_or(QByteArray()), spool.mid(5, 10));
    QCOMPARE(*store.spec(id), named("Fashion CNN!"));
    QCOMPARE(*store.plan(id), test::twoByTwo());
    RunData data;
    const Result<void> opened = openRun(store, id, data);
    QVERIFY2(opened, opened ? "" : qPrintable(opened.error().text));
    QCOMPARE(data.series({"loss", 0, 0, {}, 1})->lastY(), 2.5);
    QCOMPARE(data.state().ranks[0].phase, RankPhase::Training);
    QCOMPARE(data.state().id, id);
}

void TestRunStore::idsAreUnique()
{
    const QTemporaryDir folder;
    RunStore store{DataFolder(folder.path())};
    QSet<QString> seen;
    for (int i = 1; i <= 5; ++i) {
        RunStore other{DataFolder(folder.path())}; // another desktop on the same folder
        const Result<RunState> made =
            (i % 2 ? store : other).create(named(QString::fromUtf8("学习")), test::twoByTwo());
        QVERIFY(made);
        QCOMPARE(made->number, i);
        seen.insert(made->id);
        QVERIFY2(made->id.contains("-run"), qPrintable(made->id));
    }
    QCOMPARE(seen.size(), 5);
    const QTemporaryDir elsewhere;
    RunStore stranger{DataFolder(elsewhere.path())}; // a desktop that knows nothing of this one, in the same second
    for (int i = 0; i < 5; ++i)
        seen.insert(stranger.create(named(QString::fromUtf8("学习")), test::twoByTwo())->id);
    QCOMPARE(seen.size(), 10);
}

void TestRunStore::appendRefusesGapsAndDoubles()
{
    const QTemporaryDir folder;
    RunStore store{DataFolder(folder.path())};
    const QString id = store.create(named("a"), test::twoByTwo())->id;
    QVERIFY(store.append(id, "gpu1", 0, "hello"));
    const Result<void> gap = store.append(id, "gpu1", 6, "x");
    QVERIFY(!gap && gap.error().code == ErrorCode::Protocol && gap.error().text.contains("gap") &&
            gap.error().node == "gpu1");
    const Result<void> twice = store.append(id, "gpu1", 0, "hello");
    QVERIFY(!twice && twice.error().text.contains("double"));
    QVERIFY(store.append(id, "gpu1", 5, " world"));
    QCOMPARE(store.readSpool(id, "gpu1", 0, 100).value_or(QByteArray()), "hello world");
    QVERIFY(!store.append("20261129-160401-none", "gpu1", 0, "x"));
}

void TestRunStore::cutAppend()
{
    // A crash in mid-append leaves the beginning of what was offered: the size says where to go on.
    const QTemporaryDir folder;
    RunStore store{DataFolder(folder.path())};
    const QString id = store.create(named("a"), test::twoByTwo())->id;
    QVERIFY(store.append(id, "gpu1", 0, "one\ntw"));
    const qint64 size = store.spoolSize(id, "gpu1").value_or(-1);
    QCOMPARE(size, 6);
    QVERIFY(store.append(id, "gpu1", size, "o\n"));
    QCOMPARE(store.readSpool(id, "gpu1", 0, 100).value_or(QByteArray()), "one\ntwo\n");
}

void TestRunStore::resolve_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("number"); // 0: refused
    QTest::addColumn<QString>("says");
    QTest::newRow("last") << "last" << 3 << "";
    QTest::newRow("number") << "2" << 2 << "";
    QTest::newRow("#number") << "#1" << 1 << "";
    QTest::newRow("name, the newest") << "a" << 3 << "";
    QTest::newRow("other name") << "b" << 2 << "";
    QTest::newRow("ambiguous") << "20" << 0 << "is the beginning of 3 runs";
    QTest::newRow("unknown") << "zebra" << 0 << "No run is called \"zebra\"";
    QTest::newRow("empty") << "" << 0 << "No run is called";
    QTest::newRow("unknown number") << "#99" << 0 << "No run is called";
}

void TestRunStore::resolve()
{
    QFETCH(QString, text);
    QFETCH(int, number);
    QFETCH(QString, says);
    const QTemporaryDir folder;
    RunStore store{DataFolder(folder.path())};
    QVERIFY(!store.resolve("last"));
    QStringList made;
    for (const char* name : {"a", "b", "a"})
        made.append(store.create(named(name), test::twoByTwo())->id);
    const Result<QString> id = store.resolve(text);
    if (number > 0)
        QCOMPARE(id.value_or(QString()), made[number - 1]);
    else
        QVERIFY2(!id && id.error().text.contains(says), id ? qPrintable(*id) : qPrintable(id.error().text));
    QCOMPARE(store.resolve(made[1]).value_or(QString()), made[1]);
}

void TestRunStore::indexIsACache_data()
{
    QTest::addColumn<QString>("harm");
    for (const char* harm :
         {"none", "missing", "garbage", "truncated", "other schema", "older", "run removed", "folder instead"})
        QTest::newRow(harm) << QString(harm);
}

void TestRunStore::indexIsACache()
{
    QFETCH(QString, harm);
    const QTemporaryDir folder;
    const DataFolder data(folder.path());
    RunState state;
    {
        RunStore store{data};
        QVERIFY(store.create(named("a"), test::twoByTwo()));
        state = *store.create(named("b"), test::twoByTwo());
        QCOMPARE(ids(store), "#2 b lost, #1 a lost");
    }
    QString expected = "#2 b lost, #1 a lost";
    QFile index(data.indexFile());
    if (harm == "missing") {
        QVERIFY(index.remove());
    } else if (harm == "garbage") {
        QVERIFY(index.open(QIODevice::WriteOnly | QIODevice::Truncate));
        index.write(QByteArray(9000, 'x'));
    } else if (harm == "truncated") {
        QVERIFY(index.resize(index.size() / 2 + 7));
    } else if (harm == "other schema") {
        QVERIFY(index.open(QIODevice::ReadWrite) && index.seek(60) &&
                index.write("\x7f\x7f\x7f\x7f", 4) == 4); // user_version
    } else if (harm == "older") {
        RunStore other{data};
        state.phase = RunPhase::Finished;
        QVERIFY(other.saveState(state));
        expected = "#2 b finished, #1 a lost";
    } else if (harm == "run removed") {
        QVERIFY(QDir(data.runFolder(state.id)).removeRecursively());
        expected = "#1 a lost";
    } else if (harm == "folder instead") {
        QVERIFY(index.remove() && QDir().mkdir(data.indexFile()));
    }
    index.close();
    if (harm == "garbage" || harm == "truncated" || harm == "folder instead")
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression("made anew"));
    if (harm == "folder instead")
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression("made anew"));
    RunStore store{data};
    QCOMPARE(ids(store), expected);
    QCOMPARE(ids(store), expected); // from the index that was made
}

// Planned by a program that lives, or by one that does not.
void TestRunStore::aLaunchThatWasCutOff()
{
    const QTemporaryDir folder;
    RunStore store{DataFolder(folder.path())};
    const QString id = store.create(named("a"), test::twoByTwo())->id;
    {
        const auto claim = store.claim(id);
        QVERIFY(claim);
        QVERIFY(!store.claim(id));
        QCOMPARE(ids(store), "#1 a planning");
    }
    QCOMPARE(ids(store), "#1 a lost");
    QVERIFY2(store.list()->first().reason.contains("cut off while planning"), qPrintable(store.list()->first().reason));
    RunState state = *store.state(id);
    state.phase = RunPhase::Running; // on its nodes: no program is needed
    QVERIFY(store.saveState(state));
    QCOMPARE(ids(store), "#1 a running");
    QVERIFY(!store.stopAsked(id));
    QVERIFY(store.askToStop(id, -1));
    QCOMPARE(store.stopAsked(id).value_or(0), -1);
}

void TestRunStore::aThousandRuns()
{
    const QTemporaryDir folder;
    const DataFolder data(folder.path());
    RunStore store{data};
    RunState state = *store.create(named("a"), test::twoByTwo());
    for (int i = 2; i <= 1000; ++i) {
        state.number = i;
        state.id = QString("20260101-000000-a-%1").arg(i);
        QVERIFY(QDir().mkdir(data.runFolder(state.id)));
        QVERIFY(store.saveState(state));
    }
    QElapsedTimer timer;
    timer.start();
    QCOMPARE(store.list()->size(), 1000);
    const qint64 firstMs = timer.restart();
    QCOMPARE(store.list()->size(), 1000);
    const qint64 againMs = timer.elapsed();
    qInfo("1000 runs: %lld ms without the index, %lld ms with it", firstMs, againMs);
    QVERIFY2(againMs * 2 < firstMs, "the index does not spare the reading"); // a ratio: the first pass reads 1000 files
}

void TestRunStore::brokenRunIsShown()
{
    const QTemporaryDir folder;
    const DataFolder data(folder.path());
    RunStore store{data};
    const QString id = store.create(named("a"), test::twoByTwo())->id;
    QFile file(data.runFolder(id) + "/state.toml");
    QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
    file.write("phase = ");
    file.close();
    const Result<QList<RunSummary>> runs = store.list();
    QCOMPARE(runs->size(), 1);
    QCOMPARE(runs->first().phase, RunPhase::Lost);
    QVERIFY(runs->first().reason.contains("state.toml"));
    QVERIFY(runs->first().createdWallUs > 0); // as its id says
    for (const char* name : {"plan.toml", "spec.toml"}) {
        const QString other = store.create(named("b"), test::twoByTwo())->id;
        QVERIFY(QFile::remove(data.runFolder(other) + u'/' + QLatin1String(name)));
        RunData opened;
        const Result<void> read = openRun(store, other, opened);
        QVERIFY(!read);
        QVERIFY2(read.error().text.contains("attach " + other) && read.error().text.contains(data.runFolder(other)),
                 qPrintable(read.error().text));
    }
}

void TestRunStore::damagedSpoolsAreSaid()
{
    const QTemporaryDir folder;
    RunStore store{DataFolder(folder.path())};
    RunState state = *store.create(named("a"), test::twoByTwo());
    const QByteArray spool = test::hello(0, test::kStartUs) + "metric 0 1 step=1 loss=2.5\n";
    const auto add = [&](qint64 at, const QByteArray& bytes) {
        return store.append(state.id, "gpu1", at, {bytes.constData(), static_cast<std::size_t>(bytes.size())});
    };
    QVERIFY(add(0, spool));
    state.nodes[0].spoolBytes = spool.size();
    state.nodes[1].spoolBytes = 700; // of which a disk has kept nothing
    QVERIFY(store.saveState(state));
    const auto said = [&] {
        RunData data;
        return openRun(store, state.id, data) ? lackingIn(store, data).join(u' ') : QStringLiteral("not opened");
    };
    QCOMPARE(said(), QStringLiteral("700 of 700 bytes of gpu2's records are no longer on this machine."));
    state.nodes[1].spoolBytes = 0;
    QVERIFY(store.saveState(state));
    QCOMPARE(said(), QString());
    QVERIFY(add(spool.size(), "\x01\x02 no record\n"));
    QCOMPARE(said(), QStringLiteral("1 lines of the records are damaged and left out."));
}

void TestRunStore::summaryOfAFinishedRun()
{
    const QTemporaryDir folder;
    RunStore store{DataFolder(folder.path())};
    RunState state = *store.create(named("a"), test::twoByTwo());
    QByteArray spool = test::hello(0, test::kStartUs);
    for (int step = 0; step < 40'000; ++step) // above what is read whole
        spool += QString("metric 0 %1 step=%1 loss=%2\n").arg(step).arg(40'000 - step).toLatin1();
    QVERIFY(store.append(state.id, "gpu1", 0, {spool.constData(), static_cast<std::size_t>(spool.size())}));
    QVERIFY(std::isnan(store.list()->first().lastLoss));
    state.phase = RunPhase::Finished;
    state.endedWallUs = state.createdWallUs + 1;
    QVERIFY(store.saveState(state));
    QVERIFY(store.annotate(state.id, {"paper", "good"}, "the first\nof all"));
    const RunSummary summary = store.list()->first();
    QCOMPARE(summary.lastLoss, 1.0);
    QCOMPARE(summary.sparkline.size(), static_cast<std::size_t>(kSparklineValues));
    QVERIFY(std::is_sorted(summary.sparkline.rbegin(), summary.sparkline.rend()));
    QCOMPARE(summary.sparkline.back(), 1.0F);
    QCOMPARE(summary.tags, QStringList({"paper", "good"}));
    QCOMPARE(summary.note, "the first\nof all");
    QCOMPARE(summary.ranks, 4);
}

void TestRunStore::nodeNamesThatArePaths()
{
    const QTemporaryDir folder;
    RunStore store{DataFolder(folder.path())};
    LaunchPlan plan = test::twoByTwo();
    plan.nodes[0].name = "../../evil";
    QVERIFY(!store.create(named("a"), plan));
    QCOMPARE(store.list()->size(), 0);
}

void TestRunStore::privateFolders()
{
    const QTemporaryDir folder;
    const DataFolder data(folder.filePath("data"));
    RunStore store{data};
    const QString id = store.create(named("a"), test::twoByTwo())->id;
    QVERIFY(store.append(id, "gpu1", 0, "x"));
    constexpr QFile::Permissions kOthers =
        QFile::ReadGroup | QFile::WriteGroup | QFile::ExeGroup | QFile::ReadOther | QFile::WriteOther | QFile::ExeOther;
    for (const QString& path : {data.path(), data.runsFolder(), data.runFolder(id), data.spoolFile(id, "gpu1"),
                                data.indexFile(), data.runFolder(id) + "/spec.toml"})
        QVERIFY2(!(QFile::permissions(path) & kOthers), qPrintable(path));
}

void TestRunStore::standardPath()
{
    qputenv("LOCKSTEP_DATA", "/somewhere/else");
    QCOMPARE(DataFolder::standardPath(), "/somewhere/else");
    qunsetenv("LOCKSTEP_DATA");
    qputenv("XDG_DATA_HOME", "/xdg");
    QCOMPARE(DataFolder::standardPath(), "/xdg/lockstep");
    qputenv("XDG_DATA_HOME", "relative");
    QCOMPARE(DataFolder::standardPath(), QDir::homePath() + "/.local/share/lockstep");
    qunsetenv("XDG_DATA_HOME");
}

QTEST_GUILESS_MAIN(TestRunStore)
#include "tst_runstore.moc"
