// SPDX-License-Identifier: GPL-3.0-or-later
// "The port is taken", as libraries spell it.
#include "remote/porttaken.h"

#include <QTest>

class TestPortTaken : public QObject {
    Q_OBJECT

private slots:
    void spellings_data();
    void spellings();
};

void TestPortTaken::spellings_data()
{
    QTest::addColumn<QString>("line");
    QTest::addColumn<bool>("taken");
    const auto row = [](const char* line, bool taken) { QTest::newRow(line) << QString::fromUtf8(line) << taken; };
    row("RuntimeError: The server socket has failed to listen on any local network address. port: 29500, useIpv6: "
        "false, code: -98, name: EADDRINUSE, message: address already in use",
        true);
    row("The server socket has failed to bind to [::]:29500 (errno: 98 - Address already in use).", true);
    row("OSError: [Errno 98] Address already in use", true);
    row("listen EADDRINUSE: 29500", true);
    row("bind: Address already in use", true);
    row("port 29500 is already in use", true);
    row("getaddrinfo: code: -98, name: UV_EADDRINUSE", true);
    row("OSError: [Errno 98] Die Adresse wird bereits verwendet", true);
    row("bind() failed, errno=98", true);
    row("Error { kind: AddrInUse } (os error 98)", true);
    row("{'errno': 98}", true);
    row("Address is already in use: bind", true);
    row("Port 29500 is in use by another process", true);
    row("port: 29500 already used", true);
    row("errno: 980", false);
    row("port 29500 in useful range", false);
    row("RuntimeError: [errno 111] Connection refused", false);
    row("loss 98 at errno", false);
    row("errno: 9 - Bad file descriptor", false);
    row("The port of entry is 2950", false);
}

void TestPortTaken::spellings()
{
    QFETCH(QString, line);
    QTEST(lockstep::saysPortTaken({QStringLiteral("step 3"), line, QStringLiteral("Traceback")}), "taken");
}

QTEST_GUILESS_MAIN(TestPortTaken)
#include "tst_porttaken.moc"
