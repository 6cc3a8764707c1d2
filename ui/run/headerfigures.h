// SPDX-License-Identifier: GPL-3.0-or-later
// Captions over values in a run's header. Where it is narrow, figures go from the right; the last one, the age of the
// newest record, goes last. Pure text in figuresOf(), painting in the widget.
#pragma once

#include "core/rundata.h"

#include <QColor>
#include <QWidget>

namespace lockstep::ui {

class Theme;

struct HeaderFigure {
    QString caption;
    QString value;     // strong
    QString rest = {}; // after it, in text2
    enum class Mood { Usual, Warn } mood = Mood::Usual;

    bool operator==(const HeaderFigure&) const = default;
};

[[nodiscard]] QList<HeaderFigure> figuresOf(const RunData& run, qint64 nowWallUs);
[[nodiscard]] double progressOf(const RunData& run); // [0, 1]

class HeaderFigures : public QWidget {
    Q_OBJECT

public:
    explicit HeaderFigures(Theme& theme, QWidget* parent = nullptr);
    void setFigures(QList<HeaderFigure> figures);
    [[nodiscard]] const QList<HeaderFigure>& figures() const { return m_figures; }
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    [[nodiscard]] int widthOf(const HeaderFigure& figure) const;

    Theme& m_theme;
    QList<HeaderFigure> m_figures;
};

} // namespace lockstep::ui
