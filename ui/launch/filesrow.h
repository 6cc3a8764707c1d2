// SPDX-License-Identifier: GPL-3.0-or-later
// The user's own files: the folder that goes with the run, where the ranks work, which files come back. Thread: GUI.
#pragma once

#include "core/runspec.h"
#include "ui/theme.h"

#include <QWidget>

namespace lockstep::ui {

class Field;

class FilesRow : public QWidget {
    Q_OBJECT

public:
    explicit FilesRow(Theme& theme, QWidget* parent = nullptr);

    void show(const RunSpec& spec);
    // Writes the three. The reason when they cannot be meant; empty: right.
    [[nodiscard]] QString read(RunSpec& spec) const;

signals:
    void edited();

private:
    Field *m_folder, *m_directory, *m_results;
};

} // namespace lockstep::ui
