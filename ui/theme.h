// SPDX-License-Identifier: GPL-3.0-or-later
// The look as an object: which scheme holds now, its colours, fonts and icons. One of them lives as long as the
// application; app makes it and everything that draws borrows it. Thread: GUI.
#pragma once

#include "ui/icon.h"
#include "ui/tokens.h"

#include <QFont>
#include <QIcon>
#include <QObject>

class QApplication;

namespace lockstep::ui {

enum class SchemeChoice { System, Light, Dark };

enum class FontRole {
    PageTitle,  // 18 medium
    CardTitle,  // 15 medium: cards, details, values of a header
    Control,    // 13: buttons, fields
    PanelTitle, // 13 medium
    Cell,       // 12: tables, legends, sentences, status bar
    CellStrong, // 12 medium
    Caption,    // 11: captions, axis labels, sources, tags
    Mono,       // 11: logs, commands, fingerprints
};

class Theme : public QObject {
    Q_OBJECT

public:
    // Reads the system's palette and font as they are before anything of ours is applied.
    explicit Theme(QApplication& application, QObject* parent = nullptr);
    ~Theme() override;

    void setChoice(SchemeChoice choice); // repaints everything when the scheme changes by it
    [[nodiscard]] SchemeChoice choice() const { return m_choice; }
    [[nodiscard]] Scheme scheme() const;
    [[nodiscard]] const Tokens& tokens() const { return ui::tokens(scheme()); }

    [[nodiscard]] QFont font(FontRole role) const;
    [[nodiscard]] int px(int at100) const; // a length of the tokens document, scaled with the system's font
    // Widest of any text of `characters` digits and their signs, for column widths.
    [[nodiscard]] int textWidth(FontRole role, const QString& text) const;

    [[nodiscard]] QIcon icon(Icon icon, const QColor& colour, int size = 16) const; // disabled: text3
    [[nodiscard]] QPixmap pixmap(Icon icon, const QColor& colour, int size = 16, qreal ratio = 1) const;

    bool eventFilter(QObject* watched, QEvent* event) override;

signals:
    void changed(); // the scheme; palette and style sheet are already applied

private:
    void apply();
    void readSystem();

    QApplication& m_application;
    SchemeChoice m_choice = SchemeChoice::System;
    Scheme m_system = Scheme::Light;
    QString m_family, m_mono;
    double m_factor = 1;
    bool m_applying = false;
};

} // namespace lockstep::ui
