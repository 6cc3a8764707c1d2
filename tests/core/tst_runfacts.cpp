// SPDX-License-Identifier: GPL-3.0-or-later
// What ranks say of themselves, side by side.
#include "core/runfacts.h"
#include "spools.h"

#include "core/rundecoder.h"

#include <QTest>

using namespace lockstep;

class TestRunFacts : public QObject {
    Q_OBJECT

private slots:
    void oneLineAValue();
    void ranges_data();
    void ranges();
};

void TestRunFacts::oneLineAValue()
{
    RunData data;
    data.setPlan({}, test::twoByTwo());
    RunDecoder decoder(0, 0);
    const QByteArray spool = test::hello(1'000'000, test::kStartUs) + "info 0 1200000 model=cnn device=cpu\n"
                                                                      "info 1 1200000 model=cnn device=cpu\n"
                                                                      "info 2 1200000 model=cnn device=cuda:0\n"
                                                                      "info 3 1200000 model=cnn device=cpu\n"
                                                                      "info 0 1300000 checkpoint=a\\sb.pt\n"
                                                                      "info 0 1400000 checkpoint=c.pt\n";
    data.apply(decoder.feed({spool.constData(), static_cast<std::size_t>(spool.size())}));
    const QList<RunFact> wanted{{"checkpoint", "c.pt", {0}, false},
                                {"device", "cpu", {0, 1, 3}, false},
                                {"device", "cuda:0", {2}, false},
                                {"model", "cnn", {0, 1, 2, 3}, true}};
    const QList<RunFact> facts = factsOf(data);
    QCOMPARE(facts.size(), wanted.size());
    for (qsizetype i = 0; i < facts.size(); ++i)
        QVERIFY2(facts[i] == wanted[i], qPrintable(facts[i].name + '=' + facts[i].value));
}

void TestRunFacts::ranges_data()
{
    QTest::addColumn<QList<int>>("ranks");
    QTest::addColumn<QString>("text");
    QTest::newRow("none") << QList<int>{} << "";
    QTest::newRow("one") << QList<int>{3} << "3";
    QTest::newRow("a run") << QList<int>{0, 1, 2, 3} << "0-3";
    QTest::newRow("mixed") << QList<int>{0, 1, 5, 7, 8} << "0-1, 5, 7-8";
}

void TestRunFacts::ranges()
{
    QFETCH(QList<int>, ranks);
    QTEST(rankRanges(ranks), "text");
}

QTEST_GUILESS_MAIN(TestRunFacts)
#include "tst_runfacts.moc"
