// SPDX-License-Identifier: GPL-3.0-or-later
// All that is known of the selected node: devices with what runs on them, interfaces, machine, or the CPU's last
// minute.
#pragma once

#include "core/nodestate.h"
#include "ui/widgets/panel.h"

class QTimer;

namespace lockstep::ui {

class Button;
class CpuHistory;
class DataTable;
class DeviceModel;
class ElidedLabel;
class InterfaceModel;
class KeyValues;
class StateLabel;

class NodeDetails : public QFrame {
    Q_OBJECT

public:
    explicit NodeDetails(Theme& theme, QWidget* parent = nullptr);
    void setNode(const NodeState& state, const QString& run);
    void setNone();

signals:
    void checkRequested(const QString& node);
    void editRequested(const QString& node);
    void deployRequested(const QString& node);
    void removeRequested(const QString& node);

private:
    QWidget* makeTitle();
    QWidget* makeDevicesSide();
    QWidget* makeMachineSide();
    void askToRemove();
    void showSampleAge();

    Theme& m_theme;
    NodeState m_state;
    QLabel* m_name;
    StateLabel* m_phase;
    ElidedLabel* m_sentence;
    Button *m_remove, *m_edit, *m_deploy, *m_check;
    QTimer* m_removeAgain; // while it runs, a second press removes
    QTimer* m_clock;
    QWidget *m_devicesSide, *m_cpuSide, *m_interfaces, *m_history, *m_body;
    PanelHeader *m_deviceHeader, *m_historyHeader;
    DeviceModel* m_devices;
    InterfaceModel* m_interfaceModel;
    DataTable *m_deviceTable, *m_interfaceTable;
    KeyValues *m_machine, *m_machineWide;
    CpuHistory* m_cpu;
};

} // namespace lockstep::ui
