// SPDX-License-Identifier: GPL-3.0-or-later
// Every key, as a page (F1).
#pragma once

#include "ui/theme.h"

#include <QWidget>

namespace lockstep::ui {

class KeysPage : public QWidget {
    Q_OBJECT

public:
    explicit KeysPage(Theme& theme, QWidget* parent = nullptr);
};

} // namespace lockstep::ui
