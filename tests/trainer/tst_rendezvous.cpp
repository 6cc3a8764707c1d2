// SPDX-License-Identifier: GPL-3.0-or-later
// Real ranks that meet, or do not, in each of the three ways.
#include "tests/trainer/ranks.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QTest>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>
#include <vector>

using namespace lockstep::test;

namespace {

constexpr int kRendezvous = 6;
constexpr int kMismatch = 10;

// Another program on the port that rank 0 was to have.
class Listener {
public:
    enum class Then { Stays, Leaves };

    Listener(const QByteArray& says, Then then) : m_descriptor(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))
    {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        auto* name = reinterpret_cast<sockaddr*>(&address);
        if (bind(m_descriptor, name, size) != 0 || listen(m_descriptor, 16) != 0 ||
            getsockname(m_descriptor, name, &size) != 0)
            qFatal("cannot listen on loopback");
        m_port = ntohs(address.sin_port);
        m_thread = std::thread([this, says, then] { serve(says, then); });
    }
    ~Listener()
    {
        shutdown(m_descriptor, SHUT_RDWR); // accept() returns
        m_thread.join();
        close(m_descriptor);
    }
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

    [[nodiscard]] int port() const { return m_port; }

private:
    void serve(const QByteArray& says, Then then) const
    {
        std::vector<int> guests;
        for (int guest = 0; (guest = accept(m_descriptor, nullptr, nullptr)) >= 0;) {
            send(guest, says.constData(), static_cast<std::size_t>(says.size()), MSG_NOSIGNAL);
            if (then == Then::Leaves)
                close(guest);
            else
                guests.push_back(guest);
        }
        for (const int guest : guests)
            close(guest);
    }

    int m_descriptor;
    int m_port = 0;
    std::thread m_thread;
};

QString urlFor(const QString& way, const QTemporaryDir& folder, int port)
{
    if (way == "tcp")
        return QStringLiteral("tcp://127.0.0.1:%1").arg(port);
    return way == "file" ? "file://" + folder.filePath("meet") : QStringLiteral("env://");
}

void ways()
{
    QTest::addColumn<QString>("way");
    for (const char* way : {"env", "tcp", "file"})
        QTest::newRow(way) << QString(way);
}

} // namespace

class TestRendezvous : public QObject {
    Q_OBJECT

private slots:
    void allThreeWaysLeadTogether_data() { ways(); }
    void allThreeWaysLeadTogether();
    void aLateRankZeroIsWaitedFor_data() { ways(); }
    void aLateRankZeroIsWaitedFor();
    void ranksInTheUrl();
    void aFileThatWasLeftOverIsNoObstacle();
    void anythingElseThereIsRefused_data();
    void anythingElseThereIsRefused();
    void missingRanksAreNamedOnEveryOther_data() { ways(); }
    void missingRanksAreNamedOnEveryOther();
    void aMissingRankZeroIsNamed();
    void anotherNumberOfRanksIsTold();
    void anotherProgramsPortIsTold_data();
    void anotherProgramsPortIsTold();
};

void TestRendezvous::allThreeWaysLeadTogether()
{
    QFETCH(QString, way);
    const QTemporaryDir folder;
    Ranks ranks(3, quick({"--steps", "2", "--init", urlFor(way, folder, freePort())}));
    QVERIFY(ranks.finish());
    for (int rank = 0; rank < 3; ++rank)
        QVERIFY2(ranks.exitCode(rank) == 0, ranks.errors(rank).constData());
    QVERIFY(!QFile::exists(folder.filePath("meet"))); // rank 0 tidies up
}

void TestRendezvous::aLateRankZeroIsWaitedFor()
{
    constexpr int kLateMs = 2000;
    QFETCH(QString, way);
    const QTemporaryDir folder;
    const QString url = urlFor(way, folder, freePort());
    const QStringList options = quick({"--steps", "2", "--rendezvous-timeout", "40", "--init", url});
    Ranks ranks(3, options, [](Start& start) { start.absent = start.rank == 0; });
    QVERIFY2(!ranks.process(1).waitForFinished(kLateMs), ranks.errors(1).constData());
    QVERIFY2(!ranks.process(2).waitForFinished(1), ranks.errors(2).constData());
    ranks.process(0).start(trainerProgram(), options);
    QVERIFY(ranks.finish());
    for (int rank = 0; rank < 3; ++rank)
        QVERIFY2(ranks.exitCode(rank) == 0, ranks.errors(rank).constData());
}

void TestRendezvous::ranksInTheUrl()
{
    const QString url = QStringLiteral("tcp://127.0.0.1:%1?world_size=2&rank=").arg(freePort());
    Ranks ranks(2, quick({"--steps", "2"}), [&url](Start& start) {
        for (const char* name : {"RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"})
            start.environment.remove(name);
        start.options += {"--init", url + QString::number(start.rank)};
    });
    QVERIFY(ranks.finish());
    for (int rank = 0; rank < 2; ++rank)
        QVERIFY2(ranks.exitCode(rank) == 0, ranks.errors(rank).constData());
    QCOMPARE(ranks.fact(1, "world"), std::string("2"));
}

void TestRendezvous::aFileThatWasLeftOverIsNoObstacle()
{
    const QTemporaryDir folder;
    const QStringList options = quick({"--steps", "2", "--init", urlFor("file", folder, 0)});
    Ranks failed(2, options + QStringList{"--rendezvous-timeout", "1"},
                 [](Start& start) { start.absent = start.rank == 1; });
    QVERIFY(failed.finish());
    QCOMPARE(failed.exitCode(0), kRendezvous);
    QVERIFY(QFile::exists(folder.filePath("meet")));
    Ranks ranks(2, options);
    QVERIFY(ranks.finish());
    for (int rank = 0; rank < 2; ++rank)
        QVERIFY2(ranks.exitCode(rank) == 0, ranks.errors(rank).constData());
}

void TestRendezvous::anythingElseThereIsRefused_data()
{
    QTest::addColumn<QByteArray>("content"); // null: a folder
    QTest::newRow("text") << QByteArray("garbage\n");
    QTest::newRow("few bytes") << QByteArray("ab");
    QTest::newRow("zeros") << QByteArray(64, '\0');
    QTest::newRow("a length that is none") << QByteArray("\xff\xff\xff\xff/key");
    QTest::newRow("folder") << QByteArray();
}

void TestRendezvous::anythingElseThereIsRefused()
{
    QFETCH(QByteArray, content);
    const QTemporaryDir folder;
    const QString path = folder.filePath("meet");
    if (content.isNull()) {
        QVERIFY(QDir().mkdir(path));
    } else {
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        QCOMPARE(file.write(content), content.size());
    }
    Ranks ranks(2, {"--rendezvous-timeout", "20", "--init", urlFor("file", folder, 0)});
    QVERIFY(ranks.finish());
    for (int rank = 0; rank < 2; ++rank) {
        QCOMPARE(ranks.exitCode(rank), 6);
        QVERIFY(ranks.errors(rank).contains("name one that is not there yet"));
    }
}

void TestRendezvous::missingRanksAreNamedOnEveryOther()
{
    QFETCH(QString, way);
    const QTemporaryDir folder;
    const QStringList options = {"--rendezvous-timeout", "3", "--init", urlFor(way, folder, freePort())};
    Ranks ranks(4, quick(options), [](Start& start) { start.absent = start.rank == 1 || start.rank == 2; });
    QVERIFY(ranks.finish());
    for (const int rank : {0, 3}) {
        const QByteArray errors = ranks.errors(rank);
        QVERIFY2(errors.contains("2 of 4 ranks did not come to") && errors.contains("missing 1, 2; here 0, 3"),
                 errors.constData());
        QCOMPARE(errors.count('\n'), 1);
        QCOMPARE(ranks.exitCode(rank), kRendezvous);
    }
}

void TestRendezvous::aMissingRankZeroIsNamed()
{
    const QTemporaryDir folder;
    const QStringList options = {"--rendezvous-timeout", "2", "--init", urlFor("file", folder, 0)};
    Ranks ranks(3, quick(options), [](Start& start) { start.absent = start.rank == 0; });
    QVERIFY(ranks.finish());
    for (const int rank : {1, 2}) {
        const QByteArray errors = ranks.errors(rank);
        QVERIFY2(errors.contains("1 of 3 ranks did not come to") && errors.contains("missing 0; here 1, 2"),
                 errors.constData());
        QCOMPARE(ranks.exitCode(rank), kRendezvous);
    }
}

void TestRendezvous::anotherNumberOfRanksIsTold()
{
    Ranks ranks(3, quick({"--rendezvous-timeout", "20"}), [](Start& start) {
        if (start.rank == 2)
            start.environment.insert("WORLD_SIZE", "4");
    });
    QVERIFY(ranks.finish());
    for (int rank = 0; rank < 3; ++rank) {
        const QByteArray errors = ranks.errors(rank);
        QVERIFY2(errors.contains("rank 2 has WORLD_SIZE 4, rank 0 has 3"), errors.constData());
        QCOMPARE(ranks.exitCode(rank), kMismatch);
    }
}

void TestRendezvous::anotherProgramsPortIsTold_data()
{
    QTest::addColumn<QByteArray>("says"); // to whoever comes
    QTest::addColumn<bool>("leaves");     // closes at once
    QTest::newRow("nothing") << QByteArray() << false;
    QTest::newRow("a banner") << QByteArray("SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n") << false;
    QTest::newRow("it closes") << QByteArray() << true;
}

void TestRendezvous::anotherProgramsPortIsTold()
{
    QFETCH(QByteArray, says);
    QFETCH(bool, leaves);
    const Listener other(says, leaves ? Listener::Then::Leaves : Listener::Then::Stays);
    QElapsedTimer timer;
    timer.start();
    Ranks ranks(2, quick({"--rendezvous-timeout", "4"}),
                [&other](Start& start) { start.environment.insert("MASTER_PORT", QString::number(other.port())); });
    QVERIFY(ranks.finish());
    QVERIFY2(timer.elapsed() < 4000 + 10'000, qPrintable(QString::number(timer.elapsed()))); // and the start of both
    for (int rank = 0; rank < 2; ++rank) {
        const QByteArray errors = ranks.errors(rank);
        QVERIFY2(errors.contains(rank == 0 ? "cannot meet at 127.0.0.1:" : "does another program have that port?"),
                 errors.constData());
        QCOMPARE(errors.count('\n'), 1);
        QCOMPARE(ranks.exitCode(rank), kRendezvous);
    }
}

QTEST_GUILESS_MAIN(TestRendezvous)
#include "tst_rendezvous.moc"
