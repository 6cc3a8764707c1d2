// SPDX-License-Identifier: GPL-3.0-or-later
// Which network the trainer trains: one of its own, or the user's, from a file that lies at this path on every node.
// Thread: GUI.
#pragma once

#include "core/runspec.h"
#include "ui/theme.h"

#include <QWidget>

class QRadioButton;

namespace lockstep::ui {

class Field;

class ProgramRow : public QWidget {
    Q_OBJECT

public:
    explicit ProgramRow(Theme& theme, QWidget* parent = nullptr);

    void show(const RunSpec& spec);
    [[nodiscard]] bool ownModel() const;
    // Writes model and model_file where a model of the user's own is chosen, else takes model_file out. The reason when
    // it cannot be meant; empty: right.
    [[nodiscard]] QString read(RunSpec& spec) const;

signals:
    void edited();

private:
    QRadioButton *m_bundled, *m_own;
    Field* m_file;
};

} // namespace lockstep::ui
