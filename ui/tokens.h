// SPDX-License-Identifier: GPL-3.0-or-later
// Every colour of the screen, once: light and dark. What draws takes its colours from here, and again when the scheme
// changes.
#pragma once

#include <QColor>
#include <QPalette>

#include <array>

namespace lockstep::ui {

enum class Scheme { Light, Dark };
enum class StepPart { Data, Forward, Backward, Waiting, Optimiser };

struct Tokens {
    Scheme scheme;
    QColor window, rail, surface, alt, head, hover, sel; // grounds
    QColor border, grid, axis, track, control, button;   // lines, outlines, empty part of a bar
    QColor text, text2, text3, accent, onAccent;         // values, sentences, captions
    QColor ok, running, idle, warn, warnGround, bad, badGround;
    std::array<QColor, 8> series;      // by rank or by run; use seriesColour()
    std::array<QColor, 4> utilisation; // at 0, 1/3, 2/3, 1; use utilisationColour()
    QColor onUtilisation;              // words on any of them
    std::array<QColor, 5> stepParts;   // by StepPart
    double rawOpacity;                 // raw curve under the smoothed one
    double pinnedRawOpacity, overlaidRawOpacity;
    double outerBandOpacity, innerBandOpacity; // min–max and 10–90 %, in accent
    double overlaidBandOpacity, laneOpacity;
};

[[nodiscard]] const Tokens& tokens(Scheme scheme);
[[nodiscard]] QPalette palette(const Tokens& tokens);

inline constexpr int kMaxNamedCurves = 32; // beyond: bands
[[nodiscard]] QColor seriesColour(const Tokens& tokens, int number);
[[nodiscard]] QList<qreal> seriesDash(int number); // empty: solid; lengths in pixels of a 1 px pen
[[nodiscard]] QColor utilisationColour(const Tokens& tokens, double fraction); // clamped to [0, 1]
[[nodiscard]] QColor stepPartColour(const Tokens& tokens, StepPart part);
[[nodiscard]] QColor withOpacity(QColor colour, double opacity);

// WCAG 2.1 contrast of two opaque colours, 1 to 21.
[[nodiscard]] double contrast(const QColor& a, const QColor& b);

} // namespace lockstep::ui
