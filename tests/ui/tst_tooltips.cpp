// SPDX-License-Identifier: GPL-3.0-or-later
// Text from outside in tool tips: shown as it was written, also where it looks like HTML.
#include "tests/ui/uitest.h"
#include "ui/widgets/cellmodel.h"
#include "ui/widgets/elidedlabel.h"
#include "ui/widgets/field.h"

#include <QTextDocument>

using namespace lockstep::ui;

namespace {

class OneCell final : public CellModel {
public:
    explicit OneCell(QString hint) : CellModel({{"value"}}, nullptr), m_hint(std::move(hint)) {}

private:
    [[nodiscard]] int rowsShown() const override { return 1; }
    [[nodiscard]] Cell cellAt(int, int) const override { return {}; }
    [[nodiscard]] QString hintAt(int, int) const override { return m_hint; }

    QString m_hint;
};

// What a person reads: a tool tip takes for HTML what looks like it.
QString seen(const QString& toolTip)
{
    if (!Qt::mightBeRichText(toolTip))
        return toolTip;
    QTextDocument document;
    document.setHtml(toolTip);
    return document.toPlainText();
}

} // namespace

class TstToolTips : public UiTest {
    Q_OBJECT

private slots:
    void areShownAsWritten_data()
    {
        QTest::addColumn<QString>("text");
        QTest::newRow("words") << "There is no folder /data/x";
        QTest::newRow("a comparison") << "1 < 2 && 3 > 2";
        QTest::newRow("bold") << "<b>x</b>";
        QTest::newRow("an entity behind a tag") << "<i>x</i> &amp; y";
        QTest::newRow("a picture") << "<img src=\"/etc/motd\">";
        QTest::newRow("two lines") << "<b>one</b>\n  two";
    }

    void areShownAsWritten()
    {
        QFETCH(QString, text);
        Field field(*m_theme, QString());
        field.setWrong(text);
        QCOMPARE(seen(field.toolTip()), text);
        ElidedLabel label(*m_theme, FontRole::Cell, Tone::Text, text);
        label.resize(8, 20); // too narrow for any of them
        (void)label.grab();
        QCOMPARE(seen(label.toolTip()), text);
        const OneCell model(text);
        QCOMPARE(seen(model.index(0, 0).data(Qt::ToolTipRole).toString()), text);
    }
};

QTEST_MAIN(TstToolTips)
#include "tst_tooltips.moc"
