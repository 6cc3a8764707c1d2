// SPDX-License-Identifier: GPL-3.0-or-later
// What the window remembers from one start to the next, in window.ini of the data folder: scheme, size and place.
// Thread: GUI.
#pragma once

#include "core/datafolder.h"
#include "ui/theme.h"

#include <QSettings>

class QWidget;

namespace lockstep {

class WindowSettings {
public:
    explicit WindowSettings(const DataFolder& folder);

    [[nodiscard]] ui::SchemeChoice scheme() const; // System when none was chosen
    void setScheme(ui::SchemeChoice choice);
    void restore(QWidget& window) const;
    void save(const QWidget& window);

private:
    QSettings m_settings;
};

} // namespace lockstep
