// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/stylesheet.h"

#include "ui/theme.h"

#include <QRegularExpression>

#include <utility>

namespace lockstep::ui {

namespace {

// `@name` is a colour token, `#N#` a length at 100 %.
constexpr char kSheet[] = R"(
QToolTip { background: @surface; color: @text; border: 1px solid @control; padding: #4#px #6#px; }
QFrame[ground="window"] { background: @window; }
QFrame[ground="rail"] { background: @rail; }
QFrame[ground="surface"] { background: @surface; }
QFrame[ground="alt"] { background: @alt; border: 1px solid @border; }
QFrame[ground="card"] { background: @surface; border: 1px solid @border; }
QFrame[ground="border"] { background: @border; }
QFrame[ground="grid"] { background: @grid; }
QFrame[ground="warn"] { background: @warnGround; }
QFrame[ground="bad"] { background: @badGround; }

QLabel[tone="text"] { color: @text; }
QLabel[tone="text2"] { color: @text2; }
QLabel[tone="text3"] { color: @text3; }
QLabel[tone="accent"] { color: @accent; }
QLabel[tone="ok"] { color: @ok; }
QLabel[tone="running"] { color: @running; }
QLabel[tone="idle"] { color: @idle; }
QLabel[tone="warn"] { color: @warn; }
QLabel[tone="bad"] { color: @bad; }
QLabel[look="key"] { color: @text2; border: 1px solid @border; border-radius: 2px; padding: 0 #4#px; }
QLabel[look="tag"] { color: @text2; background: @hover; border-radius: 2px; padding: 0 #6#px; }

QPushButton { background: @button; color: @text; border: 1px solid @control; border-radius: 4px; padding: 0 #11#px; }
QPushButton:hover { background: @hover; }
QPushButton:pressed, QPushButton:checked { background: @sel; }
QPushButton:disabled { color: @text3; border-color: @border; background: @window; }
QPushButton:focus { border: 2px solid @accent; padding: 0 #10#px; }
QPushButton[kind="primary"] { background: @accent; color: @onAccent; border-color: @accent; }
QPushButton[kind="primary"]:disabled { background: @track; color: @text3; border-color: @track; }
QPushButton[kind="primary"]:focus { border: 2px solid @onAccent; outline: none; }
QPushButton[kind="flat"] { background: transparent; border-color: transparent; color: @text2; }
QPushButton[kind="flat"]:hover { background: @hover; }
QPushButton[kind="flat"]:focus { border: 2px solid @accent; }
QPushButton[kind="danger"] { color: @bad; border-color: @bad; }
QPushButton[kind="on"] { background: @sel; border-color: @accent; color: @accent; }

QLineEdit, QComboBox, QPlainTextEdit[look="field"] { background: @surface; color: @text; border: 1px solid @control;
    border-radius: 4px; padding: 0 #7#px; selection-background-color: @sel; selection-color: @text; }
QLineEdit:focus, QComboBox:focus, QPlainTextEdit[look="field"]:focus { border: 2px solid @accent; padding: 0 #6#px; }
QLineEdit:disabled, QComboBox:disabled { color: @text3; border-color: @border; background: @window; }
QLineEdit[wrong="yes"] { border-color: @bad; }
QComboBox { background: @button; }
QComboBox::drop-down { border: none; width: #28#px; }
QComboBox::down-arrow { image: none; }
QComboBox QAbstractItemView { background: @surface; color: @text; border: 1px solid @control; outline: none;
    selection-background-color: @sel; selection-color: @text; }
QMenu { background: @surface; color: @text; border: 1px solid @control; padding: #4#px 0; }
QMenu::item { padding: #4#px #16#px; }
QMenu::item:selected { background: @sel; }

QRadioButton, QCheckBox { color: @text; spacing: #8#px; background: transparent; }
QRadioButton::indicator { width: #12#px; height: #12#px; border: 1px solid @control; border-radius: #7#px; background: @surface; }
QRadioButton::indicator:checked { width: #6#px; height: #6#px; border: #4#px solid @accent; background: @surface; }
QCheckBox::indicator { width: #12#px; height: #12#px; border: 1px solid @control; border-radius: 2px; background: @surface; }
QCheckBox::indicator:checked { border-color: @accent; background: @accent; image: url(:/icons/@checkFile); }
QRadioButton:focus, QCheckBox:focus { color: @accent; }

QTableView { background: @surface; color: @text; border: none; outline: none; selection-background-color: @sel;
    selection-color: @text; gridline-color: transparent; }
QHeaderView { background: @head; border: none; }
QHeaderView::section { background: @head; color: @text2; border: none; border-bottom: 1px solid @border; padding: 0 #8#px; }
QTableView QTableCornerButton::section { background: @head; border: none; }
QListView, QPlainTextEdit, QTextEdit { background: @surface; color: @text; border: none; outline: none;
    selection-background-color: @sel; selection-color: @text; }
QTextEdit[look="code"] { background: @alt; }
QScrollArea { background: transparent; border: none; }

QScrollBar:vertical { background: transparent; width: #10#px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: #10#px; margin: 0; }
QScrollBar::handle { background: @axis; border-radius: 3px; margin: 2px; }
QScrollBar::handle:vertical { min-height: #24#px; }
QScrollBar::handle:horizontal { min-width: #24#px; }
QScrollBar::handle:hover { background: @control; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
)";

} // namespace

QString styleSheet(const Theme& theme)
{
    const Tokens& t = theme.tokens();
    // Longer names first where one begins with another.
    const std::initializer_list<std::pair<const char*, QString>> names{
        {"@checkFile",
         t.scheme == Scheme::Light ? QStringLiteral("checked-light.svg") : QStringLiteral("checked-dark.svg")},
        {"@warnGround", t.warnGround.name()},
        {"@badGround", t.badGround.name()},
        {"@onAccent", t.onAccent.name()},
        {"@running", t.running.name()},
        {"@surface", t.surface.name()},
        {"@control", t.control.name()},
        {"@window", t.window.name()},
        {"@accent", t.accent.name()},
        {"@border", t.border.name()},
        {"@button", t.button.name()},
        {"@track", t.track.name()},
        {"@hover", t.hover.name()},
        {"@text3", t.text3.name()},
        {"@text2", t.text2.name()},
        {"@text", t.text.name()},
        {"@head", t.head.name()},
        {"@rail", t.rail.name()},
        {"@axis", t.axis.name()},
        {"@grid", t.grid.name()},
        {"@idle", t.idle.name()},
        {"@warn", t.warn.name()},
        {"@alt", t.alt.name()},
        {"@bad", t.bad.name()},
        {"@sel", t.sel.name()},
        {"@ok", t.ok.name()},
    };
    QString sheet = QString::fromLatin1(kSheet);
    for (const auto& [name, value] : names)
        sheet.replace(QLatin1String(name), value);

    static const QRegularExpression kLength(QStringLiteral("#(\\d+)#"));
    QString scaled;
    qsizetype done = 0;
    for (auto it = kLength.globalMatch(sheet); it.hasNext();) {
        const auto match = it.next();
        scaled += QStringView(sheet).mid(done, match.capturedStart() - done);
        scaled += QString::number(theme.px(match.captured(1).toInt()));
        done = match.capturedEnd();
    }
    return scaled.append(QStringView(sheet).mid(done));
}

} // namespace lockstep::ui
