// SPDX-License-Identifier: GPL-3.0-or-later
// The line that asks under which name a spec is saved; in the page, shown when wanted.
#pragma once

#include "ui/theme.h"

#include <QWidget>

namespace lockstep::ui {

class Field;

class SaveSpecRow : public QWidget {
    Q_OBJECT

public:
    explicit SaveSpecRow(Theme& theme, QWidget* parent = nullptr);
    void open(const QString& name);

signals:
    void saveRequested(const QString& name); // fit to be a file's name

private:
    void submit();

    Field* m_name;
};

} // namespace lockstep::ui
