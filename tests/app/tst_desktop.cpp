// SPDX-License-Identifier: GPL-3.0-or-later
// The window on a data folder: what it reads and writes there.
#include "app/desktop.h"
#include "app/exportrun.h"
#include "core/atomicfile.h"
#include "tests/core/spools.h"

#include <QApplication>
#include <QComboBox>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace lockstep;

class TestDesktop : public QObject {
    Q_OBJECT

private slots:
    void savesASpec();
    void exportsATable_data();
    void exportsATable();
};

namespace {

class Bench {
public:
    Bench() : theme(*qApp)
    {
        if (!writeAtomically(data.inventoryFile(), "\n")) // no node: nothing is started
            qFatal("no data folder");
    }

    QTemporaryDir folder;
    DataFolder data{folder.path()};
    ui::Theme theme;
};

RunSpec named(const QString& name)
{
    RunSpec spec = RunSpec::demo();
    spec.name = name;
    return spec;
}

} // namespace

void TestDesktop::savesASpec()
{
    Bench bench;
    Desk desk(bench.data);
    Desktop desktop(desk, bench.theme);
    desktop.start();
    const auto* choice = desktop.window().findChild<QComboBox*>(QStringLiteral("spec"));
    const auto names = [choice] {
        QStringList list;
        for (int i = 0; i < choice->count(); ++i)
            list << choice->itemText(i);
        return list.join(u' ');
    };
    for (const char* name : {"two", "one"})
        emit desktop.window().saveSpecRequested(named(QLatin1String(name)), {});
    QTRY_COMPARE(names(), RunSpec::demo().name + QStringLiteral(" one two"));
    QCOMPARE(*RunSpec::load(bench.data.specsFolder() + QStringLiteral("/one.toml")), named(QStringLiteral("one")));
}

void TestDesktop::exportsATable_data()
{
    QTest::addColumn<QString>("format");
    QTest::newRow("a line a point") << QStringLiteral("csv");
    QTest::newRow("a line a step") << QStringLiteral("csv-wide");
}

void TestDesktop::exportsATable()
{
    QFETCH(QString, format);
    Bench bench;
    QString id;
    {
        RunStore store(bench.data);
        RunState state = *store.create(named(QStringLiteral("a")), test::twoByTwo());
        id = state.id;
        QByteArray spool = test::hello(0, test::kStartUs);
        for (int step = 1; step <= 1000; ++step)
            spool += "metric 0 " + QByteArray::number(step * 1000) + " step=" + QByteArray::number(step) +
                     " loss=" + (step == 500 ? "nan" : QByteArray::number(1.0 / step)) + "\n";
        QVERIFY(store.append(id, "gpu1", 0, {spool.constData(), static_cast<std::size_t>(spool.size())}));
        state.phase = RunPhase::Finished;
        QVERIFY(store.saveState(state));
    }
    Desk desk(bench.data);
    Desktop desktop(desk, bench.theme);
    desktop.start();
    QSignalSpy read(&desktop, &Desktop::runFinished);
    desktop.open(id);
    QVERIFY(read.count() > 0 || read.wait());
    const QString path = bench.folder.filePath(QStringLiteral("seen.csv"));
    const QString same = bench.folder.filePath(QStringLiteral("held.csv"));
    emit desktop.window().exportRequested(id, format, path);
    QTRY_VERIFY(QFile::exists(path));
    QVERIFY(writeTable(*desktop.runs().data(id), format, same));
    const QByteArray text = *readWhole(path);
    QCOMPARE(text, *readWhole(same));
    QVERIFY(text.count('\n') > 1000 && text.contains("nan"));
}

QTEST_MAIN(TestDesktop)
#include "tst_desktop.moc"
