// SPDX-License-Identifier: GPL-3.0-or-later
// The form of a run's spec. Its fields write into one RunSpec; what has no field of its own stays as it was opened.
// Says `edited` for every change that can be meant, and marks the field that cannot. Thread: GUI.
#pragma once

#include "core/runspec.h"
#include "ui/theme.h"

#include <QWidget>

class QLabel;
class QVBoxLayout;

namespace lockstep::ui {

class AdvancedRows;
class Button;
class Combo;
class ElidedLabel;
class Field;
class OptionFields;
class ProgramRow;

class SpecForm : public QWidget {
    Q_OBJECT

public:
    explicit SpecForm(Theme& theme, QWidget* parent = nullptr);

    void setSpecs(const QList<RunSpec>& specs); // to choose from
    void setSpec(const RunSpec& spec);          // shows it; later edits are named against it
    [[nodiscard]] const RunSpec& spec() const { return m_spec; }
    // Why the form as it stands cannot be meant; empty: it can.
    [[nodiscard]] QString wrong() const { return m_wrong; }

    // What the page found out of the form: "2 nodes, 16 devices", or the selection's error.
    enum class Found { Right, Wrong };
    void setNodesFound(Found found, const QString& text);
    void setWorldSize(int ranks);

signals:
    void edited();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void makeTargetRow();
    void makeProgramRow();
    void makeTrainingRow();
    void makeAdvanced();
    void fill(); // spec -> fields
    void read(); // fields -> spec, then edited()
    void showEdited();

    Theme& m_theme;
    RunSpec m_spec, m_opened;
    QList<RunSpec> m_specs;
    QString m_wrong;
    bool m_filling = false;
    QVBoxLayout* m_rows;
    Combo *m_choice, *m_ranksANode, *m_backend, *m_model;
    Field *m_nodes, *m_path;
    ProgramRow* m_program;
    OptionFields* m_options; // of the training row
    QLabel *m_editedTag, *m_total;
    ElidedLabel *m_found, *m_summary;
    Button* m_disclose;
    AdvancedRows* m_advanced;
};

} // namespace lockstep::ui
