// SPDX-License-Identifier: GPL-3.0-or-later
// The Launch page: the form writes the spec, the table follows, a launch that cannot be says why.
#include "core/traineroptions.h"
#include "tests/ui/uitest.h"
#include "ui/launch/commandpanel.h"
#include "ui/launch/filesrow.h"
#include "ui/launch/launchmodel.h"
#include "ui/launch/launchpage.h"
#include "ui/launch/specfields.h"
#include "ui/widgets/button.h"
#include "ui/widgets/combo.h"
#include "ui/widgets/datatable.h"
#include "ui/widgets/field.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QCheckBox>
#include <QRadioButton>
#include <QSemaphore>
#include <QSignalSpy>
#include <QTest>

#include <atomic>

using namespace lockstep;
using namespace lockstep::ui;

class TestLaunch : public UiTest {
    Q_OBJECT

private slots:
    void words_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QList<QByteArray>>("words");
        QTest::addColumn<bool>("good");
        QTest::newRow("plain") << "--a 1" << QList<QByteArray>{"--a", "1"} << true;
        QTest::newRow("single quotes") << "'two words' b" << QList<QByteArray>{"two words", "b"} << true;
        QTest::newRow("nothing expands") << "$HOME '*' ~" << QList<QByteArray>{"$HOME", "*", "~"} << true;
        QTest::newRow("an empty word") << "a '' b" << QList<QByteArray>{"a", "", "b"} << true;
        QTest::newRow("a quote inside") << "'it'\\''s'" << QList<QByteArray>{"it's"} << true;
        QTest::newRow("double quotes") << "\"a \\\"b\\\" c\"" << QList<QByteArray>{"a \"b\" c"} << true;
        QTest::newRow("not closed") << "'a" << QList<QByteArray>{} << false;
        QTest::newRow("a backslash before nothing") << "a \\" << QList<QByteArray>{} << false;
    }
    void words()
    {
        QFETCH(QString, text);
        QFETCH(QList<QByteArray>, words);
        QFETCH(bool, good);
        QList<QByteArray> read;
        const QString wrong = readWords(text, read);
        QCOMPARE(wrong.isEmpty(), good);
        QCOMPARE(read, words);
        QList<QByteArray> again;
        QVERIFY(readWords(wordsText(words), again).isEmpty());
        QCOMPARE(again, words); // what the field shows is what it was given
    }

    void numbers_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("text");
        QTest::addColumn<bool>("good");
        QTest::newRow("a batch") << "batch"
                                 << "128" << true;
        QTest::newRow("no batch") << "batch"
                                  << "0" << false;
        QTest::newRow("half a batch") << "batch"
                                      << "1.5" << false;
        QTest::newRow("a rate") << "lr"
                                << "3e-4" << true;
        QTest::newRow("a word") << "lr"
                                << "fast" << false;
        QTest::newRow("left to the trainer") << "lr"
                                             << "" << true;
    }
    void numbers()
    {
        QFETCH(QString, name);
        QFETCH(QString, text);
        QFETCH(bool, good);
        const QString wrong = wrongNumber(name, text);
        QCOMPARE(wrong.isEmpty(), good);
        if (!good)
            QVERIFY2(wrong.contains(text) && wrong.contains(name), qPrintable(wrong));
    }

    void modelTellsOnlyTheRowsThatDiffer()
    {
        LaunchModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        const QList<PlanNode> nodes{{made::gpuNode(1).node, made::gpuNode(1).facts},
                                    {made::gpuNode(2).node, made::gpuNode(2).facts}};
        LaunchPlan plan = makePlan(made::spec(0.4, 0), nodes, {});
        model.setPlan(plan);
        QCOMPARE(model.rowCount(), 2);
        QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
        QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
        plan.nodes[1].runtime = {QStringLiteral("deployed"), QStringLiteral("LibTorch 2.14.1")};
        model.setPlan(plan);
        QCOMPARE(reset.size(), 0);
        QCOMPARE(changed.size(), 1);
        QCOMPARE(changed[0][0].toModelIndex().row(), 1);
        model.setPlan(LaunchPlan{});
        QCOMPARE(model.rowCount(), 0);
    }

    void editingTheFormRecomputesTheTable()
    {
        NodeList nodes;
        made::fill(nodes, made::cluster());
        LaunchPage page(*m_theme, nodes);
        page.setSpec(made::spec(0.4, 0));
        page.show();
        QCOMPARE(page.plan().nodes.size(), 2);
        QCOMPARE(page.plan().worldSize, 16);
        auto* launch = page.findChild<Button*>(QStringLiteral("launch"));
        QCOMPARE(launch->text(), QStringLiteral("Launch 16 ranks"));
        auto* field = page.findChild<Field*>(QStringLiteral("nodes"));
        field->selectAll();
        QTest::keyClicks(field, QStringLiteral("gpu1"));
        QCOMPARE(page.plan().nodes.size(), 1);
        QCOMPARE(launch->text(), QStringLiteral("Launch 8 ranks"));
        auto* ranks = page.findChild<Combo*>(QStringLiteral("ranksANode"));
        ranks->setCurrentIndex(ranks->findText(QStringLiteral("2")));
        QCOMPARE(page.plan().worldSize, 2);
        QCOMPARE(page.spec().ranksPerNode, 2);
    }

    void measuredValuesHoldUntilTheFormChanges()
    {
        NodeList nodes;
        made::fill(nodes, made::cluster());
        LaunchPage page(*m_theme, nodes);
        page.setSpec(made::spec(0.4, 0));
        page.show();
        LaunchPlan measured = page.plan();
        measured.setMasterPort(28717, QStringLiteral("port: free on gpu1"));
        page.setMeasured(page.spec(), measured);
        QCOMPARE(page.plan().masterPort, 28717);
        auto* field = page.findChild<Field*>(QStringLiteral("nodes"));
        field->selectAll();
        QTest::keyClicks(field, QStringLiteral("gpu1"));
        QCOMPARE(page.plan().masterPort, 0); // of another launch: not measured
    }

    void fieldsWriteTheSpecAndKeepTheRest()
    {
        NodeList nodes;
        made::fill(nodes, made::cluster());
        LaunchPage page(*m_theme, nodes);
        RunSpec spec = made::spec(0.4, 0);
        spec.setOption(QStringLiteral("checkpoint"), "run/last.pt"); // has no field
        spec.envOverride.append(qMakePair(QByteArray("NCCL_DEBUG"), QByteArray("INFO")));
        page.setSpec(spec);
        QCOMPARE(page.spec(), spec);
        page.findChild<Field*>(QStringLiteral("lr"))->setText(QStringLiteral("0.1"));
        spec.setOption(QStringLiteral("lr"), "0.1");
        QCOMPARE(page.spec(), spec);
    }

    void emptyFieldsShowWhatTheTrainerDoes()
    {
        NodeList nodes;
        made::fill(nodes, made::cluster());
        LaunchPage page(*m_theme, nodes);
        RunSpec silent;
        silent.name = QStringLiteral("silent");
        page.setSpec(silent);
        QCOMPARE(page.spec(), silent); // showing a default is not setting it
        int shown = 0;
        for (const OptionInfo& one : trainerOptions()) {
            const auto* widget = page.findChild<QWidget*>(one.name);
            if (!widget)
                continue; // in the table of all options
            ++shown;
            if (const auto* combo = qobject_cast<const Combo*>(widget))
                QCOMPARE(combo->currentText(), usualValue(silent, one.name));
            else if (one.kind != OptionInfo::Kind::Text)
                QCOMPARE(qobject_cast<const Field*>(widget)->placeholderText(), usualText(silent, one.name));
        }
        QVERIFY(shown > 12);
        auto* optimizer = page.findChild<Combo*>(QStringLiteral("optimizer"));
        auto* rate = page.findChild<Field*>(QStringLiteral("lr"));
        QCOMPARE(optimizer->currentText(), QStringLiteral("adamw"));
        QCOMPARE(rate->placeholderText(), QStringLiteral("0.001"));
        optimizer->setCurrentIndex(optimizer->findText(QStringLiteral("sgd")));
        QCOMPARE(page.spec().option(QStringLiteral("optimizer")), QByteArray("sgd"));
        QCOMPARE(rate->placeholderText(), QStringLiteral("0.01"));
        optimizer->setCurrentIndex(optimizer->findText(QStringLiteral("adamw")));
        QCOMPARE(page.spec(), silent);
    }

    void theRelayIsOfTheSpec()
    {
        NodeList nodes;
        made::fill(nodes, made::cluster());
        LaunchPage page(*m_theme, nodes);
        RunSpec spec = made::spec(0.4, 0);
        page.setSpec(spec);
        auto* relay = page.findChild<QCheckBox*>(QStringLiteral("relay"));
        QVERIFY(relay && !relay->isChecked());
        relay->setChecked(true);
        spec.relay = true;
        QCOMPARE(page.spec(), spec);
        QCOMPARE(differingNames(spec, made::spec(0.4, 0)), QStringList{QStringLiteral("relay")});
        page.setSpec(made::spec(0.4, 0));
        QVERIFY(!relay->isChecked());
    }

    void theTableHasWhatThePlanHas()
    {
        LaunchModel model;
        LaunchPlan plan = makePlan(made::spec(0.4, 0), {{made::gpuNode(1).node, made::gpuNode(1).facts}}, {});
        plan.nodes[0].cpus = {QStringLiteral("0–7: 0-63"), QStringLiteral("by local rank")};
        plan.nodes[0].clock = {QStringLiteral("+0.4 ms"), QStringLiteral("± 0.1 ms against this machine")};
        model.setPlan(plan);
        QCOMPARE(model.headerData(LaunchModel::Cpus, Qt::Horizontal, Qt::DisplayRole).toString(),
                 QStringLiteral("CPUs"));
        QCOMPARE(model.index(0, LaunchModel::Cpus).data().toString(), QStringLiteral("0–7: 0-63"));
        QCOMPARE(model.index(0, LaunchModel::Clock).data().toString(), QStringLiteral("+0.4 ms"));
        QCOMPARE(model.index(0, LaunchModel::Clock).data(Qt::ToolTipRole).toString(),
                 QStringLiteral("+0.4 ms: ± 0.1 ms against this machine"));
    }

    void everyOptionIsFoundAndSet()
    {
        NodeList nodes;
        made::fill(nodes, made::cluster());
        LaunchPage page(*m_theme, nodes);
        RunSpec silent;
        silent.name = QStringLiteral("silent");
        page.setSpec(silent);
        page.show();
        auto* table = page.findChild<DataTable*>(QStringLiteral("options"));
        auto* model = table->model();
        QCOMPARE(model->rowCount(), int(trainerOptions().size()));
        page.findChild<Field*>(QStringLiteral("findOption"))->setText(QStringLiteral("fsdp prefetch"));
        QCOMPARE(model->rowCount(), 1);
        QCOMPARE(model->index(0, 2).data().toString(), QStringLiteral("yes"));
        QVERIFY(model->setData(model->index(0, 2), QStringLiteral("no")));
        QCOMPARE(page.spec().option(QStringLiteral("fsdp_prefetch")), QByteArray("no"));
        page.findChild<Field*>(QStringLiteral("findOption"))->setText(QStringLiteral("beta2"));
        QVERIFY(model->setData(model->index(0, 2), QStringLiteral("2")));
        const auto* launch = page.findChild<QPushButton*>(QStringLiteral("launch"));
        QVERIFY(!launch->isEnabled());
        QVERIFY2(model->index(0, 2)
                     .data(Qt::ToolTipRole)
                     .toString()
                     .startsWith(QStringLiteral("beta2 is a number from 0 to")),
                 qPrintable(model->index(0, 2).data(Qt::ToolTipRole).toString()));
        QVERIFY(model->setData(model->index(0, 2), QString())); // back to the trainer's own choice
        QCOMPARE(page.spec().option(QStringLiteral("beta2")), QByteArray());
    }

    void aModelOfOnesOwn_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QByteArray>("model"); // empty: refused
        QTest::newRow("shared object") << "/srv/tiny net.so" << QByteArray("library");
        QTest::newRow("TorchScript") << "/srv/net.pt" << QByteArray("torchscript");
        QTest::newRow("neither") << "/srv/net.onnx" << QByteArray();
        QTest::newRow("nothing") << "" << QByteArray();
    }

    void aModelOfOnesOwn()
    {
        QFETCH(QString, file);
        QFETCH(QByteArray, model);
        NodeList nodes;
        made::fill(nodes, made::cluster());
        LaunchPage page(*m_theme, nodes);
        RunSpec spec = made::spec(0.4, 0);
        page.setSpec(spec);
        page.findChild<QRadioButton*>(QStringLiteral("ownModel"))->setChecked(true);
        page.findChild<Field*>(QStringLiteral("model_file"))->setText(file);
        const auto* launch = page.findChild<QPushButton*>(QStringLiteral("launch"));
        QCOMPARE(launch->isEnabled(), !model.isEmpty());
        if (model.isEmpty())
            return;
        QCOMPARE(page.spec().option(QStringLiteral("model")), model);
        QCOMPARE(page.spec().option(QStringLiteral("model_file")), file.toUtf8());
        LaunchPage again(*m_theme, nodes); // as it was saved
        again.setSpec(page.spec());
        QVERIFY(again.findChild<QRadioButton*>(QStringLiteral("ownModel"))->isChecked());
        QCOMPARE(again.spec(), page.spec());
    }

    void disabledOnlyWithItsReason_data()
    {
        QTest::addColumn<QString>("nodes");
        QTest::addColumn<QString>("field");
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("reason"); // empty: enabled
        QTest::newRow("two nodes that are ready") << "gpu[1-2]"
                                                  << "batch"
                                                  << "64"
                                                  << "";
        QTest::newRow("no such node") << "gpu9"
                                      << "batch"
                                      << "64"
                                      << "gpu9";
        QTest::newRow("a key that nobody accepted") << "gpu4"
                                                    << "batch"
                                                    << "64"
                                                    << "gpu4: accept its key?";
        QTest::newRow("away") << "gpu1,gpu5"
                              << "batch"
                              << "64"
                              << "gpu5: unreachable since 13:02";
        QTest::newRow("a wrong number") << "gpu1"
                                        << "batch"
                                        << "none"
                                        << "batch";
        QTest::newRow("a port that is none") << "gpu1"
                                             << "master_port"
                                             << "70000"
                                             << "70000";
    }
    void disabledOnlyWithItsReason()
    {
        QFETCH(QString, nodes);
        QFETCH(QString, field);
        QFETCH(QString, text);
        QFETCH(QString, reason);
        NodeList list;
        made::fill(list, made::cluster());
        LaunchPage page(*m_theme, list);
        RunSpec spec = made::spec(0.4, 0);
        spec.nodes = nodes;
        page.setSpec(spec);
        page.findChild<Field*>(field)->setText(text);
        auto* launch = page.findChild<Button*>(QStringLiteral("launch"));
        QSignalSpy run(&page, &LaunchPage::runRequested);
        page.launch();
        QCOMPARE(launch->isEnabled(), reason.isEmpty());
        QCOMPARE(run.size(), reason.isEmpty() ? 1 : 0);
        auto* said = page.findChild<QLabel*>(QStringLiteral("footDetail"));
        QVERIFY2(said->text().contains(reason), qPrintable(said->text()));
    }

    void nobodyWaitsForAFolder()
    {
        const auto gate = std::make_shared<QSemaphore>(); // the disk answers when it lets it
        FilesRow row(*m_theme, [gate](const QString& path) {
            gate->acquire();
            return path.endsWith(QLatin1String("/there"));
        });
        QSignalSpy edited(&row, &FilesRow::edited);
        RunSpec spec;
        spec.folder = QStringLiteral("/data/there");
        row.show(spec);
        auto* field = row.findChild<Field*>(QStringLiteral("folder"));
        QCOMPARE(row.read(spec), QStringLiteral("Looking for the folder /data/there …"));
        QCOMPARE(field->toolTip(), QString()); // nothing is wrong yet
        edited.clear();
        gate->release();
        QTRY_COMPARE(edited.size(), 1);
        QCOMPARE(row.read(spec), QString());
        field->setText(QStringLiteral("/data/missing"));
        gate->release();
        QTRY_COMPARE(row.read(spec), QStringLiteral("There is no folder /data/missing."));
        QCOMPARE(field->toolTip(), QStringLiteral("There is no folder /data/missing."));
        field->setText(QStringLiteral("/dead/there"));
        QTRY_COMPARE_WITH_TIMEOUT(row.read(spec),
                                  QStringLiteral("/dead/there gives no answer; is what it lies on reachable?"), 10'000);
        field->setText(QStringLiteral("/data/there")); // another one is not held up by it
        gate->release(2);
        QTRY_COMPARE(row.read(spec), QString());
    }

    void aPathIsLookedForWhenItIsTyped()
    {
        const auto asked = std::make_shared<std::atomic<int>>(0);
        FilesRow row(*m_theme, [asked](const QString&) {
            ++*asked;
            return true;
        });
        RunSpec spec;
        auto* field = row.findChild<Field*>(QStringLiteral("folder"));
        for (const QChar letter : QStringLiteral("/data/there")) {
            field->insert(letter);
            const QString wrong = row.read(spec);
            QCOMPARE(wrong, QStringLiteral("Looking for the folder %1 …").arg(spec.folder));
        }
        QTRY_COMPARE(row.read(spec), QString());
        QCOMPARE(asked->load(), 1);
    }

    void foldersWithoutAnAnswerHoldUpNoLaunch()
    {
        constexpr int kMost = 8; // that are waited for at once
        const auto gate = std::make_shared<QSemaphore>();
        const auto asked = std::make_shared<std::atomic<int>>(0);
        FilesRow row(*m_theme, [gate, asked](const QString& path) {
            ++*asked;
            gate->acquire();
            return path.endsWith(QLatin1String("/there"));
        });
        auto* field = row.findChild<Field*>(QStringLiteral("folder"));
        RunSpec spec;
        for (int i = 1; i <= kMost; ++i) {
            spec.folder = QStringLiteral("/dead/%1").arg(i);
            row.show(spec);
            QTRY_COMPARE(asked->load(), i);
        }
        for (const char* last : {"/data/missing", "/data/there"}) {
            field->setText(QString::fromLatin1(last));
            QTRY_COMPARE(row.read(spec), QString()); // the launch says whether it is there
            QVERIFY2(field->toolTip().contains(QLatin1String("is not known")), qPrintable(field->toolTip()));
        }
        QCOMPARE(asked->load(), kMost);
        gate->release(kMost + 1); // and the newest is looked for as soon as one has answered
        QTRY_COMPARE(asked->load(), kMost + 1);
        QTRY_VERIFY(row.read(spec).isEmpty() && field->toolTip().isEmpty());
    }

    void commandLosesNothingForReading()
    {
        const QByteArray command =
            "env RANK=8 MASTER_ADDR=10.1.0.11 A='x  y' '/tmp/a b/lockstep-trainer' --model cnn --note 'two  words'";
        QString shown = commandForReading(command, 40);
        QVERIFY(shown.contains(QLatin1Char('\n')));
        QVERIFY(shown.contains(QStringLiteral("'two  words'"))); // spaces inside of quotes are the user's
        shown.replace(QLatin1Char('\n'), QLatin1Char(' '));
        QCOMPARE(shown.replace(QStringLiteral("   "), QStringLiteral(" ")).toUtf8(), command);
    }
};

QTEST_MAIN(TestLaunch)
#include "tst_launch.moc"
