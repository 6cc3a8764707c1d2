// SPDX-License-Identifier: GPL-3.0-or-later
// The window and a person's editor on one inventory.toml.
#include "app/desktopnodes.h"
#include "app/liveinventory.h"
#include "core/atomicfile.h"
#include "ui/mainwindow.h"
#include "ui/nodes/addnode.h"
#include "ui/nodes/nodedrawer.h"
#include "ui/nodes/nodespage.h"
#include "ui/shell/noticebar.h"
#include "ui/widgets/field.h"

#include <QApplication>
#include <QFile>
#include <QLockFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

#include <utility>

using namespace lockstep;

namespace {

const QByteArray kText =
    "# my cluster\n\n[[node]] # the first\nname = \"a\"\naddress = \"127.0.0.1:1\"\nowner = \"bob\"\n";

QByteArray withNode(const QByteArray& text, const QByteArray& name)
{
    return text + "\n[[node]]\nname = \"" + name + "\"\naddress = \"127.0.0.1:2\"\n";
}

class Bench { // a window on a folder of its own
public:
    explicit Bench(const QByteArray& text) : theme(*qApp), window(theme, list, runs)
    {
        if (!text.isEmpty())
            write(text);
        desk = std::make_unique<Desk>(DataFolder(folder.path()));
        nodes = std::make_unique<DesktopNodes>(*desk, list, window);
        nodes->start();
    }

    [[nodiscard]] QString path(const QString& name = QStringLiteral("inventory.toml")) const
    {
        return folder.filePath(name);
    }
    void write(const QByteArray& text) const // in place, as some editors do
    {
        QFile file(path());
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text) == text.size());
    }
    void replace(const QByteArray& text) const { QVERIFY(writeAtomically(path(), text)); } // by rename, as others do
    [[nodiscard]] QByteArray text(const QString& name = QStringLiteral("inventory.toml")) const
    {
        return readWhole(path(name)).value_or(QByteArray());
    }
    [[nodiscard]] QString names() const
    {
        QStringList all;
        for (const NodeState& state : list.nodes())
            all << state.node.name;
        return all.join(' ');
    }
    [[nodiscard]] QString notice() { return window.notice().isHidden() ? QString() : window.notice().text(); }

    QTemporaryDir folder;
    ui::Theme theme;
    NodeList list;
    RunList runs;
    ui::MainWindow window;
    std::unique_ptr<Desk> desk;
    std::unique_ptr<DesktopNodes> nodes;
};

} // namespace

class TestDesktopNodes : public QObject {
    Q_OBJECT

private slots:
    void handsAreSeen();
    void aBrokenFileLeavesTheLastGoodOne();
    void theWindowKeepsWordsAndOrder();
    void anOldBufferLosesNothing();
    void aSaveJustBeforeAnEdit();
    void aRemovedFileComesBack();
    void anEditFromWithinAnEdit();
    void aHeldLockHoldsUpNobody();
    void aFileIsOffered();
};

void TestDesktopNodes::handsAreSeen()
{
    Bench bench(kText);
    QCOMPARE(bench.names(), "a");
    bench.replace(withNode(kText, "b"));
    QTRY_COMPARE(bench.names(), "a b");
    bench.replace(withNode(withNode(kText, "b"), "c")); // the file of the second rename is another one again
    QTRY_COMPARE(bench.names(), "a b c");
    bench.write(kText);
    QTRY_COMPARE(bench.names(), "a");
    QCOMPARE(bench.notice(), QString());
}

void TestDesktopNodes::aBrokenFileLeavesTheLastGoodOne()
{
    Bench bench(kText);
    bench.write("[[node]]\nname = \n");
    QTRY_VERIFY(bench.notice().contains("inventory.toml, line 2"));
    QCOMPARE(bench.names(), "a");
    emit bench.window.nodesAddRequested("b"); // would be written over the person's text
    QTRY_VERIFY2(bench.notice().startsWith("The node was not added") && bench.notice().contains("line 2"),
                 qPrintable(bench.notice()));
    QCOMPARE(bench.text(), QByteArray("[[node]]\nname = \n"));
    bench.write(withNode(kText, "b"));
    QTRY_COMPARE(bench.names(), "a b");
}

void TestDesktopNodes::theWindowKeepsWordsAndOrder()
{
    Bench bench(kText);
    emit bench.window.nodesAddRequested("127.0.0.1:3");
    QTRY_COMPARE(bench.names(), "a 127.0.0.1-3");
    QCOMPARE(bench.text(), kText + "\n[[node]]\nname = \"127.0.0.1-3\"\naddress = \"127.0.0.1:3\"\n");
    const Node shown = bench.nodes->inventory().nodes.first();
    Node edited = shown;
    edited.slots_ = 2;
    bench.replace(bench.text().replace("owner", "tags = [\"x\"]\nowner")); // by hand, while the form is open
    emit bench.window.nodeEditRequested(shown, edited);
    QTRY_COMPARE(bench.list.find("a")->node.slots_, 2);
    QVERIFY(
        bench.text().startsWith("# my cluster\n\n[[node]] # the first\nname = \"a\"\naddress = \"127.0.0.1:1\"\ntags = "
                                "[\"x\"]\nowner = \"bob\"\nslots = 2\n"));
    QCOMPARE(bench.list.find("a")->node.tags, QStringList("x"));
    edited.slots_ = 3; // the form still shows 0, the file has 2 by now
    emit bench.window.nodeEditRequested(shown, edited);
    QTRY_VERIFY2(bench.notice().contains("The slots of a"), qPrintable(bench.notice()));
    emit bench.window.nodeRemoveRequested("127.0.0.1-3");
    QTRY_COMPARE(bench.names(), "a");
    QVERIFY(!bench.text().contains("127.0.0.1-3") && bench.text().contains("# the first"));
}

void TestDesktopNodes::anOldBufferLosesNothing()
{
    Bench bench(kText);
    emit bench.window.nodesAddRequested("127.0.0.1:3");
    QTRY_COMPARE(bench.names(), "a 127.0.0.1-3");
    const QByteArray ours = bench.text();
    bench.replace(withNode(kText, "b")); // from a buffer that was read before
    QTRY_COMPARE(bench.names(), "a b");
    QTRY_VERIFY2(bench.notice().contains("127.0.0.1-3") && bench.notice().contains("inventory.toml~"),
                 qPrintable(bench.notice()));
    QCOMPARE(bench.text("inventory.toml~"), ours);
}

// The window has not read yet what a person saved when it changes the file: each side's nodes stay its own.
void TestDesktopNodes::aSaveJustBeforeAnEdit()
{
    Bench bench(kText);
    emit bench.window.nodesAddRequested("127.0.0.1:3");
    QTRY_COMPARE(bench.names(), "a 127.0.0.1-3");
    bench.replace(withNode(kText, "b")); // from a buffer that was read before
    emit bench.window.nodesAddRequested("127.0.0.1:4");
    QTRY_COMPARE(bench.names(), "a b 127.0.0.1-4");
    QTRY_VERIFY2(bench.notice().contains("It differs at 127.0.0.1-3. "), qPrintable(bench.notice()));
    bench.replace(withNode(kText, "b").replace("127.0.0.1:2", "127.0.0.1:9")); // that node was never ours
    QTRY_COMPARE(bench.names(), "a b");
    QTRY_VERIFY2(bench.notice().contains("It differs at 127.0.0.1-4. "), qPrintable(bench.notice()));
}

void TestDesktopNodes::aRemovedFileComesBack()
{
    Bench bench(kText);
    QVERIFY(QFile::remove(bench.path()));
    QTRY_VERIFY(bench.notice().contains("was removed"));
    QCOMPARE(bench.names(), "a");
    emit bench.window.nodesAddRequested("127.0.0.1:3");
    QTRY_COMPARE(bench.names(), "a 127.0.0.1-3");
    QVERIFY(bench.text().startsWith(kText));
}

// What is asked for while an answer is given comes after it, once.
void TestDesktopNodes::anEditFromWithinAnEdit()
{
    const QTemporaryDir folder;
    const QString path = folder.filePath("inventory.toml");
    QVERIFY(writeAtomically(path, kText));
    LiveInventory inventory(path);
    inventory.start();
    QStringList done;
    const auto add = [&](const QString& name, const std::function<void()>& then) {
        inventory.edit(
            [name](Inventory& edited) {
                Node node;
                node.name = node.address.host = name;
                return edited.add(node);
            },
            [&done, name, then](const Result<void>& added) {
                done << (added ? name : added.error().text);
                then();
            });
    };
    bool asked = false;
    connect(&inventory, &LiveInventory::changed, this, [&] {
        if (!std::exchange(asked, true))
            add("c", [] {});
    });
    add("b", [&] { add("d", [] {}); });
    QTRY_COMPARE(done, QStringList({"b", "c", "d"}));
    QVERIFY(inventory.inventory().find("d"));
}

// Another program holds the file's lock: the window goes on, the form says so, and what was typed stays.
void TestDesktopNodes::aHeldLockHoldsUpNobody()
{
    Bench bench(kText);
    QLockFile lock(bench.path() + ".lock");
    QVERIFY(lock.tryLock());
    ui::NodesPage& page = bench.window.nodesPage();
    page.openAdd();
    auto* add = page.findChild<ui::NodeDrawer*>()->findChild<ui::AddNode*>();
    QVERIFY(add);
    add->field().setText("127.0.0.1:3");
    QTest::keyClick(&add->field(), Qt::Key_Return); // returns at once: the rest of this would not
    QVERIFY(!add->field().isEnabled());
    QCOMPARE(bench.names(), "a");
    int turns = 0;
    QTimer beat;
    connect(&beat, &QTimer::timeout, this, [&turns] { ++turns; });
    beat.start(20);
    QTRY_VERIFY2_WITH_TIMEOUT(add->field().isEnabled(), "no answer", 15'000);
    QVERIFY2(turns > 10, "the event loop stood still while the lock was waited for");
    QVERIFY2(add->field().toolTip().contains("being changed by another program"), qPrintable(add->field().toolTip()));
    QCOMPARE(add->field().text(), "127.0.0.1:3");
    lock.unlock();
    QTest::keyClick(&add->field(), Qt::Key_Return);
    QTRY_COMPARE(bench.names(), "a 127.0.0.1-3");
    QCOMPARE(add->field().text(), QString());
}

void TestDesktopNodes::aFileIsOffered()
{
    Bench bench({});
    QCOMPARE(bench.names(), "this");
    QFile hosts(bench.path("hosts"));
    QVERIFY(hosts.open(QIODevice::WriteOnly) && hosts.write("127.0.0.2:7 slots=2\nx lots=8\n127.0.0.3:7\n") > 0);
    hosts.close();
    emit bench.window.importFileWanted(bench.path("hosts"));
    auto* list = bench.window.nodesPage().findChild<ui::ImportList*>();
    QVERIFY(list);
    QTRY_COMPARE(list->offer().hosts.size(), 2);
    QCOMPARE(list->offer().hosts[0].second, "127.0.0.2:7, 2 slots");
    QVERIFY(list->offer().problems.size() == 1 && list->offer().problems[0].startsWith("hosts:2: \"lots=8\""));
    emit bench.window.importRequested(bench.path("hosts"), {"127.0.0.2-7"});
    QTRY_COMPARE(bench.names(), "this 127.0.0.2-7");
    QTRY_COMPARE(list->offer().file, QString()); // the import is over: ~/.ssh/config is offered again
    emit bench.window.importFileWanted(bench.path("nothing"));
    QTRY_VERIFY(list->field().toolTip().contains("Cannot read"));
}

QTEST_MAIN(TestDesktopNodes)
#include "tst_desktopnodes.moc"
