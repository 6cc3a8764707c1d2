// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/options.h"

#include <QTest>

#include <vector>

using namespace lockstep;

class TestOptions : public QObject {
    Q_OBJECT

private:
    static Parsed parse(const QByteArray& line)
    {
        QList<QByteArray> words{"lockstep"};
        if (!line.isEmpty())
            words += line.split(' ');
        std::vector<char*> argv;
        for (auto& word : words)
            argv.push_back(word.data());
        return parseOptions(static_cast<int>(argv.size()), argv.data());
    }

private slots:
    void verbs_data()
    {
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<int>("verb");
        QTest::addColumn<QString>("target");
        const auto row = [](const char* line, Verb verb, const char* target = "") {
            QTest::newRow(line) << QByteArray(line) << static_cast<int>(verb) << QString::fromLatin1(target);
        };
        row("", Verb::Window);
        row("demo", Verb::Demo);
        row("run spec.toml", Verb::Run, "spec.toml");
        row("plan spec.toml --json", Verb::Plan, "spec.toml");
        row("deploy", Verb::Deploy);
        row("deploy spec.toml --relay", Verb::Deploy, "spec.toml");
        row("deploy gpu[1-4] --json", Verb::Deploy, "gpu[1-4]");
        row("run spec.toml --relay", Verb::Run, "spec.toml");
        row("results last --fetch", Verb::Results, "last");
        row("bundles", Verb::Bundles);
        row("bundles list gpu1", Verb::Bundles);
        row("bundles remove gpu1 --bundle abc123 --bundle def456", Verb::Bundles);
        row("results last", Verb::Results, "last");
        row("plan spec.toml --commands", Verb::Plan, "spec.toml");
        row("doctor", Verb::Doctor);
        row("doctor gpu[1-2]", Verb::Doctor, "gpu[1-2]");
        row("doctor spec.toml --nodes gpu1 --json", Verb::Doctor, "spec.toml");
        row("nodes", Verb::Nodes);
        row("nodes check gpu1", Verb::Nodes);
        row("runs", Verb::Runs);
        row("show last", Verb::Show, "last");
        row("logs #12 --rank 3", Verb::Logs, "#12");
        row("attach 12", Verb::Attach, "12");
        row("stop last --grace 3", Verb::Stop, "last");
        row("export last -o x.csv", Verb::Export, "last");
        row("--screenshot shots", Verb::Screenshot);
        row("--screenshot shots --run last", Verb::Screenshot, "last");
    }
    void verbs()
    {
        QFETCH(QByteArray, line);
        const Parsed parsed = parse(line);
        QVERIFY(parsed.options.has_value());
        QTEST(static_cast<int>(parsed.options->verb), "verb");
        QTEST(parsed.options->target, "target");
    }

    void mistakesLeaveWithTwo_data()
    {
        QTest::addColumn<QByteArray>("line");
        for (const char* line : {"frobnicate", "run", "run a.toml b.toml", "export last --format xls -o x",
                                 "export last", "stop last --grace -1", "logs last --rank -1", "nodes add",
                                 "nodes accept", "--scheme pink", "show last --no-such", "plan s.toml --detach"})
            QTest::newRow(line) << QByteArray(line);
    }
    void mistakesLeaveWithTwo()
    {
        QFETCH(QByteArray, line);
        const Parsed parsed = parse(line);
        QVERIFY(!parsed.options.has_value());
        QCOMPARE(parsed.exitCode, 2);
    }

    void helpLeavesWithZero()
    {
        const Parsed parsed = parse("--help");
        QVERIFY(!parsed.options.has_value());
        QCOMPARE(parsed.exitCode, 0);
    }

    void valuesArrive()
    {
        const auto run = parse("run s.toml --nodes gpu[1-2] --set lr=0.1 --set env.X=a --detach --json").options;
        QVERIFY(run.has_value());
        QCOMPARE(run->nodes, QStringLiteral("gpu[1-2]"));
        QCOMPARE(run->set, (QStringList{QStringLiteral("lr=0.1"), QStringLiteral("env.X=a")}));
        QVERIFY(run->follow == Follow::Detach);
        QVERIFY(run->output == Output::Json);
        QVERIFY(parse("run s.toml --relay").options->sending == Sending::Relay);
        QVERIFY(parse("run s.toml").options->sending == Sending::Direct);
        QVERIFY(parse("results last --fetch").options->results == Results::Fetch);
        QVERIFY(parse("results last").options->results == Results::List);
        const auto logs = parse("logs last --rank 0").options;
        QVERIFY(logs.has_value() && logs->rank == 0);
        QVERIFY(!parse("logs last").options->rank.has_value());
        const auto accept = parse("nodes accept gpu1 --fingerprint SHA256:abc").options;
        QVERIFY(accept.has_value());
        QVERIFY(accept->nodesAction == NodesAction::Accept);
        QCOMPARE(accept->nodeArguments, QStringList{QStringLiteral("gpu1")});
        QCOMPARE(accept->fingerprint, QStringLiteral("SHA256:abc"));
    }

    // A demo that is to be read by a program, or left to the nodes, opens no window.
    void demoChoosesItsDisplay()
    {
        QVERIFY(parse("demo").options->display == lockstep::Display::Auto);
        QVERIFY(parse("demo --json").options->display == lockstep::Display::Terminal);
        QVERIFY(parse("demo --detach").options->display == lockstep::Display::Terminal);
        QVERIFY(parse("demo --window").options->display == lockstep::Display::Window);
    }
};

QTEST_GUILESS_MAIN(TestOptions)
#include "tst_options.moc"
