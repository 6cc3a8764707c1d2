// SPDX-License-Identifier: GPL-3.0-or-later
// How many may sign in at once: grows while it goes well, halves once when the server hangs up.
#include "remote/connectwindow.h"

#include <QTest>

using namespace lockstep;

class TestConnectWindow : public QObject {
    Q_OBJECT

private slots:
    void letsEightIn();
    void growsWithSuccess();
    void halvesOnceForOneOverload();
    void passesOverWhoGaveUp();

private:
    static int enterMany(ConnectWindow& window, int count, int& inside)
    {
        for (int i = 0; i < count; ++i)
            window.enter("gpu1 22", [&inside] { return ++inside > 0; });
        return inside;
    }
};

void TestConnectWindow::letsEightIn()
{
    ConnectWindow window;
    int inside = 0, other = 0;
    QCOMPARE(enterMany(window, 64, inside), 8);
    window.enter("gpu2 22", [&other] { return ++other > 0; });
    QCOMPARE(other, 1); // another server has a window of its own
    window.leave("gpu1 22", ConnectWindow::Left::Otherwise);
    QCOMPARE(inside, 9);
}

void TestConnectWindow::growsWithSuccess()
{
    ConnectWindow window;
    int inside = 0;
    enterMany(window, 200, inside);
    for (int left = 0; left < 100; ++left)
        window.leave("gpu1 22", ConnectWindow::Left::SignedIn);
    QVERIFY2(window.width("gpu1 22") > 15 && window.width("gpu1 22") < 20, QByteArray::number(window.width("gpu1 22")));
    QCOMPARE(inside - 100, static_cast<int>(window.width("gpu1 22")));
}

void TestConnectWindow::halvesOnceForOneOverload()
{
    ConnectWindow window;
    int inside = 0;
    enterMany(window, 64, inside);
    for (int left = 0; left < 8; ++left) // the server dropped all of them: one overload
        window.leave("gpu1 22", ConnectWindow::Left::HungUp);
    QCOMPARE(window.width("gpu1 22"), 4.0);
    QCOMPARE(inside, 8 + 4);
    for (int left = 0; left < 4; ++left)
        window.leave("gpu1 22", ConnectWindow::Left::HungUp);
    QCOMPARE(window.width("gpu1 22"), 2.0);
}

void TestConnectWindow::passesOverWhoGaveUp()
{
    ConnectWindow window;
    int inside = 0;
    enterMany(window, 8, inside);
    window.enter("gpu1 22", [] { return false; });
    enterMany(window, 1, inside);
    QCOMPARE(inside, 8);
    window.leave("gpu1 22", ConnectWindow::Left::Otherwise);
    QCOMPARE(inside, 9);
}

QTEST_GUILESS_MAIN(TestConnectWindow)
#include "tst_connectwindow.moc"
