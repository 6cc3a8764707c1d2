// SPDX-License-Identifier: GPL-3.0-or-later
// What a table's cell shows beyond its text. Models hand it out under kCellRole; CellDelegate draws it.
// Qt::DisplayRole always holds the same as words (sorting by text, copying, screen readers).
#pragma once

#include "ui/icon.h"
#include "ui/widgets/tone.h"

#include <QMetaType>
#include <QStringList>

#include <optional>
#include <vector>

namespace lockstep::ui {

inline constexpr int kCellRole = Qt::UserRole + 1;
inline constexpr int kSortRole = Qt::UserRole + 2; // a number or a text; missing: DisplayRole

struct Cell {
    QString text;
    Tone tone = Tone::Text;
    FontRole font = FontRole::Cell;
    QString suffix;                // after the text, in text2 and not strong: " #12"
    QString source;                // second line, 11 px, text2
    std::optional<Icon> icon = {}; // before the text, in its tone
    std::optional<Tone> iconTone = {};
    QString action;                 // accent words at the right edge: "Accept…"
    std::optional<int> series = {}; // number of the square before everything; -1 keeps its place empty
    std::optional<double> bar = {}; // 48 × 6, fraction; before the text
    std::vector<double> bars;       // fractions, a 5 × 14 bar each, after the text; < 0: unknown
    std::vector<float> sparkline;
    int sparklineSeries = -1; // its colour while selected
    QStringList tags;

    bool operator==(const Cell&) const = default;
};

} // namespace lockstep::ui

Q_DECLARE_METATYPE(lockstep::ui::Cell)
