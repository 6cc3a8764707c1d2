// SPDX-License-Identifier: GPL-3.0-or-later
// The 28 px line above a plot: title, legend with values, and at the right how much and how new it is. What does not
// fit is left out from the legend's end, never cut in the middle of a word.
#pragma once

#include <QColor>
#include <QList>
#include <QString>
#include <QWidget>

namespace lockstep::ui {

class Theme;

struct LegendEntry {
    enum class Mark { None, Line, Square, Cross };
    Mark mark = Mark::None;
    QColor colour = {}; // of the mark; words stay in the text colours, a series colour has too little contrast
    QList<qreal> dash = {};
    QString name = {}; // with Mark::None: a caption in text2
    QString value = {};
    QColor words = {}; // invalid: the usual

    bool operator==(const LegendEntry&) const = default;
};

class PlotHeader : public QWidget {
    Q_OBJECT

public:
    PlotHeader(Theme& theme, const QString& title, QWidget* parent = nullptr);

    void setTitle(const QString& title);
    void setLegend(QList<LegendEntry> legend);
    void setNote(const QString& note); // right
    [[nodiscard]] const QList<LegendEntry>& legend() const { return m_legend; }
    [[nodiscard]] QString note() const { return m_note; }
    [[nodiscard]] QString title() const { return m_title; }

signals:
    void legendClicked(); // turns between every rank and bands

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;

private:
    Theme& m_theme;
    QString m_title;
    QList<LegendEntry> m_legend;
    QString m_note;
};

} // namespace lockstep::ui
