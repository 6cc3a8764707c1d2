// SPDX-License-Identifier: GPL-3.0-or-later
// The Nodes page on real models: what it shows and what it asks for.
#include "tests/ui/uitest.h"
#include "ui/nodes/addnode.h"
#include "ui/nodes/askcard.h"
#include "ui/nodes/devicemodel.h"
#include "ui/nodes/editnode.h"
#include "ui/nodes/importlist.h"
#include "ui/nodes/nodemodel.h"
#include "ui/nodes/nodespage.h"
#include "ui/nodes/nodewords.h"
#include "ui/widgets/button.h"
#include "ui/widgets/datatable.h"
#include "ui/widgets/field.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QPlainTextEdit>
#include <QSignalSpy>
#include <QTest>

#include <algorithm>

using namespace lockstep;
using namespace lockstep::ui;

namespace {

template <typename T>
T* buttonNamed(QWidget& page, const QString& text)
{
    for (T* button : page.findChildren<T*>())
        if (button->text() == text && button->isVisible())
            return button;
    return nullptr;
}

} // namespace

class TestNodes : public UiTest {
    Q_OBJECT

private slots:
    void words_data()
    {
        QTest::addColumn<NodePhase>("phase");
        QTest::addColumn<QString>("words");
        QTest::addColumn<QString>("action");
        QTest::newRow("unknown") << NodePhase::Unknown << "not checked yet"
                                 << "Check";
        QTest::newRow("connecting") << NodePhase::Connecting << "connecting …"
                                    << "";
        QTest::newRow("ready") << NodePhase::Ready << "ready"
                               << "";
        QTest::newRow("unknown key") << NodePhase::UnknownHostKey << "unknown host key"
                                     << "Accept…";
        QTest::newRow("changed key") << NodePhase::HostKeyChanged << "host key changed, refused"
                                     << "See why";
        QTest::newRow("passphrase") << NodePhase::NeedsPassphrase << "its key needs a passphrase"
                                    << "Unlock…";
        QTest::newRow("refused") << NodePhase::AuthFailed << "refused the key"
                                 << "See why";
        QTest::newRow("unreachable") << NodePhase::Unreachable << "unreachable"
                                     << "Try again";
        QTest::newRow("failed") << NodePhase::Failed << "failed"
                                << "Try again";
    }
    void words()
    {
        QFETCH(NodePhase, phase);
        QFETCH(QString, words);
        QFETCH(QString, action);
        NodeState state;
        state.phase = phase;
        QCOMPARE(stateWords(state, {}).words, words);
        QCOMPARE(stateWords(state, {}).action, action);
    }

    void modelFollowsTheList()
    {
        NodeList nodes;
        RunList runs;
        NodeModel model(nodes, runs);
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        made::fill(nodes, made::cluster());
        QCOMPARE(model.rowCount(), 8);
        QCOMPARE(model.index(1, NodeModel::Address).data().toString(), QStringLiteral("alice@10.0.0.11"));
        QCOMPARE(model.index(1, NodeModel::Devices).data().toString(), QStringLiteral("8 × H100"));
        QCOMPARE(model.index(1, NodeModel::Clock).data().toString(), QStringLiteral("+0.8 ms"));
        QCOMPARE(model.index(7, NodeModel::Address).data().toString(), QStringLiteral("gpu7 via login"));
        QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
        QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
        NodeState away = made::gpuNode(2);
        away.phase = NodePhase::Unreachable;
        away.sentence = QStringLiteral("unreachable since 13:05");
        nodes.update(away);
        QCOMPARE(changed.size(), 1);
        QCOMPARE(changed[0][0].toModelIndex().row(), 2);
        QCOMPARE(changed[0][1].toModelIndex().row(), 2);
        QCOMPARE(reset.size(), 0);
        QCOMPARE(model.index(2, NodeModel::State).data().toString(), away.sentence);
    }

    void deviceModelKeepsItsRowsThroughSamples()
    {
        DeviceModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        NodeState state = made::gpuNode(1);
        model.setNode(state);
        QCOMPARE(model.rowCount(), 8);
        QCOMPARE(model.index(2, DeviceModel::Celsius).data().toString(), QStringLiteral("84"));
        QCOMPARE(model.index(6, DeviceModel::RunsOnIt).data().toString(), QStringLiteral("python3, pid 30117, alice"));
        QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
        state.samples[2].tempC = 71;
        model.setNode(state);
        QCOMPARE(reset.size(), 0);
        QCOMPARE(model.index(2, DeviceModel::Celsius).data().toString(), QStringLiteral("71"));
        state.samples[2].tempC = -1; // not supported is not zero
        model.setNode(state);
        QCOMPARE(model.index(2, DeviceModel::Celsius).data().toString(), QStringLiteral("–"));
    }

    void typedTextIsAskedFor_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("asked");
        QTest::newRow("a name") << "gpu1" << 1;
        QTest::newRow("user, host and port") << "alice@10.0.0.11:2222" << 1;
        QTest::newRow("a range") << "gpu[1-8]" << 1;
        QTest::newRow("nothing") << "   " << 0;
        QTest::newRow("a port that is none") << "gpu1:99999" << 0;
    }
    void typedTextIsAskedFor()
    {
        QFETCH(QString, text);
        QFETCH(int, asked);
        made::Over<NodesPage> view(*m_theme, made::firstStart());
        auto& [nodes, runs, page] = view;
        QSignalSpy add(&page, &NodesPage::nodesAddRequested);
        Field& field = page.findChild<QWidget*>(QStringLiteral("start"))->findChild<AddNode*>()->field();
        QTest::keyClicks(&field, text);
        QTest::keyClick(&field, Qt::Key_Return);
        QCOMPARE(add.size(), asked);
        if (asked > 0)
            QCOMPARE(add[0][0].toString(), text);
        else
            QVERIFY(text.trimmed().isEmpty() || !field.toolTip().isEmpty()); // says why
    }

    void acceptingAKeyNamesItsFingerprint()
    {
        made::Over<NodesPage> view(*m_theme, made::cluster());
        auto& [nodes, runs, page] = view;
        page.resize(1272, 876);
        page.show();
        QSignalSpy accept(&page, &NodesPage::acceptHostKeyRequested);
        QCOMPARE(page.findChildren<AskCard*>().size(), 2);
        auto* button = buttonNamed<QPushButton>(page, QStringLiteral("Accept key"));
        QVERIFY(button);
        QTest::mouseClick(button, Qt::LeftButton);
        QCOMPARE(accept.size(), 1);
        QCOMPARE(accept[0][0].toString(), QStringLiteral("gpu4"));
        QCOMPARE(accept[0][1].toString(), made::asking(4, NodePhase::UnknownHostKey).hostKey->fingerprint);
        // A changed key has no way to be accepted here.
        for (AskCard* card : page.findChildren<AskCard*>())
            if (card->node() == QLatin1String("gpu3"))
                QCOMPARE(card->button().text(), QStringLiteral("Copy both"));
    }

    void manyUnknownKeysAreAcceptedAtOnce()
    {
        QList<NodeState> states{made::thisMachine(), made::asking(9, NodePhase::HostKeyChanged)};
        for (int i = 1; i <= 8; ++i)
            states.append(made::asking(i, NodePhase::UnknownHostKey));
        made::Over<NodesPage> view(*m_theme, states);
        auto& [nodes, runs, page] = view;
        QSignalSpy accept(&page, &NodesPage::acceptHostKeyRequested);
        QCOMPARE(page.findChildren<AskCard*>().size(), 1); // the changed one stays apart
        auto* button = buttonNamed<QPushButton>(page, QStringLiteral("Accept these 8 keys"));
        QVERIFY(button);
        QTest::mouseClick(button, Qt::LeftButton);
        QCOMPARE(accept.size(), 8);
        QCOMPARE(accept[7][1].toString(), states.last().hostKey->fingerprint);
    }

    void anAcceptedNodeLosesItsCard()
    {
        made::Over<NodesPage> view(*m_theme, {made::thisMachine(), made::asking(4, NodePhase::UnknownHostKey)});
        auto& [nodes, runs, page] = view;
        QCOMPARE(page.findChildren<AskCard*>().size(), 1);
        nodes.update(made::gpuNode(4));
        QCOMPARE(page.findChildren<AskCard*>().size(), 0);
    }

    void filterHidesWhatLacksTheWords()
    {
        made::Over<NodesPage> view(*m_theme, made::cluster());
        auto& [nodes, runs, page] = view;
        auto* table = page.findChild<DataTable*>(QStringLiteral("nodes"));
        QCOMPARE(table->model()->rowCount(), 8);
        page.focusFilter();
        QTest::keyClicks(page.findChild<Field*>(), QStringLiteral("h100 unreach"));
        QCOMPARE(table->model()->rowCount(), 1);
        QCOMPARE(table->model()->index(0, 0).data().toString(), QStringLiteral("gpu5"));
    }

    void rowsCopyAsText()
    {
        made::Over<NodesPage> view(*m_theme, made::cluster());
        auto& [nodes, runs, page] = view;
        page.showNode(QStringLiteral("gpu1"));
        auto* table = page.findChild<DataTable*>(QStringLiteral("nodes"));
        QTest::keyClick(table, Qt::Key_C, Qt::ControlModifier);
        const QString text = QApplication::clipboard()->text();
        QVERIFY2(text.startsWith(QStringLiteral("name\taddress\tstate")), qPrintable(text));
        QVERIFY2(text.contains(QStringLiteral("gpu1\talice@10.0.0.11\tready\t8 × H100\t13.0 / 580.65")),
                 qPrintable(text));
        QCOMPARE(text.count(QLatin1Char('\n')), 1);
    }

    void actionWordOfAnUnreachableNodeChecksIt()
    {
        made::Over<NodesPage> view(*m_theme, made::cluster());
        auto& [nodes, runs, page] = view;
        page.showNode(QStringLiteral("gpu5"));
        QSignalSpy check(&page, &NodesPage::checkRequested);
        QTest::keyClick(page.findChild<DataTable*>(QStringLiteral("nodes")), Qt::Key_Return);
        QCOMPARE(check.size(), 1);
        QCOMPARE(check[0][0].toString(), QStringLiteral("gpu5"));
    }

    void importAsksForTheChosenHosts()
    {
        made::Over<NodesPage> view(*m_theme, made::firstStart());
        auto& [nodes, runs, page] = view;
        ImportOffer offer;
        offer.hosts = {{QStringLiteral("gpu1"), QStringLiteral("alice@10.0.0.11")},
                       {QStringLiteral("gpu2"), QString()}};
        page.setImportOffer(offer);
        page.show();
        QCoreApplication::processEvents(); // boxes of a page that is seen show themselves then
        QSignalSpy import(&page, &NodesPage::importRequested);
        for (QCheckBox* box : page.findChildren<QCheckBox*>())
            if (box->isVisible() && box->property("alias").toString() == QLatin1String("gpu2"))
                box->setChecked(true);
        auto* button = buttonNamed<QPushButton>(page, QStringLiteral("Import 1 host"));
        QVERIFY(button);
        QTest::mouseClick(button, Qt::LeftButton);
        QCOMPARE(import.size(), 1);
        QCOMPARE(import[0][0].toString(), QString());
        QCOMPARE(import[0][1].toStringList(), QStringList{QStringLiteral("gpu2")});
    }

    void oddLinesOfAFileAreShown()
    {
        made::Over<NodesPage> view(*m_theme, made::firstStart());
        auto& [nodes, runs, page] = view;
        QSignalSpy wanted(&page, &NodesPage::importFileWanted);
        ImportList* list = nullptr;
        for (ImportList* one : page.findChildren<ImportList*>())
            list = one->isVisible() ? one : list;
        QVERIFY(list);
        QTest::keyClicks(&list->field(), QStringLiteral("~/hosts"));
        QTest::keyClick(&list->field(), Qt::Key_Return);
        QCOMPARE(wanted.size(), 1);
        QCOMPARE(wanted[0][0].toString(), QStringLiteral("~/hosts"));
        page.setImportOffer({QStringLiteral("~/hosts"),
                             {{QStringLiteral("gpu1"), QStringLiteral("gpu1, 8 slots")}},
                             {QStringLiteral("hosts:9: 0 slots: no rank could start there")}});
        QTRY_VERIFY(std::ranges::any_of(list->findChildren<QLabel*>(), [](const QLabel* label) {
            return label->isVisible() && label->text().startsWith(QLatin1String("hosts:9:"));
        }));
        QSignalSpy import(&page, &NodesPage::importRequested);
        auto* button = buttonNamed<QPushButton>(page, QStringLiteral("Import 1 host"));
        QVERIFY(button);
        QTest::mouseClick(button, Qt::LeftButton);
        QCOMPARE(import[0][0].toString(), QStringLiteral("~/hosts"));
        page.setImportRefused(QStringLiteral("Cannot read ~/hosts"));
        QCOMPARE(list->field().toolTip(), QStringLiteral("Cannot read ~/hosts"));
    }

    void theFilterTakesSelections()
    {
        made::Over<NodesPage> view(*m_theme, made::cluster());
        auto& [nodes, runs, page] = view;
        auto* table = page.findChild<DataTable*>(QStringLiteral("nodes"));
        const int all = table->model()->rowCount();
        Field* filter = nullptr;
        for (Field* field : page.findChildren<Field*>())
            if (field->placeholderText() == QLatin1String("Filter"))
                filter = field;
        QVERIFY(filter);
        filter->setText(QStringLiteral("gpu[1-3]!gpu2"));
        QCOMPARE(table->model()->rowCount(), 2);
        filter->setText(QStringLiteral("gpu[1-3]!@nothing")); // the rows stay, and the place is told
        QCOMPARE(table->model()->rowCount(), 2);
        QVERIFY2(filter->toolTip().contains(QLatin1String("at character 10")), qPrintable(filter->toolTip()));
        filter->setText(QStringLiteral("gpu2")); // plain words as before
        QCOMPARE(table->model()->rowCount(), 1);
        filter->clear();
        QCOMPARE(table->model()->rowCount(), all);
        QCOMPARE(filter->toolTip(), QString());
    }

    void aNodeIsEdited()
    {
        made::Over<NodesPage> view(*m_theme, made::cluster());
        auto& [nodes, runs, page] = view;
        page.resize(1400, 800);
        page.show();
        page.showNode(QStringLiteral("gpu2"));
        auto* edit = buttonNamed<QPushButton>(page, QStringLiteral("Edit"));
        QVERIFY(edit);
        QTest::mouseClick(edit, Qt::LeftButton);
        auto* form = page.findChild<EditNode*>();
        QVERIFY(form && form->isVisible());
        QVERIFY(form->minimumSizeHint().width() <= m_theme->px(848)); // what the narrowest window leaves
        QSignalSpy asked(&page, &NodesPage::nodeEditRequested);
        form->field(QStringLiteral("slots")).setText(QStringLiteral("many"));
        QTest::keyClick(&form->field(QStringLiteral("slots")), Qt::Key_Return);
        QCOMPARE(asked.size(), 0);
        QVERIFY(form->field(QStringLiteral("slots")).toolTip().contains(QLatin1String("slots wants a number")));
        form->field(QStringLiteral("slots")).setText(QStringLiteral("3"));
        form->field(QStringLiteral("tags")).setText(QStringLiteral("x, y"));
        QTest::keyClick(&form->field(QStringLiteral("tags")), Qt::Key_Return);
        QCOMPARE(asked.size(), 1);
        const auto edited = asked[0][1].value<Node>();
        QCOMPARE(edited.name, QStringLiteral("gpu2"));
        QCOMPARE(edited.slots_, 3);
        QCOMPARE(edited.tags, (QStringList{QStringLiteral("x"), QStringLiteral("y")}));
        QCOMPARE(asked[0][0].value<Node>(), nodes.find(QStringLiteral("gpu2"))->node);
        QTest::keyClick(&form->field(QStringLiteral("tags")), Qt::Key_Return);
        QCOMPARE(asked.size(), 1); // one at a time
        // Refused: what was typed stays, and the reason stands beside it.
        QVERIFY(page.setEdited(QStringLiteral("gpu2"), failure(ErrorCode::Busy, QStringLiteral("its lock is held"))));
        QCOMPARE(form->field(QStringLiteral("slots")).text(), QStringLiteral("3"));
        QCOMPARE(form->findChild<QLabel*>(QStringLiteral("editSays"))->text(), QStringLiteral("its lock is held"));
        QTest::mouseClick(form->findChild<QPushButton*>(QStringLiteral("saveNode")), Qt::LeftButton);
        QCOMPARE(asked.size(), 2);
        QVERIFY(page.setEdited(QStringLiteral("gpu2"), {}));
        QVERIFY(!form->findChild<QLabel*>(QStringLiteral("editSays"))->isVisible());
        QVERIFY(!page.setEdited(QStringLiteral("gpu3"), {})); // not asked for here
        Inventory again;                                      // as it is read after a save
        for (const NodeState& state : nodes.nodes())
            again.nodes.append(state.node);
        nodes.setInventory(again);
        QCOMPARE(page.findChild<DataTable*>(QStringLiteral("nodes"))->selectedSourceRows(), QList<int>{2});
    }

    void whatGroupsGiveIsShownAndKept()
    {
        const auto inventory = Inventory::parse("[group.lab]\nuser = \"alice\"\nslots = 8\nenv = { A = \"1\" }\n"
                                                "[[node]]\nname = \"n\"\naddress = \"host\"\ntags = [\"lab\"]\n"
                                                "env = { B = \"2\" }\n",
                                                QStringLiteral("inventory.toml"));
        QVERIFY(inventory.has_value());
        EditNode form(*m_theme);
        form.setNode(inventory->nodes.first(), inventory->groups);
        form.show();
        auto* lines = form.findChild<QPlainTextEdit*>();
        auto* save = form.findChild<QPushButton*>(QStringLiteral("saveNode"));
        QCOMPARE(form.field(QStringLiteral("slots")).text(), QString());
        QCOMPARE(form.field(QStringLiteral("slots")).placeholderText(), QStringLiteral("8"));
        QCOMPARE(form.field(QStringLiteral("address")).text(), QStringLiteral("host"));
        QCOMPARE(lines->toPlainText(), QStringLiteral("B=2"));
        QCOMPARE(form.findChild<QLabel*>(QStringLiteral("editGiven"))->text(),
                 QStringLiteral("of group lab: user alice, slots 8, A=1"));
        QVERIFY(!save->isEnabled());
        lines->setPlainText(QStringLiteral("B=3\nB=4"));
        QVERIFY(!save->isEnabled());
        QVERIFY2(lines->toolTip().contains(QLatin1String("a second time")), qPrintable(lines->toolTip()));
        QSignalSpy asked(&form, &EditNode::editRequested);
        lines->setPlainText(QStringLiteral("B=3\nC=x y"));
        form.field(QStringLiteral("tags")).setText(QString()); // then no group gives it anything
        QTest::mouseClick(save, Qt::LeftButton);
        QCOMPARE(asked.size(), 1);
        const auto edited = asked[0][1].value<Node>();
        QCOMPARE(edited.env, (QList<std::pair<QByteArray, QByteArray>>{{"B", "3"}, {"C", "x y"}}));
        QCOMPARE(edited.address.text(), QStringLiteral("host"));
        QCOMPARE(edited.slots_, 0);
    }

    void removingIsAskedTwice()
    {
        made::Over<NodesPage> view(*m_theme, made::cluster());
        auto& [nodes, runs, page] = view;
        page.showNode(QStringLiteral("gpu2"));
        QSignalSpy remove(&page, &NodesPage::nodeRemoveRequested);
        auto* button = buttonNamed<QPushButton>(page, QStringLiteral("Remove"));
        QVERIFY(button);
        QTest::mouseClick(button, Qt::LeftButton);
        QCOMPARE(remove.size(), 0);
        QTest::mouseClick(button, Qt::LeftButton);
        QCOMPARE(remove.size(), 1);
        QCOMPARE(remove[0][0].toString(), QStringLiteral("gpu2"));
    }
};

QTEST_MAIN(TestNodes)
#include "tst_nodes.moc"
