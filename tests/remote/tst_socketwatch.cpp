// SPDX-License-Identifier: GPL-3.0-or-later
// Being told of sockets: of what was asked only, and whatever the one who is told does to the watches.
#include "remote/descriptor.h"
#include "remote/socketwatch.h"

#include <QTemporaryFile>
#include <QTest>

#include <cerrno>
#include <memory>
#include <sys/socket.h>

using namespace lockstep;

namespace {

struct Pair { // `here` is watched
    Descriptor here, there;

    Pair()
    {
        int ends[2] = {-1, -1};
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0)
            qFatal("no socketpair");
        here.reset(ends[0]);
        there.reset(ends[1]);
    }
    void say() const { QCOMPARE(send(there.get(), "x", 1, 0), 1); }
    void hear() const
    {
        char byte = 0;
        QCOMPARE(recv(here.get(), &byte, 1, 0), 1);
    }
};

// One turn of the event loop, after which a socket that is ready has been told of.
void turn()
{
    QCoreApplication::processEvents();
}

} // namespace

class TestSocketWatch : public QObject {
    Q_OBJECT

private slots:
    void tellsOfWhatIsAskedOnly();
    void staysSilentOfAHangUpThatNobodyAskedFor();
    void mayDestroyItself();
    void mayDestroyAnother();
    void worksAfterTheLastOneWent();
    void saysWhatCannotBeWatched();
};

void TestSocketWatch::tellsOfWhatIsAskedOnly()
{
    const Pair pair;
    int told = 0;
    SocketWatch watch(pair.here.get(), [&told] { ++told; });
    pair.say();
    turn();
    QCOMPARE(told, 0); // nothing is watched at first
    watch.setReading(true);
    QTRY_VERIFY(told > 0);
    pair.hear();
    turn();
    told = 0;
    turn();
    QCOMPARE(told, 0); // nothing is left to read
    watch.setWriting(true);
    QTRY_VERIFY(told > 0);
    watch.setWriting(false);
    told = 0;
    turn();
    QCOMPARE(told, 0);
    pair.say();
    QTRY_VERIFY(told > 0); // reading is watched as before
    watch.setReading(false);
    told = 0;
    turn();
    QCOMPARE(told, 0);
    QCOMPARE(watch.error(), 0);
}

void TestSocketWatch::staysSilentOfAHangUpThatNobodyAskedFor()
{
    Pair pair;
    int told = 0;
    SocketWatch watch(pair.here.get(), [&told] { ++told; });
    watch.setReading(true);
    watch.setReading(false);
    pair.there.reset();
    turn();
    QCOMPARE(told, 0);
    watch.setReading(true);
    QTRY_VERIFY(told > 0);
}

void TestSocketWatch::mayDestroyItself()
{
    const Pair pair, other;
    int told = 0, otherTold = 0;
    std::unique_ptr<SocketWatch> watch;
    watch = std::make_unique<SocketWatch>(pair.here.get(), [&] {
        ++told;
        watch.reset(); // the last one: what tells of it goes, too
    });
    watch->setReading(true);
    pair.say();
    QTRY_COMPARE(told, 1);
    turn();
    QCOMPARE(told, 1);
    SocketWatch next(other.here.get(), [&otherTold] { ++otherTold; });
    next.setReading(true);
    other.say();
    QTRY_VERIFY(otherTold > 0);
    QCOMPARE(told, 1);
}

// Both are ready in the same turn; whichever comes first takes the other's turn away.
void TestSocketWatch::mayDestroyAnother()
{
    const Pair pairs[2];
    std::unique_ptr<SocketWatch> watches[2];
    int told = 0;
    for (int i = 0; i < 2; ++i) {
        watches[i] = std::make_unique<SocketWatch>(pairs[i].here.get(), [&, i] {
            ++told;
            pairs[i].hear();
            watches[1 - i].reset();
        });
        watches[i]->setReading(true);
        pairs[i].say();
    }
    QTRY_COMPARE(told, 1);
    turn();
    QCOMPARE(told, 1);
    QVERIFY((watches[0] == nullptr) != (watches[1] == nullptr));
}

void TestSocketWatch::worksAfterTheLastOneWent()
{
    const Pair pair;
    for (int round = 0; round < 3; ++round) {
        int told = 0;
        SocketWatch watch(pair.here.get(), [&] {
            ++told;
            pair.hear();
        });
        watch.setReading(true);
        pair.say();
        QTRY_COMPARE(told, 1);
    }
}

void TestSocketWatch::saysWhatCannotBeWatched()
{
    QTemporaryFile file;
    QVERIFY(file.open());
    SocketWatch plain(file.handle(), [] {});
    plain.setReading(true);
    QCOMPARE(plain.error(), EPERM); // files are always ready
    Pair pair;
    int told = 0;
    SocketWatch beside(pair.here.get(), [&told] { ++told; });
    beside.setReading(true);
    QCOMPARE(beside.error(), 0);
    pair.say();
    QTRY_VERIFY(told > 0);
}

QTEST_GUILESS_MAIN(TestSocketWatch)
#include "tst_socketwatch.moc"
