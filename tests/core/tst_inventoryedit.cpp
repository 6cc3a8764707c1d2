// SPDX-License-Identifier: GPL-3.0-or-later
// inventory.toml with ranges and groups, changed as a person would want it: their words stay; and files imported again.
#include "core/importmerge.h"
#include "core/inventoryedit.h"
#include "core/inventoryfile.h"
#include "core/tomltext.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace lockstep;

class TestInventoryEdit : public QObject {
    Q_OBJECT

private slots:
    void read_data();
    void read();
    void wrong_data();
    void wrong();
    void ownKeysAreKept();
    void change_data();
    void change();
    void whatDoesNotFitChangesNothing();
    void editOfAFile();
    void savedByHandMeanwhile();
    void values_data();
    void values();
    void bothSidesEdited();
    void importedAgain();
    void removedHereStaysRemoved();
    void textKeepsItsStrings();
};

namespace {

bool write(const QString& path, const QByteArray& text)
{
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(text) == text.size();
}

QByteArray content(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QString shown(const QList<Node>& nodes) // name=address*slots#tags%key~jump+env
{
    QStringList list;
    for (const Node& node : nodes) {
        QString text = node.name + '=' + (node.local ? QString("local") : node.address.text());
        if (node.slots_ > 0)
            text += QString("*%1").arg(node.slots_);
        if (!node.tags.isEmpty())
            text += '#' + node.tags.join('#');
        if (!node.key.isEmpty())
            text += '%' + node.key;
        if (!node.jump.isEmpty())
            text += '~' + node.jump.join('~');
        for (const auto& [name, value] : node.env)
            text += '+' + name + ':' + value;
        list.append(text);
    }
    return list.join(' ');
}

// A file as people keep it: words at its top, at nodes and at values, own keys, odd spacing.
const QByteArray kKept = "# my cluster\n"
                         "\n"
                         "# the quiet one\n"
                         "[[node]]\n"
                         "name = \"gpu1\"   # rack 3\n"
                         "address =   \"alice@10.0.0.11\"\n"
                         "tags = [\n"
                         "  \"h100\", # new\n"
                         "]\n"
                         "owner = \"bob\"\n"
                         "\n"
                         "[node.env]\n"
                         "A = \"1\" # one\n"
                         "\n"
                         "# the loud one\n"
                         "[[node]]\n"
                         "name = 'gpu2'\n"
                         "address = \"gpu2\"\n"
                         "slots = 4 # of 8\n"
                         "# end of nodes\n"
                         "\n"
                         "[group.h100]\n"
                         "slots = 8\n";

} // namespace

void TestInventoryEdit::read_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("nodes");
    QTest::newRow("range") << QByteArray(
                                  "[[node]]\nname = \"gpu[01-03]\"\naddress = \"bob@10.0.0.[1-3]:2222\"\nslots = 2\n"
                                  "except = [\"gpu02\"]\n")
                           << "gpu01=bob@10.0.0.1:2222*2 gpu03=bob@10.0.0.3:2222*2";
    QTest::newRow("groups")
        << QByteArray("[[node]]\nname = \"a\"\naddress = \"eve@a\"\ntags = [\"x\", \"y\"]\n[[node]]\nname = "
                      "\"b\"\naddress = \"b:7\"\ntags = [\"y\"]\nenv = { P = \"own\" }\n[group.x]\nport = "
                      "1\nkey = \"k\"\n[group.y]\nuser = \"yy\"\nport = 2\nslots = 3\nenv = { P = \"p\", Q = "
                      "\"q\" }\n[group.all]\nuser = \"any\"\njump = [\"gate\"]\n")
        << "a=eve@a:1*3#x#y%k~gate+P:p+Q:q b=yy@b:7*3#y~gate+P:own+Q:q";
    QTest::newRow("this machine has no user")
        << QByteArray("[[node]]\nname = \"t\"\naddress = \"local\"\n[group.all]\nuser "
                      "= \"any\"\nslots = 2\n")
        << "t=local*2";
}

void TestInventoryEdit::read()
{
    QFETCH(QByteArray, text);
    const auto read = Inventory::parse(text, "inventory.toml");
    QVERIFY2(read, read ? "" : qPrintable(read.error().text));
    QTEST(shown(read->nodes), "nodes");
}

void TestInventoryEdit::wrong_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("says");
    const QByteArray range = "[[node]]\nname = \"g[1-3]\"\n";
    QTest::newRow("other count") << range + "address = \"h[1-2]\"\n"
                                 << "line 3: name stands for 3 nodes, address for 2";
    QTest::newRow("range and name") << range + "address = \"h[1-3]\"\n[[node]]\nname = \"g2\"\naddress = \"g2\"\n"
                                    << "line 4: A node named g2";
    QTest::newRow("except of nobody") << range + "address = \"h[1-3]\"\nexcept = [\"g7\"]\n"
                                      << "line 4: g7 is not in g[1-3]";
    QTest::newRow("backwards") << QByteArray("[[node]]\nname = \"g[3-1]\"\naddress = \"x\"\n") << "line 2: ";
    QTest::newRow("slip in a group") << QByteArray("[group.x]\nslot = 3\n")
                                     << "line 2: the key \"slot\" is not known here; did you mean slots?";
    QTest::newRow("port of a group") << QByteArray("[group.x]\nport = 0\n") << "line 2: port = 0 is out of range";
    QTest::newRow("user of a group") << QByteArray("[group.x]\nuser = \"-x\"\n")
                                     << "line 2: \"-x\" can't be a user's name";
    QTest::newRow("env of numbers") << QByteArray("[group.x]\nenv = { A = 1 }\n") << "line 2: env.A wants a text";
    QTest::newRow("env with =") << QByteArray("[group.x.env]\n\"A=B\" = \"1\"\n") << "can't be a variable's name";
    QTest::newRow("group of text") << QByteArray("group.x = \"y\"\n") << "line 1: a group is a table";
}

void TestInventoryEdit::wrong()
{
    QFETCH(QByteArray, text);
    QFETCH(QString, says);
    const auto read = Inventory::parse(text, "inventory.toml");
    QVERIFY(!read);
    QVERIFY2(read.error().text.contains(says), qPrintable(read.error().text));
}

void TestInventoryEdit::ownKeysAreKept()
{
    const auto read = Inventory::parse(kKept, "inventory.toml");
    QVERIFY2(read, read ? "" : qPrintable(read.error().text));
    QCOMPARE(shown(read->nodes), "gpu1=alice@10.0.0.11*8#h100+A:1 gpu2=gpu2*4");
    QCOMPARE(read->notes, QList<ImportedLine>({{10, "the key \"owner\" is not known here; it is kept", {}}}));
}

void TestInventoryEdit::change_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QStringList>("edits"); // "gpu1 slots=8", "+NAME=ADDRESS", "-NAME"
    QTest::addColumn<QByteArray>("from");   // what of the text is replaced ...
    QTest::addColumn<QByteArray>("to");     // ... by what; nothing else differs
    QTest::newRow("nothing") << kKept << QStringList() << QByteArray() << QByteArray();
    QTest::newRow("a value with its comment")
        << kKept << QStringList{"gpu2 slots=2"} << QByteArray("slots = 4 # of 8") << QByteArray("slots = 2 # of 8");
    QTest::newRow("a list over lines") << kKept << QStringList{"gpu1 tags+=b"} << QByteArray("[\n  \"h100\", # new\n]")
                                       << QByteArray("[\"h100\", \"b\"]");
    QTest::newRow("a new value") << kKept << QStringList{"gpu2 key=~/.ssh/k"} << QByteArray("slots = 4 # of 8\n")
                                 << QByteArray("slots = 4 # of 8\nkey = \"~/.ssh/k\"\n");
    QTest::newRow("a value taken away") << kKept << QStringList{"gpu2 slots="} << QByteArray("slots = 4 # of 8\n")
                                        << QByteArray();
    QTest::newRow("a variable below a header of its own")
        << kKept << QStringList{"gpu1 env.A=2"} << QByteArray("A = \"1\" # one\n") << QByteArray("A = \"2\" # one\n");
    QTest::newRow("one more there") << kKept << QStringList{"gpu1 env.B C=2"} << QByteArray("A = \"1\" # one\n")
                                    << QByteArray("A = \"1\" # one\n\"B C\" = \"2\"\n");
    QTest::newRow("another one in its place") << kKept << QStringList{"gpu1 env.A=", "gpu1 env.B=2"}
                                              << QByteArray("A = \"1\" # one\n") << QByteArray("B = \"2\"\n");
    QTest::newRow("the last one leaves the words")
        << kKept << QStringList{"gpu1 env.A="} << QByteArray("A = \"1\" # one\n") << QByteArray();
    QTest::newRow("only what is not the group's")
        << kKept << QStringList{"gpu1 slots=2"} << QByteArray("owner = \"bob\"\n")
        << QByteArray("owner = \"bob\"\nslots = 2\n");
    QTest::newRow("removed with the words above it")
        << kKept << QStringList{"-gpu2"}
        << QByteArray("# the loud one\n[[node]]\nname = 'gpu2'\naddress = \"gpu2\"\nslots = 4 # of 8\n")
        << QByteArray();
    QTest::newRow("removed with its sub-table")
        << kKept << QStringList{"-gpu1"}
        << kKept.mid(kKept.indexOf("# the quiet"), kKept.indexOf("# the loud") - kKept.indexOf("# the quiet"))
        << QByteArray();
    QTest::newRow("added behind the nodes")
        << kKept << QStringList{"+gpu3=bob@gpu3"} << QByteArray("slots = 4 # of 8\n")
        << QByteArray("slots = 4 # of 8\n\n[[node]]\nname = \"gpu3\"\naddress = \"bob@gpu3\"\n");
    QTest::newRow("no line end at the end")
        << QByteArray("[[node]]\nname = \"a\"\naddress = \"a\"") << QStringList{"a slots=2", "+b=b"}
        << QByteArray("address = \"a\"")
        << QByteArray("address = \"a\"\nslots = 2\n\n[[node]]\nname = \"b\"\naddress = \"b\"\n");
    const QByteArray range =
        "[[node]]\nname = \"g[1-3]\"\naddress = \"g[1-3]\" # all\ntags = [\"x\"]\n\n[group.x]\nslots = 4\n";
    QTest::newRow("one leaves its range") << range << QStringList{"-g2"} << QByteArray("tags = [\"x\"]\n")
                                          << QByteArray("tags = [\"x\"]\nexcept = [\"g2\"]\n");
    QTest::newRow("one of a range is its own") << range << QStringList{"g2 slots=1"} << QByteArray("tags = [\"x\"]\n")
                                               << QByteArray("tags = [\"x\"]\nexcept = [\"g2\"]\n\n[[node]]\nname = "
                                                             "\"g2\"\naddress = \"g2\"\ntags = [\"x\"]\nslots = 1\n");
    QTest::newRow("all of a range")
        << range << QStringList{"-g1", "-g2", "-g3"}
        << QByteArray("[[node]]\nname = \"g[1-3]\"\naddress = \"g[1-3]\" # all\ntags = [\"x\"]\n\n") << QByteArray();
    QTest::newRow("old line ends") << QByteArray("[[node]]\r\nname = \"a\"\r\naddress = \"a\"\r\nslots = 1 # x\r\n")
                                   << QStringList{"a slots=2"} << QByteArray("slots = 1") << QByteArray("slots = 2");
    const QByteArray dotted = "[[node]]\nname = \"a\"\nenv.A = \"1\" # why\nenv.\"B\" = \"2\"\naddress = \"a\"\n";
    QTest::newRow("dotted") << dotted << QStringList{"a env.A=3"} << QByteArray("\"1\"") << QByteArray("\"3\"");
    QTest::newRow("dotted, one more") << dotted << QStringList{"a env.C=3"} << QByteArray("env.\"B\" = \"2\"\n")
                                      << QByteArray("env.\"B\" = \"2\"\nenv.C = \"3\"\n");
    QTest::newRow("dotted, one less") << dotted << QStringList{"a env.B="} << QByteArray("env.\"B\" = \"2\"\n")
                                      << QByteArray();
}

void TestInventoryEdit::change()
{
    QFETCH(QByteArray, text);
    QFETCH(QStringList, edits);
    QFETCH(QByteArray, from);
    QFETCH(QByteArray, to);
    auto after = Inventory::parse(text, "inventory.toml");
    QVERIFY(after);
    for (const QString& edit : std::as_const(edits)) {
        if (edit.startsWith('-')) {
            QVERIFY(after->remove(edit.mid(1)));
        } else if (edit.startsWith('+')) {
            Node node;
            node.name = edit.mid(1).section('=', 0, 0);
            node.address = *Address::parse(edit.section('=', 1));
            QVERIFY(after->add(node));
        } else {
            for (Node& node : after->nodes)
                if (node.name == edit.section(' ', 0, 0))
                    QVERIFY(setNodeValue(node, edit.section(' ', 1)));
        }
    }
    const auto changed = withChanges(text, *after, "inventory.toml");
    QVERIFY2(changed, changed ? "" : qPrintable(changed.error().text));
    QByteArray wanted = text;
    if (!from.isEmpty()) {
        QCOMPARE(text.count(from), 1);
        wanted.replace(from, to);
    }
    QCOMPARE(*changed, wanted);
    auto again = Inventory::parse(*changed, "inventory.toml");
    QVERIFY(again);
    const auto byName = [](const Node& a, const Node& b) { return a.name < b.name; };
    std::sort(again->nodes.begin(), again->nodes.end(), byName);
    std::sort(after->nodes.begin(), after->nodes.end(), byName);
    QCOMPARE(shown(again->nodes), shown(after->nodes));
}

void TestInventoryEdit::whatDoesNotFitChangesNothing()
{
    const QByteArray text = "node = [{ name = \"a\", address = \"a\" }]\n";
    auto after = Inventory::parse(text, "inventory.toml");
    QVERIFY(after);
    after->nodes[0].slots_ = 2;
    const auto changed = withChanges(text, *after, "inventory.toml");
    QVERIFY(!changed);
    QVERIFY2(changed.error().text.contains("a stands in line 1"), qPrintable(changed.error().text));
    after->nodes[0].slots_ = 0;
    Node more;
    more.name = more.address.host = "b";
    QVERIFY(after->add(more));
    const auto added = withChanges(text, *after, "inventory.toml");
    QVERIFY(!added);
    QVERIFY2(added.error().text.contains("does not fit"), qPrintable(added.error().text));
    // A name that is written with an escape is not found in the text, so it can't be taken out of it.
    const QByteArray escaped = "[[node]]\nname = \"a\"\naddress = \"a\"\nenv.\"\\u0041\" = \"1\"\n";
    auto without = Inventory::parse(escaped, "inventory.toml");
    QVERIFY(without);
    QVERIFY(setNodeValue(without->nodes[0], "env.A="));
    QVERIFY(without->nodes[0].env.isEmpty());
    QVERIFY(!withChanges(escaped, *without, "inventory.toml"));
}

void TestInventoryEdit::editOfAFile()
{
    const QTemporaryDir folder;
    const QString path = folder.filePath("inventory.toml");
    QVERIFY(write(path, kKept));
    const auto edited = editInventory(path, [](Inventory& inventory) { return inventory.remove("gpu2"); });
    QVERIFY(edited);
    QCOMPARE(shown(edited->after.nodes), "gpu1=alice@10.0.0.11*8#h100+A:1");
    QVERIFY(content(path).contains("# the quiet one") && content(path).contains("# end of nodes") &&
            !content(path).contains("gpu2"));
    // Broken by hand: nothing is written, and the line is told.
    QVERIFY(write(path, "[[node]]\nname = \n"));
    const auto broken = editInventory(path, [](Inventory&) { return Result<void>(); });
    QVERIFY(!broken);
    QVERIFY2(broken.error().text.contains("line 2"), qPrintable(broken.error().text));
    QCOMPARE(content(path), QByteArray("[[node]]\nname = \n"));
}

// An editor saves between the reading and the writing: what it saved stays, and the change is made to that.
void TestInventoryEdit::savedByHandMeanwhile()
{
    const QTemporaryDir folder;
    const QString path = folder.filePath("inventory.toml");
    QVERIFY(write(path, kKept));
    const QByteArray byHand = QByteArray(kKept).replace("slots = 4 # of 8", "slots = 5 # by hand") +
                              "\n[[node]]\nname = \"gpu3\"\naddress = \"gpu3\"\n";
    int calls = 0;
    const auto edited = editInventory(path, [&](Inventory& inventory) -> Result<void> {
        if (++calls == 1 && !write(path, byHand))
            return failure(ErrorCode::Io, "not written");
        return setNodeValue(inventory.nodes[0], "slots=2");
    });
    QVERIFY2(edited, edited ? "" : qPrintable(edited.error().text));
    QCOMPARE(calls, 2);
    QCOMPARE(shown(edited->before.nodes), "gpu1=alice@10.0.0.11*8#h100+A:1 gpu2=gpu2*5 gpu3=gpu3");
    QCOMPARE(shown(edited->after.nodes), "gpu1=alice@10.0.0.11*2#h100+A:1 gpu2=gpu2*5 gpu3=gpu3");
    QCOMPARE(content(path), QByteArray(byHand).replace("owner = \"bob\"\n", "owner = \"bob\"\nslots = 2\n"));
    // Saved again each time: given up, and the last text stays.
    QByteArray last;
    const auto busy = editInventory(path, [&](Inventory& inventory) -> Result<void> {
        last = kKept + "# " + QByteArray::number(++calls) + '\n';
        if (!write(path, last))
            return failure(ErrorCode::Io, "not written");
        return inventory.remove("gpu2");
    });
    QVERIFY(!busy);
    QCOMPARE(busy.error().code, ErrorCode::Busy);
    QCOMPARE(content(path), last);
}

void TestInventoryEdit::values_data()
{
    QTest::addColumn<QString>("assignment");
    QTest::addColumn<QString>("result"); // or ! and words
    QTest::newRow("address") << "address=bob@h:7"
                             << "n=bob@h:7*1#x";
    QTest::newRow("local") << "address=local"
                           << "n=local*1#x";
    QTest::newRow("tags") << "tags=a, b"
                          << "n=h*1#a#b";
    QTest::newRow("no tags") << "tags="
                             << "n=h*1";
    QTest::newRow("a tag more") << "tags+=y"
                                << "n=h*1#x#y";
    QTest::newRow("a tag less") << "tags-=x"
                                << "n=h*1";
    QTest::newRow("env") << "env.A=b = c"
                         << "n=h*1#x+A:b = c";
    QTest::newRow("jump") << "jump=a,b:2"
                          << "n=h*1#x~a~b:2";
    QTest::newRow("slots a word") << "slots=many"
                                  << "!slots wants a number";
    QTest::newRow("devices a word") << "devices=0,x"
                                    << "!devices wants numbers";
    QTest::newRow("bad address") << "address=a b"
                                 << "!blank";
    QTest::newRow("bad hop") << "jump=-x"
                             << "!begin with -";
    QTest::newRow("slip") << "slot=2"
                          << "!Did you mean slots?";
    QTest::newRow("no value") << "slots"
                              << "!KEY=VALUE";
}

void TestInventoryEdit::values()
{
    QFETCH(QString, assignment);
    QFETCH(QString, result);
    Node node;
    node.name = "n";
    node.address.host = "h";
    node.tags = {"x"};
    node.slots_ = 1;
    const auto set = setNodeValue(node, assignment);
    if (result.startsWith('!'))
        QVERIFY2(!set && set.error().text.contains(result.mid(1)), set ? "accepted" : qPrintable(set.error().text));
    else
        QCOMPARE(set ? shown({node}) : set.error().text, result);
}

void TestInventoryEdit::bothSidesEdited()
{
    const auto read = Inventory::parse(kKept, "inventory.toml");
    const Node shownNode = read->nodes[1];
    Node edited = shownNode;
    edited.slots_ = 2;
    Inventory other = *read;
    other.nodes[1].tags = {"by-hand"}; // another value: both stay
    QVERIFY(replaceNode(other, shownNode, edited));
    QCOMPARE(shown(other.nodes), "gpu1=alice@10.0.0.11*8#h100+A:1 gpu2=gpu2*2#by-hand");
    Inventory same = *read;
    same.nodes[1].slots_ = 3; // the same value: nothing is written
    const auto refused = replaceNode(same, shownNode, edited);
    QVERIFY(!refused);
    QVERIFY2(refused.error().text.contains("The slots of gpu2"), qPrintable(refused.error().text));
    QCOMPARE(same.nodes[1].slots_, 3);
    same.nodes.removeLast();
    QVERIFY(!replaceNode(same, shownNode, edited));
}

void TestInventoryEdit::importedAgain()
{
    const QTemporaryDir folder;
    const QString path = folder.filePath("inventory.toml"), hosts = folder.filePath("hosts");
    const auto import = [&](const QByteArray& text) {
        const auto imported = importText(text);
        return imported ? importInto(path, hosts, imported->nodes)
                        : Result<ImportReport>(std::unexpected(imported.error()));
    };
    const auto first = import("gpu1 slots=4\ngpu2 slots=4\ngpu3 slots=4\n");
    QVERIFY2(first, first ? "" : qPrintable(first.error().text));
    QCOMPARE(first->sentences(), QStringList("3 nodes added: gpu1, gpu2, gpu3"));
    // What a person does then: other slots for gpu2, an address and a tag for gpu1.
    QVERIFY(editInventory(path, [](Inventory& inventory) -> Result<void> {
        for (const char* edit : {"address=bob@10.0.0.1", "tags=best"})
            if (auto set = setNodeValue(inventory.nodes[1], edit); !set)
                return set;
        return setNodeValue(inventory.nodes[2], "slots=2");
    }));
    const auto again = import("gpu1 slots=8\ngpu2 slots=8\ngpu4 slots=8\n");
    QVERIFY(again);
    QCOMPARE(again->added, QStringList("gpu4"));
    QCOMPARE(again->updated, QList<ImportChange>({{"gpu1", "slots 4 -> 8"}}));
    QCOMPARE(again->kept.size(), 2);
    QCOMPARE(again->kept[0].what, "slots stays 2 as it is here; the file says 8");
    QCOMPARE(again->kept[1], (ImportChange{"gpu3", "is no longer in the file; it stays in the inventory"}));
    QCOMPARE(shown(Inventory::load(path)->nodes),
             "this=local gpu1=bob@10.0.0.1*8#best gpu2=gpu2*2 gpu3=gpu3*4 gpu4=gpu4*8");
    const auto third = import("gpu1 slots=8\ngpu2 slots=8\ngpu4 slots=8\n");
    QVERIFY(third);
    QCOMPARE(third->sentences(), QStringList("3 nodes as they were"));
}

void TestInventoryEdit::removedHereStaysRemoved()
{
    Inventory inventory = Inventory::firstStart();
    const auto imported = importText("gpu1\ngpu2\n");
    QVERIFY(imported);
    QCOMPARE(mergeImport(inventory, imported->nodes, {}).added.size(), 2);
    QVERIFY(inventory.remove("gpu1"));
    const ImportReport again = mergeImport(inventory, imported->nodes, imported->nodes);
    QVERIFY(again.added.isEmpty());
    QCOMPARE(again.kept.size(), 1);
    QVERIFY(again.kept[0].what.contains("was removed here"));
    QVERIFY(!inventory.find("gpu1"));
}

void TestInventoryEdit::textKeepsItsStrings()
{
    // Quotes of all four kinds hold what would else end a value or a table.
    const QByteArray text =
        "[[node]]\na = \"# \\\" [[node]]\"\nb = '''\n[[node]]\n# \"'''''\nc = '\\'\nd = \"\"\"x\\\"\"\"\" "
        "# end\n[[node]]\ne = [1, # ]\n 2]\n";
    TomlText toml(text);
    QVERIFY(toml.hasTable(1) && toml.hasTable(8) && !toml.hasTable(4));
    toml.set(1, "d", "4");
    toml.set(8, "e", "5");
    QCOMPARE(toml.result(), QByteArray(text).replace("\"\"\"x\\\"\"\"\"", "4").replace("[1, # ]\n 2]", "5"));
}

QTEST_GUILESS_MAIN(TestInventoryEdit)
#include "tst_inventoryedit.moc"
