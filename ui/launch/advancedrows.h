// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of the form that most runs leave alone: how it is trained, started and stopped, its environment, the user's
// files, and the table of all the trainer's options. Thread: GUI.
#pragma once

#include "core/runspec.h"
#include "ui/theme.h"

#include <QWidget>

class QCheckBox;
class QVBoxLayout;

namespace lockstep::ui {

class Field;
class FilesRow;
class OptionFields;
class OptionPanel;

class AdvancedRows : public QWidget {
    Q_OBJECT

public:
    explicit AdvancedRows(Theme& theme, QWidget* parent = nullptr);

    void show(const RunSpec& spec);
    // Writes the fields. The reason when one cannot be meant; empty: right.
    [[nodiscard]] QString read(RunSpec& spec, const RunSpec& opened);
    void showOptions(const RunSpec& spec); // in the table

signals:
    void edited();
    void optionSet(const QString& name, const QString& value); // in the table

private:
    void makeTraining(QVBoxLayout& column);
    void makeLaunch(QVBoxLayout& column);
    void makeWords(QVBoxLayout& column);

    Theme& m_theme;
    OptionFields* m_options;
    Field *m_port, *m_grace, *m_restarts, *m_env, *m_arguments;
    QCheckBox* m_relay;
    FilesRow* m_files;
    OptionPanel* m_all;
};

} // namespace lockstep::ui
