// SPDX-License-Identifier: GPL-3.0-or-later
// All options of the bundled trainer, to find one and set it in place: choices drop down, the rest is typed. Thread:
// GUI.
#pragma once

#include "core/runspec.h"
#include "ui/theme.h"

#include <QWidget>

namespace lockstep::ui {

class OptionModel;

class OptionPanel : public QWidget {
    Q_OBJECT

public:
    explicit OptionPanel(Theme& theme, QWidget* parent = nullptr);
    void setSpec(const RunSpec& spec);

signals:
    void edited(const QString& name, const QString& value); // empty: as the trainer likes it

private:
    OptionModel* m_model;
};

} // namespace lockstep::ui
