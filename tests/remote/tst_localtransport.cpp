// SPDX-License-Identifier: GPL-3.0-or-later
// This machine as a node: what a program gets, what it says, how it ends, and every way in which a wait ends.
#include "remote/localtransport.h"
#include "tests/remote/argumentrows.h"

#include <QTest>

#include <csignal>
#include <thread>

using namespace lockstep;
using namespace std::chrono_literals;

namespace {

constexpr auto kLimit = 30s;

Node thisMachine()
{
    Node node;
    node.name = QStringLiteral("here");
    node.local = true;
    return node;
}

Result<Finished> runHere(const QList<QByteArray>& argv, const QByteArray& input = {})
{
    LocalTransport transport(thisMachine());
    return transport.run(argv, input, Deadline::in(kLimit), {});
}

} // namespace

class TestLocalTransport : public QObject {
    Q_OBJECT

private slots:
    void endsWith_data();
    void endsWith();
    void passesWords_data();
    void passesWords();
    void refusesWords_data();
    void refusesWords();
    void movesManyBytesBothWays();
    void leavesInputThatNobodyReads();
    void waitEnds_data();
    void waitEnds();
    void losesNothingAtATimeout();
    void endsWhenDropped();
    void doesNotWaitForGrandchildren();
};

void TestLocalTransport::endsWith_data()
{
    QTest::addColumn<QList<QByteArray>>("argv");
    QTest::addColumn<QByteArray>("out");
    QTest::addColumn<QByteArray>("err");
    QTest::addColumn<int>("code");
    QTest::addColumn<QByteArray>("signal");
    using Words = QList<QByteArray>;
    QTest::newRow("nothing") << Words{"true"} << QByteArray() << QByteArray() << 0 << QByteArray();
    QTest::newRow("a code") << Words{"sh", "-c", "exit 7"} << QByteArray() << QByteArray() << 7 << QByteArray();
    QTest::newRow("both streams") << Words{"sh", "-c", "echo o; echo e >&2; exit 3"} << QByteArray("o\n")
                                  << QByteArray("e\n") << 3 << QByteArray();
    QTest::newRow("a signal") << Words{"sh", "-c", "kill -KILL $$"} << QByteArray() << QByteArray() << -1
                              << QByteArray("KILL");
    QTest::newRow("no such program") << Words{"/no/such/program"} << QByteArray()
                                     << QByteArray("/no/such/program: No such file or directory\n") << 127
                                     << QByteArray();
    QTest::newRow("no program") << Words{"/etc/passwd"} << QByteArray()
                                << QByteArray("/etc/passwd: Permission denied\n") << 126 << QByteArray();
}

void TestLocalTransport::endsWith()
{
    QFETCH(QList<QByteArray>, argv);
    const auto finished = runHere(argv);
    QVERIFY2(finished, qPrintable(finished ? QString() : finished.error().text));
    QTEST(finished->out, "out");
    QTEST(finished->err, "err");
    QTEST(finished->exitCode, "code");
    QTEST(finished->signal, "signal");
}

void TestLocalTransport::passesWords_data()
{
    QTest::addColumn<QByteArray>("word");
    for (const QByteArray& word : test::argumentWords())
        QTest::newRow(word.left(20).toPercentEncoding().constData()) << word;
}

void TestLocalTransport::passesWords()
{
    QFETCH(QByteArray, word);
    const auto finished = runHere({"printf", "%s\\0", word, "after"});
    QVERIFY(finished);
    QCOMPARE(finished->out, word + '\0' + QByteArray("after\0", 6));
}

void TestLocalTransport::refusesWords_data()
{
    QTest::addColumn<QList<QByteArray>>("argv");
    QTest::addColumn<QString>("says");
    using Words = QList<QByteArray>;
    QTest::newRow("no program") << Words{} << "no program";
    QTest::newRow("NUL") << Words{"echo", "a", QByteArray("ab\0c", 4)}
                         << "argument 2 for here holds a NUL byte (after \"ab\")";
    QTest::newRow("too long") << Words{"echo", QByteArray(131072, 'x')} << "argument 1 for here has 131072 bytes";
    QTest::newRow("an option") << Words{"-c"} << "starts with a dash";
}

void TestLocalTransport::refusesWords()
{
    QFETCH(QList<QByteArray>, argv);
    QFETCH(QString, says);
    const auto finished = runHere(argv);
    QVERIFY(!finished);
    QCOMPARE(finished.error().code, ErrorCode::BadInput);
    QVERIFY2(finished.error().text.contains(says), qPrintable(finished.error().text));
    QCOMPARE(finished.error().node, QStringLiteral("here"));
}

void TestLocalTransport::movesManyBytesBothWays()
{
    QByteArray bytes(40'000'000, '\0');
    quint32 state = 1;
    for (char& byte : bytes)
        byte = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
    const auto finished = runHere({"cat"}, bytes);
    QVERIFY(finished);
    QVERIFY(finished->out == bytes);
}

void TestLocalTransport::leavesInputThatNobodyReads()
{
    const auto finished = runHere({"sh", "-c", "exit 4"}, QByteArray(10'000'000, 'x'));
    QVERIFY(finished);
    QCOMPARE(finished->exitCode, 4);

    LocalTransport transport(thisMachine());
    auto process = transport.start({"true"}, Deadline::in(kLimit), {});
    QVERIFY(process);
    const auto written = (*process)->write(QByteArray(10'000'000, 'x'), Deadline::in(kLimit), {});
    QVERIFY(!written);
    QCOMPARE(written.error().code, ErrorCode::Protocol);
}

void TestLocalTransport::waitEnds_data()
{
    QTest::addColumn<QString>("by");
    QTest::addColumn<ErrorCode>("code");
    QTest::newRow("deadline") << "deadline" << ErrorCode::Timeout;
    QTest::newRow("stop") << "stop" << ErrorCode::Stopped;
    QTest::newRow("its transport goes") << "end" << ErrorCode::ConnectionLost;
}

void TestLocalTransport::waitEnds()
{
    QFETCH(QString, by);
    QFETCH(ErrorCode, code);
    auto transport = std::make_unique<LocalTransport>(thisMachine());
    auto process = transport->start({"sleep", "600"}, Deadline::in(kLimit), {});
    QVERIFY(process);
    std::stop_source stop;
    std::jthread other([&] {
        if (by == QLatin1String("stop"))
            stop.request_stop();
        if (by == QLatin1String("end"))
            transport.reset();
    });
    const auto read =
        (*process)->read(by == QLatin1String("deadline") ? Deadline::in(50ms) : Deadline::in(kLimit), stop.get_token());
    QVERIFY(!read);
    QCOMPARE(read.error().code, code);
}

void TestLocalTransport::losesNothingAtATimeout()
{
    LocalTransport transport(thisMachine());
    auto process = transport.start({"sh", "-c", "read x; echo got $x"}, Deadline::in(kLimit), {});
    QVERIFY(process);
    QCOMPARE((*process)->read(Deadline::in(20ms), {}).error().code, ErrorCode::Timeout);
    QVERIFY((*process)->write("it\n", Deadline::in(kLimit), {}));
    QByteArray out;
    for (;;) {
        const auto chunk = (*process)->read(Deadline::in(kLimit), {});
        QVERIFY(chunk);
        out += chunk->out;
        if (chunk->ended)
            break;
    }
    QCOMPARE(out, QByteArray("got it\n"));
}

void TestLocalTransport::endsWhenDropped()
{
    LocalTransport transport(thisMachine());
    auto process = transport.start({"sh", "-c", "echo $$; trap '' HUP TERM; while :; do sleep 600; done"},
                                   Deadline::in(kLimit), {});
    QVERIFY(process);
    const auto chunk = (*process)->read(Deadline::in(kLimit), {});
    QVERIFY(chunk);
    const auto pid = chunk->out.trimmed().toInt();
    QVERIFY(pid > 1);
    QCOMPARE(kill(pid, 0), 0);
    process->reset();
    QCOMPARE(kill(pid, 0), -1);
}

void TestLocalTransport::doesNotWaitForGrandchildren()
{
    // The grandchild keeps stdout open; what the program itself said must be there, and its end must be seen.
    const auto finished = runHere({"sh", "-c", "sleep 20 & echo $!"});
    QVERIFY(finished);
    const auto pid = finished->out.trimmed().toInt();
    QVERIFY(pid > 1);
    QCOMPARE(kill(pid, SIGKILL), 0); // it was still there
}

QTEST_GUILESS_MAIN(TestLocalTransport)
#include "tst_localtransport.moc"
