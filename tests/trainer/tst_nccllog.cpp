// SPDX-License-Identifier: GPL-3.0-or-later
// The ways between GPUs, as NCCL's log tells them.
#include "trainer/nccllog.h"

#include <QTest>

using namespace lockstep::trainer;

class TestNcclLog : public QObject {
    Q_OBJECT

private slots:
    void transports_data();
    void transports();
};

void TestNcclLog::transports_data()
{
    QTest::addColumn<QByteArray>("log");
    QTest::addColumn<QByteArray>("expected");
    const QByteArray start = "n1:42:50 [0] NCCL INFO ";
    QTest::newRow("nothing") << QByteArray() << QByteArray();
    QTest::newRow("no channel") << start + "NET/Socket : Using [0]eth0:10.0.0.1<0>\n" << QByteArray();
    QTest::newRow("one node") << start + "Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM\n" + start +
                                     "Channel 01/0 : 0[0] -> 1[1] via P2P/CUMEM\n"
                              << QByteArray("P2P/CUMEM");
    QTest::newRow("through the processor") << start + "Channel 00 : 0[0] -> 1[1] via SHM/direct/direct\n"
                                           << QByteArray("SHM/direct/direct");
    QTest::newRow("two nodes") << start + "Channel 00/0 : 0[0] -> 1[1] via P2P/IPC/read\n" + start +
                                      "Channel 00/0 : 3[3] -> 0[0] [receive] via NET/IB/0/GDRDMA\n" + start +
                                      "Channel 01/0 : 3[3] -> 0[0] [receive] via NET/IB/1/GDRDMA\n"
                               << QByteArray("P2P/IPC/read, NET/IB/GDRDMA");
    QTest::newRow("sockets, shared") << start + "Channel 00/0 : 1[0] -> 0[0] [send] via NET/Socket/0(1)/Shared"
                                     << QByteArray("NET/Socket");
    QTest::newRow("cut off") << start + "Channel 00/0 : 1[0] -> 0[0] [send] vi" << QByteArray();
}

void TestNcclLog::transports()
{
    QFETCH(QByteArray, log);
    QFETCH(QByteArray, expected);
    QCOMPARE(QByteArray::fromStdString(ncclTransports(log.toStdString())), expected);
}

QTEST_GUILESS_MAIN(TestNcclLog)
#include "tst_nccllog.moc"
