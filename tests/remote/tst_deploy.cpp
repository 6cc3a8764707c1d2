// SPDX-License-Identifier: GPL-3.0-or-later
// The agent put in place with a shell, bundles sent by content, on the real agent.
#include "remote/agentcall.h"
#include "remote/deployer.h"
#include "tests/remote/madedeploy.h"

#include <QTest>

#include <sys/stat.h>

#include <random>
#include <thread>

using namespace lockstep;
using namespace lockstep::test;
using namespace std::chrono_literals;

class TstDeploy : public QObject {
    Q_OBJECT

private slots:
    void placesTheAgentOnce();
    void replacesABrokenAgent();
    void saysWhyTheAgentIsNotPlaced_data();
    void saysWhyTheAgentIsNotPlaced();
    void sendsOnlyWhatIsMissing();
    void sendsOneContentOnceForTwoNodes();
    void repairsATornBundle();
    void refusesWrongContent();
    void reportsAgentErrorsByNode();
    void goesOnAfterACutInTheMiddleOfAFile();
    void putsADeletedAgentBack();

private:
    static Result<Deployed> deploy(MadeNodes& made, NodeLink& link, const Bundle& bundle,
                                   std::function<void(const DeployProgress&)> progressed = {})
    {
        const auto agent = AgentFile::load(made.parts().agentFile);
        if (!agent)
            return std::unexpected(agent.error());
        const CompressedContents contents(bundle, made.parts().cacheFolder, {});
        return deployBundle(link, {bundle, contents, *agent, std::move(progressed)}, {});
    }
    // A bundle of one file that zstd can't shrink.
    static Result<Bundle> largeBundle(const MadeNodes& made, qsizetype bytes)
    {
        const QString folder = made.folder() + QStringLiteral("/large");
        QDir().mkpath(folder);
        QByteArray noise(bytes, '\0');
        std::minstd_rand random(7);
        for (char& c : noise)
            c = static_cast<char>(random() >> 8);
        writeFile(folder + QStringLiteral("/weights"), noise);
        return Bundle::read(folder, made.parts().cacheFolder);
    }
};

void TstDeploy::placesTheAgentOnce()
{
    MadeNodes made(1);
    GET(first, open(made));
    QVERIFY(first.agent.bytesSent > 0);
    QVERIFY(first.agent.path.startsWith(made[0].cache.toUtf8()));
    QVERIFY(!first.agent.version.isEmpty());
    struct stat info {};
    QCOMPARE(::stat(first.agent.path.constData(), &info), 0);
    QCOMPARE(info.st_mode & 0777, 0700u);
    GET(second, open(made));
    QCOMPARE(second.agent.bytesSent, 0);
    QCOMPARE(second.agent.path, first.agent.path);
    QCOMPARE(QDir(QFileInfo(QString::fromUtf8(first.agent.path)).path()).entryList(QDir::Files).size(),
             1); // no left-over
}

void TstDeploy::replacesABrokenAgent()
{
    MadeNodes made(1);
    GET(first, open(made));
    const QString path = QString::fromUtf8(first.agent.path);
    QVERIFY(QFile::remove(path));
    writeFile(path, "#!/bin/false\n");
    QVERIFY(QFile::setPermissions(path, QFile::ReadOwner | QFile::ExeOwner));
    GET(second, open(made));
    QVERIFY(second.agent.bytesSent > 0);
    QCOMPARE(contentOf(path), contentOf(made.parts().agentFile));
}

void TstDeploy::saysWhyTheAgentIsNotPlaced_data()
{
    QTest::addColumn<QByteArray>("program"); // sent in place of the agent
    QTest::addColumn<bool>("blocked");       // a file lies where the folder should be
    QTest::addColumn<QString>("words");
    QTest::newRow("does not run there") << QByteArray("#!/bin/sh\nexit 1\n") << false
                                        << QStringLiteral("does not run there");
    QTest::newRow("not a program") << QByteArray("\x7f"
                                                 "ELF nonsense")
                                   << false << QStringLiteral("does not run there");
    QTest::newRow("no folder") << QByteArray("#!/bin/sh\n") + QByteArray(2'000'000, '#') << true
                               << QStringLiteral("cannot be made");
    QTest::newRow("says nothing") << QByteArray("#!/bin/sh\nexit 0\n") << false
                                  << QStringLiteral("does not say its version");
}

void TstDeploy::saysWhyTheAgentIsNotPlaced()
{
    QFETCH(QByteArray, program);
    QFETCH(bool, blocked);
    QFETCH(QString, words);
    MadeNodes made(1);
    const QString wrong = made.folder() + QStringLiteral("/wrong-agent");
    writeFile(wrong, program);
    if (blocked)
        writeFile(made[0].cache, "a file");
    GET(agent, AgentFile::load(wrong));
    const auto link = openNode(made.parts().transports, made.nodes()[0], agent, {});
    QVERIFY(!link.has_value());
    QVERIFY2(link.error().text.contains(words), qPrintable(link.error().text));
    QVERIFY(link.error().text.contains(QStringLiteral("n1")));
    QCOMPARE(link.error().node, QStringLiteral("n1"));
}

void TstDeploy::sendsOnlyWhatIsMissing()
{
    MadeNodes made(1);
    GET(link, open(made));
    GET(bundle, readBundle(made));
    GET(first, deploy(made, link, bundle));
    QCOMPARE(first.filesSent, 2);
    QCOMPARE(contentOf(QString::fromUtf8(first.path) + QStringLiteral("/lib/libextra.so.1")),
             contentOf(made.bundleFolder() + QStringLiteral("/lib/libextra.so.1")));
    QVERIFY(QFileInfo(QString::fromUtf8(first.path) + QStringLiteral("/lockstep-trainer")).isExecutable());

    GET(again, deploy(made, link, bundle));
    QCOMPARE(again.filesSent, 0);
    QCOMPARE(again.path, first.path);
    QVERIFY2(again.bytesSent + again.bytesReceived < 100'000, qPrintable(QString::number(again.bytesSent)));

    writeFile(made.bundleFolder() + QStringLiteral("/new.txt"), "new");
    GET(changed, readBundle(made));
    QVERIFY(changed.hash != bundle.hash);
    GET(third, deploy(made, link, changed));
    QCOMPARE(third.filesSent, 1);
    QVERIFY(third.path != first.path);
    QCOMPARE(contentOf(QString::fromUtf8(third.path) + QStringLiteral("/new.txt")), QByteArray("new"));
    QVERIFY(!QFile::exists(QString::fromUtf8(first.path) + QStringLiteral("/new.txt")));
}

void TstDeploy::sendsOneContentOnceForTwoNodes()
{
    MadeNodes made(2);
    GET(bundle, readBundle(made));
    GET(one, open(made, 0));
    GET(two, open(made, 1));
    GET(agent, AgentFile::load(made.parts().agentFile));
    const CompressedContents contents(bundle, made.parts().cacheFolder, {});
    std::vector<Result<Deployed>> results(2, failure(ErrorCode::Stopped, {}));
    {
        std::vector<std::jthread> workers;
        for (std::size_t i = 0; i < 2; ++i)
            workers.emplace_back([&, i] {
                results[i] = deployBundle(i == 0 ? one : two, {bundle, contents, agent}, {});
            });
    }
    for (const auto& result : results) {
        QVERIFY2(result.has_value(), result ? "" : qPrintable(result.error().text));
        QCOMPARE(result->filesSent, 2);
    }
    QCOMPARE(QDir(made.parts().cacheFolder + QStringLiteral("/compressed")).entryList(QDir::Files).size(), 2);
}

void TstDeploy::repairsATornBundle()
{
    MadeNodes made(1);
    GET(link, open(made));
    GET(bundle, readBundle(made));
    GET(first, deploy(made, link, bundle));
    QVERIFY(QDir(QString::fromUtf8(first.path)).removeRecursively());
    GET(again, deploy(made, link, bundle));
    QCOMPARE(again.filesSent, 0); // the contents are there, only the folder is made anew
    QVERIFY(QFileInfo(QString::fromUtf8(again.path) + QStringLiteral("/lockstep-trainer")).isExecutable());
}

void TstDeploy::refusesWrongContent()
{
    MadeNodes made(1);
    GET(link, open(made));
    GET(bundle, readBundle(made));
    writeFile(made.bundleFolder() + QStringLiteral("/lib/libextra.so.1"), QByteArray(300'003, 'y'));
    const auto deployed = deploy(made, link, bundle);
    QVERIFY(!deployed.has_value());
    QVERIFY2(deployed.error().text.contains(QStringLiteral("changes while it is sent")),
             qPrintable(deployed.error().text));
}

void TstDeploy::reportsAgentErrorsByNode()
{
    MadeNodes made(1);
    GET(link, open(made));
    GET(call, AgentCall::start(*link.transport, link.agent.path, {"stop", "no-such-run", "--grace", "1"},
                               Deadline::in(20s), {}));
    const auto answer = call.expect("proof", Deadline::in(20s), {});
    QVERIFY(!answer.has_value());
    QCOMPARE(answer.error().code, ErrorCode::NotFound);
    QCOMPARE(answer.error().node, QStringLiteral("n1"));

    GET(noise, AgentCall::start(*link.transport, "echo", {"Welcome", "to", "n1"}, Deadline::in(20s), {}));
    const auto bad = noise.next(Deadline::in(20s), {});
    QVERIFY(!bad.has_value());
    QCOMPARE(bad.error().code, ErrorCode::Protocol);
    QVERIFY2(bad.error().text.contains(QStringLiteral("Welcome to n1")), qPrintable(bad.error().text));
}

void TstDeploy::goesOnAfterACutInTheMiddleOfAFile()
{
    constexpr qsizetype kBytes = 40'000'000;
    MadeNodes made(1);
    GET(link, open(made));
    GET(bundle, largeBundle(made, kBytes));
    made[0].cutAfter = kBytes / 3;
    const auto progressed = [&](const DeployProgress& progress) {
        if (progress.event.contains(QStringLiteral("cut")))
            made[0].cut = false; // it heals
    };
    GET(deployed, deploy(made, link, bundle, progressed));
    QCOMPARE(deployed.cuts, 1);
    // Not one byte twice but for what was on its way when the link was cut.
    constexpr qint64 kOnItsWay = 2'000'000;
    QVERIFY2(deployed.bytesSent < kBytes + kOnItsWay, qPrintable(QString::number(deployed.bytesSent)));
    QCOMPARE(contentOf(QString::fromUtf8(deployed.path) + QStringLiteral("/weights")),
             contentOf(made.folder() + QStringLiteral("/large/weights")));
    const QStringList left = QDir(made[0].cache + QStringLiteral("/contents")).entryList(QDir::Files);
    QVERIFY2(left.size() == 1, qPrintable(left.join(u' '))); // nothing half is left
}

void TstDeploy::putsADeletedAgentBack()
{
    MadeNodes made(1);
    GET(link, open(made));
    GET(bundle, readBundle(made));
    QVERIFY(QFile::remove(QString::fromUtf8(link.agent.path)));
    GET(deployed, deploy(made, link, bundle));
    QCOMPARE(deployed.filesSent, 2);
    QVERIFY(QFile::exists(QString::fromUtf8(link.agent.path)));
}

QTEST_GUILESS_MAIN(TstDeploy)
#include "tst_deploy.moc"
