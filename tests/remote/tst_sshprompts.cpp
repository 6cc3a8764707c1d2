// SPDX-License-Identifier: GPL-3.0-or-later
// What a person has to say before a server lets us in: passphrases, passwords, a server's own questions. Asked through
// the board, answered there, against real sshds; nobody else waits meanwhile.
#include "remote/iothread.h"
#include "remote/questionboard.h"
#include "remote/sshtransport.h"
#include "tests/support/testcluster.h"

#include <QElapsedTimer>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <atomic>
#include <thread>

using namespace lockstep;
using namespace lockstep::test;
using namespace std::chrono_literals;

namespace {

constexpr auto kLimit = 60s;
constexpr char kStandingSshd[] = "'[s]shd.*: root@'"; // of a connection of ours; not pkill's own shell
constexpr char kUser[] = "root";                      // of n1; has no key of ours there, but a password or a locked key

void onHost(const QByteArray& shell)
{
    const Ran ran = TestCluster::exec("n1", shell);
    if (ran.exitCode != 0)
        qFatal("n1: %s: %s", shell.constData(), ran.err.constData());
}

} // namespace

class TestSshPrompts : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void init();
    void signsIn_data();
    void signsIn();
    void aPersonWhoDeclines_data();
    void aPersonWhoDeclines();
    void manyNodesAskOnceForOneKey();
    void nobodyElseWaits();
    void stopEndsTheWait();
    void nobodyToAsk();
    void aConnectionThatIsHeardAgainIsKept();
    void aServerThatClosesAtOnceIsNotAskedInWithoutEnd();

private:
    SshSettings settings(const QByteArray& lines)
    {
        QFile file(m_folder->filePath("config"));
        if (!file.open(QIODevice::WriteOnly) ||
            file.write("Host *\n" + lines +
                       "\n HostName 10.77.1.1\n HostKeyAlias n1\n IdentitiesOnly yes\n "
                       "UserKnownHostsFile " +
                       TestCluster::file("known_hosts").toUtf8() + "\n IdentityAgent none\n") < 0)
            qFatal("%s", qPrintable(file.errorString()));
        file.close();
        SshSettings made;
        made.configFile = file.fileName();
        made.ask = [this](const SignInQuestion& question, const std::stop_token& stop) {
            return m_board.ask(question, stop);
        };
        return made;
    }
    [[nodiscard]] QByteArray lockedKey() const { return "IdentityFile " + m_folder->filePath("locked").toUtf8(); }
    // Answers with these, in this order; what comes afterwards is declined.
    void answerWith(QList<QByteArray> answers)
    {
        m_asked.clear();
        m_answering = std::make_unique<QObject>();
        connect(
            &m_board, &QuestionBoard::asked, m_answering.get(),
            [this, answers](const SignInQuestion& question) mutable {
                m_asked += question.text();
                if (answers.isEmpty())
                    m_board.decline(question.id);
                else
                    m_board.answer(question.id, Secret(answers.takeFirst()));
            },
            Qt::DirectConnection);
    }

    QuestionBoard m_board;
    std::unique_ptr<QObject> m_answering;
    QStringList m_asked; // the board's thread writes it while the test waits
    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestSshPrompts::initTestCase()
{
    m_folder = std::make_unique<QTemporaryDir>();
    QCOMPARE(
        QProcess::execute("ssh-keygen", {"-q", "-t", "ed25519", "-N", "two words", "-f", m_folder->filePath("locked")}),
        0);
    QFile file(m_folder->filePath("locked.pub"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    onHost("echo '" + file.readAll().trimmed() + "' > /root/.ssh/authorized_keys");
    onHost("usermod -p \"$(openssl passwd -6 'pass word')\" root");
    // The server's own questions, by PAM, without what needs a real machine.
    onHost("printf 'auth required pam_unix.so\\naccount required pam_permit.so\\nsession required pam_permit.so\\n' > "
           "/etc/pam.d/sshd");
}

void TestSshPrompts::init()
{
    TestCluster::configureSshd("n1", "PermitRootLogin yes");
}

void TestSshPrompts::signsIn_data()
{
    QTest::addColumn<QByteArray>("sshd");
    QTest::addColumn<QByteArray>("lines");
    QTest::addColumn<QList<QByteArray>>("answers");
    QTest::addColumn<QString>("with");
    QTest::addColumn<QStringList>("asked"); // the beginnings
    using Answers = QList<QByteArray>;
    const QByteArray none("IdentityFile none"), pam("PermitRootLogin yes\nUsePAM yes\nPasswordAuthentication no");
    QTest::newRow("passphrase") << QByteArray("PermitRootLogin yes") << lockedKey() << Answers{"two words"} << "/locked"
                                << QStringList{"Passphrase of the key"};
    QTest::newRow("passphrase, wrong first")
        << QByteArray("PermitRootLogin yes") << lockedKey() << Answers{"wrong", "two words"} << "/locked"
        << QStringList{"Passphrase", "That was wrong. Passphrase"};
    QTest::newRow("password") << QByteArray("PermitRootLogin yes") << none << Answers{"pass word"} << "a password"
                              << QStringList{"Password of root@10.77.1.1, for n1"};
    QTest::newRow("password, wrong first") << QByteArray("PermitRootLogin yes") << none << Answers{"wrong", "pass word"}
                                           << "a password" << QStringList{"Password", "That was wrong. Password"};
    QTest::newRow("key and password") << QByteArray("PermitRootLogin yes\nAuthenticationMethods publickey,password")
                                      << lockedKey() << Answers{"two words", "pass word"} << "a password"
                                      << QStringList{"Passphrase", "Password"};
    QTest::newRow("the server's question") << pam << none << Answers{"pass word"} << "answers to its questions"
                                           << QStringList{"n1 asks root@10.77.1.1: Password:"};
    QTest::newRow("the server's question, wrong first")
        << pam << none << Answers{"wrong", "pass word"} << "answers to its questions"
        << QStringList{"n1 asks", "That was wrong. n1 asks"};
    QTest::newRow("key and the server's question")
        << pam + "\nAuthenticationMethods publickey,keyboard-interactive" << lockedKey()
        << Answers{"two words", "pass word"} << "answers to its questions" << QStringList{"Passphrase", "n1 asks"};
}

void TestSshPrompts::signsIn()
{
    QFETCH(QByteArray, sshd);
    QFETCH(QByteArray, lines);
    QFETCH(QList<QByteArray>, answers);
    QFETCH(QStringList, asked);
    TestCluster::configureSshd("n1", sshd);
    answerWith(answers);
    IoThread io;
    SshTransport transport(TestCluster::node("n1", kUser), io, settings(lines));
    const auto connected = transport.connect(Deadline::in(kLimit), {});
    QVERIFY2(connected, qPrintable(connected ? QString() : connected.error().text));
    QFETCH(QString, with);
    QVERIFY2(transport.signedInWith().endsWith(with), qPrintable(transport.signedInWith()));
    QCOMPARE(m_asked.size(), asked.size());
    for (qsizetype i = 0; i < asked.size(); ++i)
        QVERIFY2(m_asked[i].startsWith(asked[i]), qPrintable(m_asked[i]));
    QCOMPARE(m_board.openQuestions(), 0);
}

void TestSshPrompts::aPersonWhoDeclines_data()
{
    QTest::addColumn<QByteArray>("lines");
    QTest::addColumn<ErrorCode>("code");
    QTest::addColumn<QString>("says");
    QTest::newRow("passphrase") << "PreferredAuthentications publickey\n" + lockedKey() << ErrorCode::NeedsPassphrase
                                << "locked by a passphrase";
    QTest::newRow("password") << QByteArray("IdentityFile none") << ErrorCode::AuthFailed
                              << "a password (none was given)";
    QTest::newRow("password not wanted") << QByteArray("IdentityFile none\nPasswordAuthentication no")
                                         << ErrorCode::AuthFailed << "There was no key to try";
}

void TestSshPrompts::aPersonWhoDeclines()
{
    QFETCH(QByteArray, lines);
    QFETCH(ErrorCode, code);
    QFETCH(QString, says);
    answerWith({});
    IoThread io;
    SshTransport transport(TestCluster::node("n1", kUser), io, settings(lines));
    const auto refused = transport.connect(Deadline::in(kLimit), {});
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, code);
    QVERIFY2(refused.error().text.contains(says), qPrintable(refused.error().text));
    QVERIFY2(refused.error().text.contains("The server allows publickey, password"), qPrintable(refused.error().text));
}

void TestSshPrompts::manyNodesAskOnceForOneKey()
{
    answerWith({"two words"});
    IoThread io;
    const SshSettings asked = settings(lockedKey());
    std::atomic<int> connected = 0;
    {
        std::vector<std::jthread> nodes;
        for (int i = 0; i < 12; ++i)
            nodes.emplace_back([&] {
                SshTransport transport(TestCluster::node("n1", kUser), io, asked);
                connected += transport.connect(Deadline::in(kLimit), {}) ? 1 : 0;
            });
    }
    QCOMPARE(connected, 12);
    QCOMPARE(m_asked.size(), 1);
}

void TestSshPrompts::nobodyElseWaits()
{
    IoThread io;
    const SshSettings asked = settings("IdentityFile none");
    std::atomic<int> question = 0;
    QObject listening;
    m_answering.reset();
    connect(
        &m_board, &QuestionBoard::asked, &listening, [&question](const SignInQuestion& q) { question = q.id; },
        Qt::DirectConnection);
    Result<void> connected;
    QElapsedTimer clock;
    clock.start();
    std::jthread waiting([&] {
        SshTransport transport(TestCluster::node("n1", kUser), io, asked);
        connected = transport.connect(Deadline::in(5s), {}); // a person's time does not count
    });
    QTRY_COMPARE_WITH_TIMEOUT(question.load() > 0, true, 30'000);
    SshTransport other(TestCluster::node("n2"), io, TestCluster::settings());
    const auto ran = other.run({"hostname"}, {}, Deadline::in(kLimit), {});
    QVERIFY2(ran, qPrintable(ran ? QString() : ran.error().text));
    // The server is not kept waiting, either.
    QTRY_COMPARE_WITH_TIMEOUT(TestCluster::exec("n1", "ss -Htn state established sport = :22 | wc -l").out.trimmed(),
                              QByteArray("0"), 30'000);
    QCOMPARE(m_board.openQuestions(), 1);
    QTRY_VERIFY_WITH_TIMEOUT(clock.elapsed() > 5100, 30'000); // longer than the deadline that it was given
    m_board.answer(question, Secret("pass word"));
    waiting.join();
    QVERIFY2(connected, qPrintable(connected ? QString() : connected.error().text));
}

void TestSshPrompts::stopEndsTheWait()
{
    m_answering.reset();
    IoThread io;
    const SshSettings asked = settings("IdentityFile none");
    std::stop_source stop;
    Result<void> connected;
    std::jthread waiting([&] {
        SshTransport transport(TestCluster::node("n1", kUser), io, asked);
        connected = transport.connect(Deadline::in(kLimit), stop.get_token());
    });
    QTRY_COMPARE_WITH_TIMEOUT(m_board.openQuestions(), 1, 30'000);
    stop.request_stop();
    waiting.join();
    QVERIFY(!connected);
    QCOMPARE(connected.error().code, ErrorCode::Stopped);
    QTRY_COMPARE(m_board.openQuestions(), 0);
}

void TestSshPrompts::nobodyToAsk()
{
    IoThread io;
    SshSettings alone = settings("IdentityFile none");
    alone.ask = {};
    SshTransport transport(TestCluster::node("n1", kUser), io, alone);
    const auto refused = transport.connect(Deadline::in(kLimit), {});
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, ErrorCode::AuthFailed);
    QVERIFY2(refused.error().text.contains("There is nobody to ask for a password"), qPrintable(refused.error().text));
}

// While a person is asked, for another one beside it; they decline.
void TestSshPrompts::aConnectionThatIsHeardAgainIsKept()
{
    IoThread io;
    SshSettings asked = settings("IdentityFile none");
    std::unique_ptr<Process> process;
    const auto echoes = [&process](const QByteArray& word) {
        if (!process->write(word, Deadline::in(kLimit), {}))
            return false;
        const auto read = process->read(Deadline::in(kLimit), {});
        return read && read->out == word;
    };
    int questions = 0;
    bool back = false;
    asked.ask = [&](const SignInQuestion&, const std::stop_token&) -> std::optional<Secret> {
        if (++questions == 1)
            return Secret("pass word");
        onHost(QByteArray("pkill -CONT -f ") + kStandingSshd);
        back = echoes("back");
        return {};
    };
    SshTransport transport(TestCluster::node("n1", kUser), io, asked);
    auto started = transport.start({"cat"}, Deadline::in(kLimit), {});
    QVERIFY2(started, qPrintable(started ? QString() : started.error().text));
    process = std::move(*started);
    onHost(QByteArray("pkill -STOP -f ") + kStandingSshd);
    QTest::qWait(1200); // one that was heard within a second is trusted
    const auto connected = transport.connect(Deadline::in(kLimit), {});
    QVERIFY2(connected, qPrintable(connected ? QString() : connected.error().text));
    QCOMPARE(questions, 2);
    QVERIFY(back);
    QVERIFY(echoes("still here"));
}

void TestSshPrompts::aServerThatClosesAtOnceIsNotAskedInWithoutEnd()
{
    TestCluster::configureSshd("n1", "PermitRootLogin yes\nUsePAM yes");
    onHost("cp /etc/pam.d/sshd /root/pam.before; printf '#!/bin/sh\nkill -9 $PPID\n' > /root/close; "
           "chmod 755 /root/close; echo 'session required pam_exec.so /root/close' >> /etc/pam.d/sshd");
    answerWith(QList<QByteArray>(100, "pass word"));
    {
        IoThread io;
        SshTransport transport(TestCluster::node("n1", kUser), io,
                               settings("IdentityFile none\nPreferredAuthentications password"));
        const auto ran = transport.run({"true"}, {}, Deadline::in(kLimit), {});
        QVERIFY(!ran);
        QCOMPARE(ran.error().code, ErrorCode::ConnectionLost);
    }
    onHost("mv /root/pam.before /etc/pam.d/sshd");
    QVERIFY2(!m_asked.isEmpty() && m_asked.size() <= 2, QByteArray::number(m_asked.size()));
}

LOCKSTEP_CLUSTER_MAIN(TestSshPrompts, 2)
#include "tst_sshprompts.moc"
