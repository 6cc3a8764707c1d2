// SPDX-License-Identifier: GPL-3.0-or-later
// A node as a form shows it: what is its own and what its groups', its environment as lines, and back into the file.
#include "core/inventoryedit.h"
#include "core/inventoryfile.h"
#include "core/nodeform.h"

#include <QTest>

using namespace lockstep;

namespace {

constexpr char kFile[] = R"(# the lab
[group.h100] # new ones
user = "alice"
slots = 8
env = { NCCL_IB_HCA = "mlx5_0", NCCL_DEBUG = "WARN" }

[group.all]
key = "~/.ssh/id_lab"
slots = 2

[[node]]
name = "gpu1"
address = "gpu1.lab:2222" # behind the door
tags = ["h100"]
env = { NCCL_DEBUG = "INFO", OMP = "a b=c" }

[[node]]
name = "gpu2"
address = "gpu2.lab"
)";

Inventory parsed(const QByteArray& text)
{
    return Inventory::parse(text, QStringLiteral("inventory.toml")).value_or(Inventory());
}

} // namespace

class TestNodeForm : public QObject {
    Q_OBJECT

private slots:
    void groupsAreToldApart();
    void lines_data();
    void lines();
    void whatNoLineHoldsIsLeftToTheFile_data();
    void whatNoLineHoldsIsLeftToTheFile();
    void aSaveKeepsTheFile();
    void groupsThatChangeMeanwhile_data();
    void groupsThatChangeMeanwhile();
};

void TestNodeForm::groupsAreToldApart()
{
    const Inventory inventory = parsed(kFile);
    QCOMPARE(inventory.nodes.size(), 2);
    const Node& gpu1 = inventory.nodes[0];
    const Node own = ownPart(gpu1, inventory.groups);
    QCOMPARE(valueText(gpu1, "address"), QStringLiteral("alice@gpu1.lab:2222"));
    QCOMPARE(valueText(own, "address"), QStringLiteral("gpu1.lab:2222"));
    QCOMPARE(valueText(gpu1, "slots"), QStringLiteral("8"));
    QCOMPARE(valueText(own, "slots"), QString());
    QCOMPARE(variableLines(own).value_or(QString()), QStringLiteral("NCCL_DEBUG=INFO\nOMP=a b=c"));
    QCOMPARE(givenValues(gpu1, inventory.groups), (QList<GivenValue>{{"user", "alice", "h100"},
                                                                     {"slots", "8", "h100"},
                                                                     {"env.NCCL_IB_HCA", "mlx5_0", "h100"},
                                                                     {"key", "~/.ssh/id_lab", "all"}}));
    QCOMPARE(givenValues(inventory.nodes[1], inventory.groups),
             (QList<GivenValue>{{"key", "~/.ssh/id_lab", "all"}, {"slots", "2", "all"}}));
}

void TestNodeForm::lines_data()
{
    QTest::addColumn<QString>("lines");
    QTest::addColumn<QString>("says"); // of a mistake
    QTest::addColumn<QString>("again");
    QTest::newRow("nothing") << ""
                             << ""
                             << "";
    QTest::newRow("a value as it is") << "A=x y = 'z' "
                                      << ""
                                      << "A=x y = 'z' ";
    QTest::newRow("empty lines and an empty value") << "\nA=1\n\n  B=\n"
                                                    << ""
                                                    << "A=1\nB=";
    QTest::newRow("no equals sign") << "A=1\nB"
                                    << "Line 2 of env wants NAME=value, not \"B\""
                                    << "";
    QTest::newRow("no name") << "=1"
                             << "Line 1 of env wants NAME=value"
                             << "";
    QTest::newRow("twice") << "A=1\nB=1\nA=2"
                           << "Line 3 of env sets A a second time"
                           << "";
}

void TestNodeForm::lines()
{
    QFETCH(QString, lines);
    QFETCH(QString, says);
    QFETCH(QString, again);
    Node node;
    node.env = {{"OLD", "1"}};
    const auto set = setVariableLines(node, lines);
    QCOMPARE(set.has_value(), says.isEmpty());
    if (!set) {
        QVERIFY2(set.error().text.contains(says), qPrintable(set.error().text));
        QCOMPARE(node.env.size(), 1); // as it was
        return;
    }
    QCOMPARE(variableLines(node).value_or(QString()), again);
}

void TestNodeForm::whatNoLineHoldsIsLeftToTheFile_data()
{
    QTest::addColumn<QByteArray>("value");
    QTest::addColumn<bool>("held");
    QTest::newRow("text in any language") << QByteArray("gr\u00fc\u00df dich\u3000\t\U0001f600") << true;
    QTest::newRow("two lines") << QByteArray("a\nb") << false;
    QTest::newRow("a carriage return") << QByteArray("a\rb") << false;
    QTest::newRow("bytes that are no text") << QByteArray("a\xff") << false;
    // QPlainTextEdit would hand these back as others.
    QTest::newRow("a blank that does not break") << QByteArray("a\u00a0b") << false;
    QTest::newRow("a line separator") << QByteArray("a\u2028b") << false;
    QTest::newRow("a paragraph separator") << QByteArray("a\u2029b") << false;
    QTest::newRow("the beginning of a frame") << QByteArray("a\xef\xb7\x90") << false;
    QTest::newRow("the end of a frame") << QByteArray("a\xef\xb7\x91") << false;
}

void TestNodeForm::whatNoLineHoldsIsLeftToTheFile()
{
    QFETCH(QByteArray, value);
    QFETCH(bool, held);
    Node node;
    node.env = {{"VALUE", value}};
    const auto lines = variableLines(node);
    QCOMPARE(lines.has_value(), held);
    QVERIFY(held || lines.error().text.contains(QLatin1String("VALUE")));
}

// The form's way: the node's own part changed, its groups' added; what the file says beside it stays.
void TestNodeForm::aSaveKeepsTheFile()
{
    Inventory inventory = parsed(kFile);
    Node own = ownPart(inventory.nodes[0], inventory.groups);
    QVERIFY(setVariableLines(own, "NCCL_DEBUG=TRACE\nNEW=1"));
    inherit(own, inventory.groups);
    inventory.nodes[0] = own;
    const auto text = withChanges(kFile, inventory, QStringLiteral("inventory.toml"));
    QVERIFY2(text, text ? "" : qPrintable(text.error().text));
    QByteArray wanted = kFile;
    wanted.replace("env = { NCCL_DEBUG = \"INFO\", OMP = \"a b=c\" }", "env = { NCCL_DEBUG = \"TRACE\", NEW = \"1\" }");
    QCOMPARE(*text, wanted);
    QCOMPARE(parsed(*text).nodes[0].env.size(), 3);
}

// While the form is open, somebody changes what the group gives: it is never made the node's own.
void TestNodeForm::groupsThatChangeMeanwhile_data()
{
    QTest::addColumn<QByteArray>("before"); // of the file, by somebody else
    QTest::addColumn<QByteArray>("meanwhile");
    QTest::addColumn<QString>("typed");
    QTest::addColumn<QByteArray>("line"); // of the file, by the form
    QTest::addColumn<QByteArray>("saved");
    QTest::addColumn<int>("slots");
    const QByteArray slots8 = "slots = 8", hca = "\"mlx5_0\"";
    const QByteArray tags = "tags = [\"h100\"]", variables = "OMP = \"a b=c\" }";
    QTest::newRow("slots, a tag typed") << slots8 << QByteArray("slots = 4") << "tags+=rack3" << tags
                                        << QByteArray("tags = [\"h100\", \"rack3\"]") << 4;
    QTest::newRow("env, a variable typed")
        << hca << QByteArray("\"mlx5_1\"") << "env.OMP=d" << variables << QByteArray("OMP = \"d\" }") << 8;
    QTest::newRow("slots, what they were typed")
        << slots8 << QByteArray("slots = 4") << "slots=8" << variables << variables + "\nslots = 8" << 8;
}

void TestNodeForm::groupsThatChangeMeanwhile()
{
    QFETCH(QByteArray, before);
    QFETCH(QByteArray, meanwhile);
    QFETCH(QString, typed);
    QFETCH(QByteArray, line);
    QFETCH(QByteArray, saved);
    const Inventory seen = parsed(kFile);
    const Node shown = ownPart(seen.nodes[0], seen.groups);
    Node edited = shown;
    QVERIFY(setNodeValue(edited, typed));
    const QByteArray file = QByteArray(kFile).replace(before, meanwhile);
    Inventory now = parsed(file);
    const auto replaced = replaceNode(now, shown, edited);
    QVERIFY2(replaced, replaced ? "" : qPrintable(replaced.error().text));
    const auto text = withChanges(file, now, QStringLiteral("inventory.toml"));
    QVERIFY2(text, text ? "" : qPrintable(text.error().text));
    QCOMPARE(*text, QByteArray(file).replace(line, saved));
    QTEST(parsed(*text).nodes[0].slots_, "slots");
}

QTEST_GUILESS_MAIN(TestNodeForm)
#include "tst_nodeform.moc"
