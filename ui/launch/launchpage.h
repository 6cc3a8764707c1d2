// SPDX-License-Identifier: GPL-3.0-or-later
// The Launch page: the form of a spec, and the table of what would be started, computed as the form is edited from what
// is known of the nodes. Nothing starts before Launch. Asks by signals. Thread: GUI; `theme` and `nodes` outlive it.
#pragma once

#include "core/launchplan.h"
#include "core/nodestate.h"
#include "ui/theme.h"

#include <QTime>
#include <QWidget>

#include <optional>

class QLabel;
class QTimer;

namespace lockstep::ui {

class CommandPanel;
class DataTable;
class ElidedLabel;
class LaunchFoot;
class LaunchModel;
class PanelHeader;
class ProblemsPanel;
class SaveSpecRow;
class SpecForm;
class WhyPanel;

class LaunchPage : public QWidget {
    Q_OBJECT

public:
    LaunchPage(Theme& theme, NodeList& nodes, QWidget* parent = nullptr);

    void setSavedSpecs(const QList<RunSpec>& specs);
    void setSpec(const RunSpec& spec);
    void setDesktopEnvironment(const Environment& environment); // only to say what of it reaches no rank
    // The answer to measureRequested: shown as long as the form says the same spec.
    void setMeasured(const RunSpec& spec, const LaunchPlan& plan);
    [[nodiscard]] const RunSpec& spec() const;
    [[nodiscard]] const LaunchPlan& plan() const;
    void launch(); // as the button does, or nothing where that is disabled

signals:
    void runRequested(const RunSpec& spec);
    void measureRequested(const RunSpec& spec);
    void saveSpecRequested(const RunSpec& spec, const QString& path); // empty path: among the saved ones, by its name

private:
    QWidget* makeTitle();
    QWidget* makeTable();
    void recompute();
    void showWhy();
    void openSpec();
    // Why no launch can start yet, in a sentence; empty: it can.
    [[nodiscard]] QString blockedBy(const QList<NodeState>& selected, const LaunchPlan& plan) const;

    struct MeasuredPlan {
        RunSpec spec;
        LaunchPlan plan;
        QTime when;
    };

    Theme& m_theme;
    NodeList& m_nodes;
    std::optional<MeasuredPlan> m_measuredPlan;
    Environment m_environment;
    SpecForm* m_form;
    LaunchModel* m_model;
    DataTable* m_table;
    WhyPanel* m_why;
    CommandPanel* m_command;
    ProblemsPanel* m_problems;
    PanelHeader* m_tableHeader;
    QLabel* m_measured;
    LaunchFoot* m_foot;
    SaveSpecRow* m_save;
    ElidedLabel* m_titleCaption;
    QTimer* m_soon;
};

} // namespace lockstep::ui
