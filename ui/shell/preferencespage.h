// SPDX-License-Identifier: GPL-3.0-or-later
// What a person may choose of the look; taken at once.
#pragma once

#include "ui/shell/rail.h"

#include <QWidget>

namespace lockstep::ui {

enum class RailChoice { ByWidth, Always };

class PreferencesPage : public QWidget {
    Q_OBJECT

public:
    explicit PreferencesPage(Theme& theme, QWidget* parent = nullptr);

signals:
    void schemeChosen(lockstep::ui::SchemeChoice choice);
    void railChosen(lockstep::ui::RailChoice choice);
};

} // namespace lockstep::ui
