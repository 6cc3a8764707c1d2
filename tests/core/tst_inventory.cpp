// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/inventory.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <sys/resource.h>

using namespace lockstep;

class TestInventory : public QObject {
    Q_OBJECT

private slots:
    void address_data();
    void address();
    void wrongAddress_data();
    void wrongAddress();
    void range_data();
    void range();
    void typed_data();
    void typed();
    void selection_data();
    void selection();
    void firstStart();
    void fileKeepsEverything();
    void wrongFile_data();
    void wrongFile();
    void savedWhole();
    void noRoomLeavesTheOldFile();
};

namespace {

Inventory sample()
{
    Inventory inventory;
    const auto add = [&](const QString& name, const QStringList& tags) {
        Node node;
        node.name = name;
        node.address.host = name;
        node.tags = tags;
        inventory.nodes.append(node);
    };
    add("gpu1", {"h100", "rack3"});
    add("gpu2", {"h100"});
    add("gpu3", {"a100", "rack3"});
    add("gpu03", {"a100"});
    add("cpu1", {});
    return inventory;
}

QString names(const QList<Node>& nodes)
{
    QStringList list;
    for (const Node& node : nodes)
        list.append(node.name);
    return list.join(' ');
}

QString written(const QTemporaryDir& folder, const QByteArray& text)
{
    const QString path = folder.filePath("inventory.toml");
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
        return {};
    return path;
}

} // namespace

void TestInventory::address_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("user");
    QTest::addColumn<QString>("host");
    QTest::addColumn<int>("port");
    QTest::newRow("alias") << "gpu1"
                           << ""
                           << "gpu1" << 0;
    QTest::newRow("user") << "alice@10.0.0.11"
                          << "alice"
                          << "10.0.0.11" << 0;
    QTest::newRow("port") << "alice@10.0.0.11:2222"
                          << "alice"
                          << "10.0.0.11" << 2222;
    QTest::newRow("v6 and port") << "[2001:db8::9]:2222"
                                 << ""
                                 << "2001:db8::9" << 2222;
    QTest::newRow("v6 bracketed") << "bob@[2001:db8::9]"
                                  << "bob"
                                  << "2001:db8::9" << 0;
    QTest::newRow("v6 bare") << "2001:db8::9"
                             << ""
                             << "2001:db8::9" << 0;
    QTest::newRow("v6 zone") << "fe80::1%eth0"
                             << ""
                             << "fe80::1%eth0" << 0;
    QTest::newRow("url") << "ssh://alice@gpu1:22/"
                         << "alice"
                         << "gpu1" << 22;
    QTest::newRow("user with @") << "alice@corp.example@gpu1"
                                 << "alice@corp.example"
                                 << "gpu1" << 0;
    QTest::newRow("blanks around") << "  gpu1 "
                                   << ""
                                   << "gpu1" << 0;
}

void TestInventory::address()
{
    QFETCH(QString, text);
    const Result<Address> address = Address::parse(text);
    QVERIFY2(address, address ? "" : qPrintable(address.error().text));
    QTEST(address->user, "user");
    QTEST(address->host, "host");
    QTEST(address->port, "port");
    QCOMPARE(*Address::parse(address->text()), *address);
}

void TestInventory::wrongAddress_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("says");
    QTest::newRow("empty") << " "
                           << "empty";
    QTest::newRow("option as host") << "-oProxyCommand=id"
                                    << "begin with -";
    QTest::newRow("option as user") << "-l@gpu1"
                                    << "begin with -";
    QTest::newRow("shell") << "gpu1;id"
                           << "no host name has";
    QTest::newRow("blank inside") << "gpu 1"
                                  << "blank";
    QTest::newRow("no host") << "alice@"
                             << "host is missing";
    QTest::newRow("no user") << "@gpu1"
                             << "no user";
    QTest::newRow("port 0") << "gpu1:0"
                            << "port 0";
    QTest::newRow("port too large") << "gpu1:70000"
                                    << "65535";
    QTest::newRow("port a word") << "gpu1:ssh"
                                 << "no plain number";
    QTest::newRow("open bracket") << "[2001:db8::9"
                                  << "not closed";
    QTest::newRow("no IPv6") << "[2001:d5-07]:22"
                             << "no IPv6 address";
    QTest::newRow("two ports") << "gpu1:22:33"
                               << "no IPv6 address";
    QTest::newRow("after bracket") << "[2001:db8::9]22"
                                   << "may follow";
}

void TestInventory::wrongAddress()
{
    QFETCH(QString, text);
    QFETCH(QString, says);
    const Result<Address> address = Address::parse(text);
    QVERIFY(!address);
    QVERIFY2(address.error().text.contains(says), qPrintable(address.error().text));
}

void TestInventory::range_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("result"); // names, or ! and words of the error
    QTest::newRow("none") << "gpu1"
                          << "gpu1";
    QTest::newRow("zeros") << "gpu[01-03]"
                           << "gpu01 gpu02 gpu03";
    QTest::newRow("plain") << "gpu[9-11]"
                           << "gpu9 gpu10 gpu11";
    QTest::newRow("list") << "gpu[1,3-4]-ib"
                          << "gpu1-ib gpu3-ib gpu4-ib";
    QTest::newRow("two") << "r[1-2]n[1-2]"
                         << "r1n1 r1n2 r2n1 r2n2";
    QTest::newRow("user and port") << "alice@gpu[1-2]:22"
                                   << "alice@gpu1:22 alice@gpu2:22";
    QTest::newRow("v6 is none") << "[2001:db8::9]:2222"
                                << "[2001:db8::9]:2222";
    QTest::newRow("backwards") << "gpu[3-1]"
                               << "!backwards";
    QTest::newRow("open") << "gpu[1-"
                          << "!not closed";
    QTest::newRow("empty") << "gpu[]"
                           << "!no range";
    QTest::newRow("step") << "n[0-8/4]"
                          << "n0 n4 n8";
    QTest::newRow("step of none") << "n[0-8/0]"
                                  << "!step";
    QTest::newRow("too many brackets") << QString("[1]").repeated(9) << "!more brackets";
    QTest::newRow("long list") << "n[" + QString("1,").repeated(5000) + "1]"
                               << "!more than";
    QTest::newRow("words") << "gpu[a-b]"
                           << "!no range";
    QTest::newRow("huge") << "gpu[1-999999999]"
                          << "!more than";
    QTest::newRow("huge product") << "a[1-99]b[1-99]"
                                  << "!more than";
}

void TestInventory::range()
{
    QFETCH(QString, text);
    QFETCH(QString, result);
    const Result<QStringList> expanded = expandRange(text);
    if (result.startsWith('!'))
        QVERIFY2(!expanded && expanded.error().text.contains(result.mid(1)),
                 expanded ? "accepted" : qPrintable(expanded.error().text));
    else
        QCOMPARE(expanded.value_or(QStringList()).join(' '), result);
}

void TestInventory::typed_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("result");
    QTest::newRow("range") << "gpu[1-3]"
                           << "gpu1 gpu2 gpu3";
    QTest::newRow("several") << "gpu1, alice@10.0.0.11"
                             << "gpu1 10.0.0.11";
    QTest::newRow("one host, two ports") << "10.9.0.1:32101 10.9.0.1:32001"
                                         << "10.9.0.1-32101 10.9.0.1-32001";
    QTest::newRow("v6") << "[2001:db8::9]:2222"
                        << "2001-db8--9-2222";
    QTest::newRow("twice") << "gpu1 gpu1"
                           << "!named twice";
    QTest::newRow("nothing") << " , "
                             << "!No node";
}

void TestInventory::typed()
{
    QFETCH(QString, text);
    QFETCH(QString, result);
    const Result<QList<Node>> nodes = nodesFromText(text);
    if (result.startsWith('!'))
        QVERIFY2(!nodes && nodes.error().text.contains(result.mid(1)),
                 nodes ? "accepted" : qPrintable(nodes.error().text));
    else
        QCOMPARE(names(nodes.value_or(QList<Node>())), result);
}

void TestInventory::selection_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("result");
    QTest::newRow("empty is all") << ""
                                  << "gpu1 gpu2 gpu3 gpu03 cpu1";
    QTest::newRow("star") << "*"
                          << "gpu1 gpu2 gpu3 gpu03 cpu1";
    QTest::newRow("range") << "gpu[1-2]"
                           << "gpu1 gpu2";
    QTest::newRow("the first is the master") << "gpu2,gpu1"
                                             << "gpu2 gpu1";
    QTest::newRow("none twice") << "gpu1,gpu*"
                                << "gpu1 gpu2 gpu3 gpu03";
    QTest::newRow("zeros matter") << "gpu[03-03]"
                                  << "gpu03";
    QTest::newRow("pattern") << "gpu?"
                             << "gpu1 gpu2 gpu3";
    QTest::newRow("tag") << "@h100"
                         << "gpu1 gpu2";
    QTest::newRow("and") << "gpu* & @rack3"
                         << "gpu1 gpu3";
    QTest::newRow("and binds first") << "cpu1, gpu* & @h100"
                                     << "cpu1 gpu1 gpu2";
    QTest::newRow("without") << "gpu* !gpu3"
                             << "gpu1 gpu2 gpu03";
    QTest::newRow("without, comma") << "gpu*, !@a100"
                                    << "gpu1 gpu2";
    QTest::newRow("all without") << "!@a100"
                                 << "gpu1 gpu2 cpu1";
    QTest::newRow("and not") << "@rack3 & !@h100"
                             << "gpu3";
    QTest::newRow("parentheses") << "(gpu1, gpu2, cpu1) & !@rack3"
                                 << "gpu2 cpu1";
    QTest::newRow("left to right") << "gpu[1-3]!gpu1&@h100"
                                   << "gpu2";
    QTest::newRow("without takes from all") << "gpu1,gpu2 !gpu1"
                                            << "gpu2";
    QTest::newRow("tags by pattern and range") << "@rack[3-3]&@h*"
                                               << "gpu1";
    QTest::newRow("says where") << "gpu1, gpu* & @rak3"
                                << "!at character 14: no node has the tag \"rak3\" (did you mean @rack3?)";
    QTest::newRow("says where, a name") << "gpu1,gpux"
                                        << "!at character 6: No node is named gpux (did you mean gpu1?). Known: gpu1";
    QTest::newRow("says where, a range") << "gpu1,gpu[3-1]"
                                         << "!at character 6: \"gpu[3-1]\": the range";
    QTest::newRow("says where, the end") << "gpu1 & "
                                         << "!at its end: a name is missing";
    QTest::newRow("tag missing") << "@"
                                 << "!a tag is missing";
    QTest::newRow("unknown name") << "gpu1,gpu9"
                                  << "!No node is named gpu9. Known: gpu1, gpu2";
    QTest::newRow("part of a range") << "gpu[1-5]"
                                     << "!No node is named gpu4";
    QTest::newRow("unknown tag") << "@tpu"
                                 << "!no node has the tag";
    QTest::newRow("pattern without match") << "tpu*"
                                           << "!no node's name fits";
    QTest::newRow("nothing left") << "gpu1 !gpu1"
                                  << "!no node over";
    QTest::newRow("trailing comma") << "gpu1,"
                                    << "!missing";
    QTest::newRow("leading comma") << ",gpu1"
                                   << "!begins";
    QTest::newRow("lonely and") << "gpu1 &"
                                << "!missing";
    QTest::newRow("open parenthesis") << "(gpu1"
                                      << "!not closed";
    QTest::newRow("close parenthesis") << "gpu1)"
                                       << "!not expected";
    QTest::newRow("deep") << QString(1000, '(') << "!too many";
}

void TestInventory::selection()
{
    QFETCH(QString, text);
    QFETCH(QString, result);
    const Result<QList<Node>> nodes = sample().select(text);
    if (result.startsWith('!'))
        QVERIFY2(!nodes && nodes.error().text.contains(result.mid(1)) && !nodes.error().text.endsWith(".."),
                 nodes ? qPrintable(names(*nodes)) : qPrintable(nodes.error().text));
    else
        QCOMPARE(nodes ? names(*nodes) : nodes.error().text, result);
}

void TestInventory::firstStart()
{
    const QTemporaryDir folder;
    const Result<Inventory> inventory = Inventory::load(folder.filePath("none.toml"));
    QVERIFY(inventory);
    QCOMPARE(inventory->nodes.size(), 1);
    QCOMPARE(inventory->nodes[0].name, "this");
    QVERIFY(inventory->nodes[0].local);
}

void TestInventory::fileKeepsEverything()
{
    const QTemporaryDir folder;
    Inventory inventory = Inventory::firstStart();
    Node node;
    node.name = "gpu1";
    node.address = {"alice", "2001:db8::9", 2222};
    node.tags = {"h100", "naïve \"tag\""};
    node.jump = {"ops@203.0.113.5:2222", "inner"};
    node.slots_ = 8;
    node.devices = {0, 2, 5};
    node.interface = "ens1f0";
    QVERIFY(inventory.add(node));
    QVERIFY(!inventory.add(node));
    QVERIFY(inventory.save(folder.filePath("sub/inventory.toml")));
    QCOMPARE(*Inventory::load(folder.filePath("sub/inventory.toml")), inventory);
    QVERIFY(inventory.remove("gpu1"));
    QVERIFY(!inventory.remove("gpu1"));
}

void TestInventory::wrongFile_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("says");
    const QByteArray node = "[[node]]\nname = \"a\"\naddress = \"a\"\n";
    QTest::newRow("syntax") << QByteArray("[[node]\n") << "line 1";
    QTest::newRow("unknown key") << node + "slot = 2\n"
                                 << "line 4: the key \"slot\"";
    QTest::newRow("wrong type") << node + "slots = \"8\"\n"
                                << "line 4: slots wants a whole number, not a text";
    QTest::newRow("negative") << node + "slots = -1\n"
                              << "line 4";
    QTest::newRow("bad address") << QByteArray("[[node]]\nname = \"a\"\naddress = \"a b\"\n") << "line 3";
    QTest::newRow("no address") << QByteArray("\n[[node]]\nname = \"a\"\n") << "line 2: the node a has no address";
    QTest::newRow("name as path") << QByteArray("[[node]]\nname = \"../a\"\naddress = \"a\"\n")
                                  << "line 2: \"../a\" can't be a node's name";
    QTest::newRow("doubled") << node + node << "line 4: A node named a";
    QTest::newRow("devices of words") << node + "devices = [\"0\"]\n"
                                      << "line 4: devices wants";
    QTest::newRow("not tables") << QByteArray("node = 3\n") << "line 1: node wants";
    QTest::newRow("other table") << node + "[nodes]\n"
                                 << "the key \"nodes\"";
    QTest::newRow("no UTF-8") << QByteArray("[[node]]\nname = \"\xff\"\n") << "inventory.toml, line";
}

void TestInventory::wrongFile()
{
    QFETCH(QByteArray, text);
    QFETCH(QString, says);
    const QTemporaryDir folder;
    const Result<Inventory> inventory = Inventory::load(written(folder, text));
    QVERIFY(!inventory);
    QVERIFY2(inventory.error().text.contains(says), qPrintable(inventory.error().text));
}

void TestInventory::savedWhole()
{
    // A folder where nothing can be made: the old file stays as it was.
    const QTemporaryDir folder;
    const QString path = written(folder, "[[node]]\nname = \"a\"\naddress = \"local\"\n");
    QVERIFY(QFile(folder.filePath("blocked")).open(QIODevice::WriteOnly));
    QVERIFY(!Inventory::firstStart().save(folder.filePath("blocked/inventory.toml")));
    QVERIFY(Inventory::firstStart().save(path));
    QCOMPARE(QFile::permissions(path) & (QFile::ReadGroup | QFile::ReadOther | QFile::WriteGroup | QFile::WriteOther),
             QFile::Permissions());
    QCOMPARE(QDir(folder.path()).entryList(QDir::Files), QStringList({"blocked", "inventory.toml"}));
}

void TestInventory::noRoomLeavesTheOldFile()
{
    const QTemporaryDir folder;
    const QString path = written(folder, "[[node]]\nname = \"a\"\naddress = \"local\"\n");
    rlimit before{};
    QCOMPARE(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto signalBefore = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit none{0, before.rlim_max};
    QCOMPARE(::setrlimit(RLIMIT_FSIZE, &none), 0); // every write fails, as on a full disk
    const auto saved = sample().save(path);
    ::setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, signalBefore);
    QVERIFY(!saved);
    const auto old = Inventory::load(path);
    QVERIFY(old);
    QCOMPARE(names(old->nodes), QStringLiteral("a"));
}

QTEST_GUILESS_MAIN(TestInventory)
#include "tst_inventory.moc"
