// SPDX-License-Identifier: GPL-3.0-or-later
// One session a node in a program: what watches a node, its runs and their stop go through the same one, a person is
// asked once, and a link that is cut is replaced for all of them.
#include "remote/iothread.h"
#include "remote/nodewatch.h"
#include "remote/questionboard.h"
#include "remote/runsession.h"
#include "remote/sharedtransports.h"
#include "tests/remote/madenodes.h"
#include "tests/support/testcluster.h"

#include <QElapsedTimer>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace lockstep;
using namespace lockstep::test;
using namespace std::chrono_literals;

namespace {

constexpr int kEndMs = 60'000;

int sessionsOn(const QString& host)
{
    return TestCluster::exec(host, "ss -Htn state established sport = :22 | wc -l").out.toInt();
}

// A window in little: the watch and a run on what it connects.
class Desktop {
public:
    Desktop(const Node& node, const SshSettings& settings)
        : parts{sharedTransports(io, settings), QStringLiteral(LOCKSTEP_BIN_DIR "/lockstep-agent"),
                folder.filePath(QStringLiteral("bundle")), folder.filePath(QStringLiteral("cache"))},
          watch(parts, {}), store(DataFolder(folder.filePath(QStringLiteral("data")))), session(parts, store)
    {
        makeBundle(parts.bundleFolder);
        QObject::connect(&watch, &NodeWatch::stateChanged, &watch, [this](const NodeState& now) {
            state = now;
            if (now.phase == NodePhase::Ready && now.sampleWallUs > 0)
                ++samples;
        });
        inventory.nodes = {node};
        watch.setInventory(inventory);
    }
    void launch()
    {
        RunSpec spec;
        spec.name = QStringLiteral("shared");
        spec.ranksPerNode = 1;
        spec.graceS = 1;
        spec.trainer.clear();
        spec.setOption(QStringLiteral("steps"), "1000000");
        session.launch(spec, inventory.nodes);
    }
    [[nodiscard]] bool steps() const { return !session.state().ranks.isEmpty() && session.state().ranks[0].step > 3; }
    [[nodiscard]] QByteArray said() const
    {
        return QStringLiteral("%1. %2").arg(state.sentence, session.state().reason).toUtf8();
    }

    QTemporaryDir folder;
    IoThread io;
    RunParts parts;
    Inventory inventory;
    NodeState state;
    int samples = 0;
    NodeWatch watch;
    StoreThread store;
    RunSession session;
};

} // namespace

class TestOneSession : public QObject {
    Q_OBJECT

private slots:
    void watchAndRunShareASession();
    void aPersonIsAskedOnce();
    void aServerOfFewPrograms();
    void aCutLinkIsReplacedForAll_data();
    void aCutLinkIsReplacedForAll();
};

void TestOneSession::watchAndRunShareASession()
{
    Desktop desktop(TestCluster::node("n1"), TestCluster::settings());
    QTRY_VERIFY2_WITH_TIMEOUT(desktop.samples > 0, desktop.said(), kEndMs);
    desktop.launch();
    QTRY_VERIFY2_WITH_TIMEOUT(desktop.steps(), desktop.said(), kEndMs);
    QTRY_COMPARE_WITH_TIMEOUT(sessionsOn("n1"), 1, kEndMs); // the upload's own is gone
    const int samples = desktop.samples;
    QTRY_VERIFY_WITH_TIMEOUT(desktop.samples > samples + 2, kEndMs);
    QSignalSpy finished(&desktop.session, &RunSession::finished);
    desktop.session.stop(1);
    QCOMPARE(sessionsOn("n1"), 1);
    QVERIFY(finished.wait(kEndMs));
    QCOMPARE(desktop.session.state().proof(), QStringLiteral("1 of 1 ranks gone, 0 left behind"));
    QCOMPARE(sessionsOn("n1"), 1); // the watch goes on with it
    desktop.watch.setInventory({});
    QTRY_COMPARE_WITH_TIMEOUT(sessionsOn("n1"), 0, kEndMs); // it goes with its last user
}

void TestOneSession::aPersonIsAskedOnce()
{
    QCOMPARE(TestCluster::exec("n1", "usermod -p \"$(openssl passwd -6 'pass word')\" root").exitCode, 0);
    TestCluster::configureSshd("n1", "PermitRootLogin yes");
    QuestionBoard board;
    QTemporaryDir folder;
    QFile config(folder.filePath("config"));
    QVERIFY(config.open(QIODevice::WriteOnly));
    config.write("Host *\n HostName 10.77.1.1\n HostKeyAlias n1\n IdentityFile none\n IdentitiesOnly yes\n "
                 "IdentityAgent none\n UserKnownHostsFile " +
                 TestCluster::file("known_hosts").toUtf8() + '\n');
    config.close();
    SshSettings settings;
    settings.configFile = config.fileName();
    settings.ask = [&board](const SignInQuestion& question, const std::stop_token& stop) {
        return board.ask(question, stop);
    };
    int asked = 0;
    QObject person;
    connect(&board, &QuestionBoard::asked, &person, [&](const SignInQuestion& question) {
        ++asked;
        board.answer(question.id, Secret("pass word"));
    });
    Desktop desktop(TestCluster::node("n1", "root"), settings);
    desktop.launch(); // at once: whoever comes first asks, the other waits
    QTRY_VERIFY2_WITH_TIMEOUT(desktop.samples > 0, desktop.said(), kEndMs);
    QTRY_VERIFY2_WITH_TIMEOUT(desktop.steps(), desktop.said(), kEndMs);
    QCOMPARE(sessionsOn("n1"), 1);
    QSignalSpy finished(&desktop.session, &RunSession::finished);
    desktop.session.stop(1);
    QVERIFY(finished.wait(kEndMs));
    QCOMPARE(desktop.session.state().proof(), QStringLiteral("1 of 1 ranks gone, 0 left behind"));
    QCOMPARE(asked, 1); // the bundle's upload included
    QCOMPARE(desktop.state.signedInWith, QStringLiteral("a password"));
    TestCluster::configureSshd("n1", "");
}

void TestOneSession::aServerOfFewPrograms()
{
    TestCluster::configureSshd("n2", "MaxSessions 1");
    QTest::ignoreMessage(QtInfoMsg, QRegularExpression("n2 takes no more programs on 1 of our connections"));
    Desktop desktop(TestCluster::node("n2"), TestCluster::settings());
    QTRY_VERIFY2_WITH_TIMEOUT(desktop.samples > 0, desktop.said(), kEndMs);
    desktop.launch();
    QTRY_VERIFY2_WITH_TIMEOUT(desktop.steps(), desktop.said(), kEndMs);
    const int samples = desktop.samples;
    QTRY_VERIFY_WITH_TIMEOUT(desktop.samples > samples + 2, kEndMs);
    QVERIFY(sessionsOn("n2") > 1);
    QSignalSpy finished(&desktop.session, &RunSession::finished);
    desktop.session.stop(1);
    QVERIFY(finished.wait(kEndMs));
    QCOMPARE(desktop.session.state().proof(), QStringLiteral("1 of 1 ranks gone, 0 left behind"));
    TestCluster::configureSshd("n2", "");
}

void TestOneSession::aCutLinkIsReplacedForAll_data()
{
    QTest::addColumn<int>("seconds"); // after the silence was noticed
    QTest::newRow("4 s") << 4;
    QTest::newRow("12 s") << 12; // one try has ended
}

void TestOneSession::aCutLinkIsReplacedForAll()
{
    Desktop desktop(TestCluster::node("n2"), TestCluster::settings());
    QTRY_VERIFY2_WITH_TIMEOUT(desktop.samples > 0, desktop.said(), kEndMs);
    desktop.launch();
    QTRY_VERIFY2_WITH_TIMEOUT(desktop.steps(), desktop.said(), kEndMs);
    TestCluster::cut("n2");
    QTRY_COMPARE_WITH_TIMEOUT(desktop.session.state().nodes[0].link, LinkPhase::Reconnecting, kEndMs);
    QFETCH(int, seconds);
    QTest::qWait(seconds * 1000); // the length of the fault
    TestCluster::heal("n2");
    QElapsedTimer healed;
    healed.start();
    const qint64 step = desktop.session.state().ranks[0].step;
    const int samples = desktop.samples;
    QTRY_COMPARE_WITH_TIMEOUT(desktop.session.state().nodes[0].link, LinkPhase::Live, kEndMs);
    qInfo("live again %lld ms after the cut had healed", static_cast<long long>(healed.elapsed()));
    QTRY_VERIFY_WITH_TIMEOUT(desktop.session.state().ranks[0].step > step + 10, kEndMs);
    QTRY_VERIFY2_WITH_TIMEOUT(desktop.samples > samples + 2, desktop.said(), kEndMs);
    QSignalSpy finished(&desktop.session, &RunSession::finished);
    desktop.session.stop(1);
    QVERIFY(finished.wait(kEndMs));
    QCOMPARE(desktop.session.state().proof(), QStringLiteral("1 of 1 ranks gone, 0 left behind"));
}

LOCKSTEP_CLUSTER_MAIN(TestOneSession, 2)
#include "tst_onesession.moc"
