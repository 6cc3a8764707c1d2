// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/termchart.h"

#include "core/rundecoder.h"
#include "core/wire/encoder.h"

#include <QTest>

using namespace lockstep;

class TestTermChart : public QObject {
    Q_OBJECT

private:
    // Through the real path: records, decoder, data.
    static void feed(RunData& data, const std::vector<std::vector<double>>& lossesOfRanks, int attempt = 1)
    {
        std::string spool;
        wire::Encoder encoder(spool);
        encoder.begin("hello", wire::kNode, 1)
            .field("version", 1)
            .field("attempt", attempt)
            .field("wall_us", 1'000'000)
            .end();
        for (std::size_t rank = 0; rank < lossesOfRanks.size(); ++rank)
            for (std::size_t step = 0; step < lossesOfRanks[rank].size(); ++step)
                encoder.begin("metric", static_cast<int>(rank), static_cast<std::int64_t>(2 + step))
                    .field("step", step + 1)
                    .field("loss", lossesOfRanks[rank][step])
                    .end();
        RunState state;
        state.nodes = {NodeRunState()};
        state.attempt = attempt;
        for (std::size_t rank = 0; rank < lossesOfRanks.size(); ++rank)
            state.ranks.emplace_back().rank = static_cast<int>(rank);
        data.setState(state);
        RunDecoder decoder(0, 0);
        data.apply(decoder.feed(spool));
    }

    static int dots(const QString& line)
    {
        int count = 0;
        for (const QChar c : line)
            if (c.unicode() >= 0x2800 && c.unicode() <= 0x28FF)
                count += qPopulationCount(static_cast<quint8>(c.unicode() - 0x2800));
        return count;
    }

private slots:
    void nothingYet() { QVERIFY(lossChart(RunData(), 40, 5).isEmpty()); }

    void fallsFromTopLeftToBottomRight()
    {
        RunData data;
        feed(data, {{4, 3, 2, 1}, {4, 3, 2, 1}});
        const QStringList lines = lossChart(data, 40, 5).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        QCOMPARE(lines.size(), 6);
        QVERIFY2(lines[0].contains(QStringLiteral("2 ranks")), qPrintable(lines[0]));
        QVERIFY2(lines[1].trimmed().startsWith(QLatin1Char('4')), qPrintable(lines[1]));
        QVERIFY2(lines[5].trimmed().startsWith(QLatin1Char('1')), qPrintable(lines[5]));
        QVERIFY(dots(lines[1].left(12)) > 0);
        QVERIFY(dots(lines[5].right(4)) > 0);
        QCOMPARE(dots(lines[5].left(12)), 0);
    }

    void aRankOfTwoAttemptsIsOne()
    {
        RunData data;
        feed(data, {{4, 3}, {4, 3}}, 1);
        feed(data, {{2, 1}, {2, 1}}, 2);
        QVERIFY2(lossChart(data, 40, 5).contains(QStringLiteral("mean of 2 ranks")),
                 qPrintable(lossChart(data, 40, 5)));
    }

    void nanIsNoPoint()
    {
        RunData data;
        feed(data, {{std::nan(""), std::nan("")}});
        QVERIFY(lossChart(data, 40, 5).isEmpty());
    }

    void meanOverRanks()
    {
        RunData data;
        feed(data, {{2, 2}, {4, 4}});
        const QStringList lines = lossChart(data, 40, 5).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        QVERIFY2(lines[1].trimmed().startsWith(QLatin1Char('3')), qPrintable(lines[1]));
    }
};

QTEST_GUILESS_MAIN(TestTermChart)
#include "tst_termchart.moc"
