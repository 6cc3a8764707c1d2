// SPDX-License-Identifier: GPL-3.0-or-later
// Grounds, lines and header strips that pages are put together from.
#pragma once

#include "ui/widgets/tone.h"

#include <QFrame>

class QHBoxLayout;
class QScrollArea;
class QVBoxLayout;

namespace lockstep::ui {

enum class Ground { Window, Rail, Surface, Alt, Card, Warn, Bad };

// A frame with the ground of a token; children through its layout.
[[nodiscard]] QFrame* makeGround(Ground ground, QWidget* parent = nullptr);
void setGround(QFrame& frame, Ground ground);

enum class LineKind { Border, Grid };
[[nodiscard]] QFrame* makeLine(LineKind kind, Qt::Orientation orientation);

// Scrolls `content` up and down where it needs more height than there is; never sideways.
[[nodiscard]] QScrollArea* makeScroll(QWidget* content);

[[nodiscard]] QVBoxLayout* makeColumn(QWidget* parent); // no margins, no spacing
[[nodiscard]] QHBoxLayout* makeRow(QWidget* parent);    // no margins, spacing 8

// A strip of fixed height with margins 16: title, then what is added to row(). A border line at its lower edge.
class PanelHeader : public QFrame {
    Q_OBJECT

public:
    PanelHeader(const Theme& theme, const QString& title, int heightAt100, QWidget* parent = nullptr);
    [[nodiscard]] QHBoxLayout& row() { return *m_row; }
    void setTitle(const QString& title);
    void setCaption(const QString& caption); // after the title, in text2

private:
    QHBoxLayout* m_row;
    QLabel* m_title;
    QLabel* m_caption;
};

} // namespace lockstep::ui
