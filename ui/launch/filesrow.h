// SPDX-License-Identifier: GPL-3.0-or-later
// The user's own files: the folder that goes with the run, where the ranks work, which files come back. Thread: GUI.
#pragma once

#include "core/runspec.h"
#include "ui/launch/folderlook.h"
#include "ui/theme.h"

#include <QWidget>

namespace lockstep::ui {

class Field;

class FilesRow : public QWidget {
    Q_OBJECT

public:
    explicit FilesRow(Theme& theme, FolderLook::Question isFolder = FolderLook::isFolder, QWidget* parent = nullptr);

    void show(const RunSpec& spec);
    // Writes the three. The reason when they cannot be meant, or while the folder is looked for; empty: right.
    [[nodiscard]] QString read(RunSpec& spec);

signals:
    void edited(); // by a person, or the folder was found

private:
    FolderLook m_look;
    Field *m_folder, *m_directory, *m_results;
};

} // namespace lockstep::ui
