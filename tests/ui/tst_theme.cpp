// SPDX-License-Identifier: GPL-3.0-or-later
// The token table: its contrast as the design states it, the interpolation of utilisation, the switch of schemes.
#include "ui/theme.h"

#include <QApplication>
#include <QPalette>
#include <QSignalSpy>
#include <QTest>

#include <algorithm>
#include <cmath>

using namespace lockstep::ui;

namespace {

using Grounds = std::initializer_list<QColor Tokens::*>;
constexpr Grounds kText{&Tokens::surface, &Tokens::window, &Tokens::rail, &Tokens::sel};
constexpr Grounds kFields{&Tokens::surface, &Tokens::window}; // controls never stand on the rail or a selected row

double least(const Tokens& t, const QColor& colour, Grounds grounds)
{
    double worst = 21;
    for (const auto ground : grounds)
        worst = std::min(worst, contrast(colour, t.*ground));
    return worst;
}

double oneDecimal(double value)
{
    return std::round(value * 10) / 10;
}

} // namespace

class TestTheme : public QObject {
    Q_OBJECT

private slots:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support)"))); }

    void contrastTable_data()
    {
        QTest::addColumn<int>("scheme");
        QTest::addColumn<double>("computed");
        QTest::addColumn<double>("stated");
        const auto rows = [](Scheme scheme, const std::initializer_list<double>& stated) {
            const Tokens& t = tokens(scheme);
            const auto value = [&](QColor Tokens::*token) { return least(t, t.*token, kText); };
            const auto [seriesLow, seriesHigh] =
                std::ranges::minmax(t.series, {}, [&](const QColor& c) { return contrast(c, t.surface); });
            const auto [cellLow, cellHigh] =
                std::ranges::minmax(t.utilisation, {}, [&](const QColor& c) { return contrast(c, t.onUtilisation); });
            const std::initializer_list<std::pair<const char*, double>> computed{
                {"text", value(&Tokens::text)},
                {"text2", value(&Tokens::text2)},
                {"text3", value(&Tokens::text3)},
                {"ok", value(&Tokens::ok)},
                {"running", value(&Tokens::running)},
                {"accent", value(&Tokens::accent)},
                {"idle", value(&Tokens::idle)},
                {"warn", value(&Tokens::warn)},
                {"bad", value(&Tokens::bad)},
                {"on accent", contrast(t.onAccent, t.accent)},
                {"warn on its ground", contrast(t.warn, t.warnGround)},
                {"bad on its ground", contrast(t.bad, t.badGround)},
                {"control", least(t, t.control, kFields)},
                {"series, lowest", contrast(seriesLow, t.surface)},
                {"series, highest", contrast(seriesHigh, t.surface)},
                {"text in cells, lowest", contrast(cellLow, t.onUtilisation)},
                {"text in cells, highest", contrast(cellHigh, t.onUtilisation)}};
            QCOMPARE(computed.size(), stated.size());
            for (std::size_t i = 0; i < computed.size(); ++i)
                QTest::addRow("%s: %s", scheme == Scheme::Light ? "light" : "dark", computed.begin()[i].first)
                    << static_cast<int>(scheme) << computed.begin()[i].second << stated.begin()[i];
        };
        rows(Scheme::Light, {13.8, 6.6, 4.8, 4.6, 5.2, 5.2, 4.7, 4.8, 5.3, 6.3, 5.5, 5.8, 3.1, 3.2, 10.3, 6.3, 15.9});
        rows(Scheme::Dark, {10.0, 6.1, 4.8, 5.6, 5.0, 5.0, 4.7, 6.3, 4.8, 7.7, 7.7, 6.2, 3.7, 5.8, 10.2, 5.1, 14.8});
    }
    void contrastTable()
    {
        QFETCH(double, computed);
        QFETCH(double, stated);
        QCOMPARE(oneDecimal(computed), stated);
    }

    void contrastOfKnownPairs()
    {
        QCOMPARE(contrast(Qt::black, Qt::white), 21.0);
        QCOMPARE(contrast(QColor(0x777777u), QColor(0x777777u)), 1.0);
    }

    void utilisation_data()
    {
        QTest::addColumn<double>("fraction");
        QTest::addColumn<QColor>("light");
        QTest::newRow("nothing") << 0.0 << QColor(0xEEF1F5u);
        QTest::newRow("a third") << 1.0 / 3 << QColor(0xD3DDF6u);
        QTest::newRow("two thirds") << 2.0 / 3 << QColor(0xA8BCF0u);
        QTest::newRow("all") << 1.0 << QColor(0x7896EAu);
        QTest::newRow("more than all") << 1.7 << QColor(0x7896EAu);
        QTest::newRow("below nothing") << -0.2 << QColor(0xEEF1F5u);
        QTest::newRow("half way of the first third") << 1.0 / 6 << QColor(0xE1, 0xE7, 0xF6);
    }
    void utilisation()
    {
        QFETCH(double, fraction);
        QFETCH(QColor, light);
        QCOMPARE(utilisationColour(tokens(Scheme::Light), fraction).name(), light.name());
    }

    void seriesRepeatHuesWithOtherDashes()
    {
        const Tokens& t = tokens(Scheme::Light);
        QCOMPARE(seriesColour(t, 9), seriesColour(t, 1));
        QVERIFY(seriesDash(1).isEmpty());
        QCOMPARE(seriesDash(9), (QList<qreal>{6, 3}));
        QCOMPARE(seriesDash(31), (QList<qreal>{8, 3, 2, 3}));
    }

    void everyIconIsThere_data()
    {
        QTest::addColumn<int>("icon");
        for (int icon = 0; icon < kIconCount; ++icon)
            QTest::newRow(qPrintable(iconFile(static_cast<Icon>(icon)))) << icon;
    }
    void everyIconIsThere()
    {
        QFETCH(int, icon);
        const QColor colour(0xB3261Eu);
        const QImage image = iconPixmap(static_cast<Icon>(icon), colour, 16, 2).toImage();
        QCOMPARE(image.size(), QSize(32, 32));
        bool tinted = false;
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x) {
                const QColor pixel = image.pixelColor(x, y);
                tinted =
                    tinted || (pixel.alpha() > 200 && std::abs(pixel.red() - colour.red()) < 8 && pixel.green() < 80);
            }
        QVERIFY2(tinted, "nothing of the icon has the colour asked for");
    }

    void switchingTheSchemeRepaintsEverything()
    {
        Theme theme(*qApp);
        theme.setChoice(SchemeChoice::Light);
        QSignalSpy changed(&theme, &Theme::changed);
        theme.setChoice(SchemeChoice::Dark);
        QCOMPARE(changed.size(), 1);
        QCOMPARE(QApplication::palette().color(QPalette::Window), tokens(Scheme::Dark).window);
        QVERIFY(qApp->styleSheet().contains(tokens(Scheme::Dark).accent.name()));
        theme.setChoice(SchemeChoice::Dark);
        QCOMPARE(changed.size(), 1); // nothing changed, nothing repainted
        theme.setChoice(SchemeChoice::Light);
        QCOMPARE(QApplication::palette().color(QPalette::Window), tokens(Scheme::Light).window);
    }

    void digitsAreEquallyWide()
    {
        Theme theme(*qApp);
        const QFontMetricsF metrics(theme.font(FontRole::Cell));
        for (char16_t digit = u'1'; digit <= u'9'; ++digit)
            QCOMPARE(metrics.horizontalAdvance(QChar(digit)), metrics.horizontalAdvance(u'0'));
    }
};

QTEST_MAIN(TestTheme)
#include "tst_theme.moc"
