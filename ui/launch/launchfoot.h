// SPDX-License-Identifier: GPL-3.0-or-later
// The foot of the Launch page: what stands in the way or how it will start, Copy commands, Launch.
#pragma once

#include "core/launchplan.h"
#include "ui/theme.h"

#include <QFrame>

namespace lockstep::ui {

class Button;
class ElidedLabel;
class StateLabel;

[[nodiscard]] QString countText(qsizetype count, const QString& word); // "1 rank", "16 ranks"

class LaunchFoot : public QFrame {
    Q_OBJECT

public:
    explicit LaunchFoot(Theme& theme, QWidget* parent = nullptr);
    void setPlan(const LaunchPlan& plan, const QString& blocked); // blocked: the reason, empty: it can start
    [[nodiscard]] bool canLaunch() const;

signals:
    void launchPressed();
    void copyPressed();

private:
    StateLabel* m_state;
    ElidedLabel* m_detail;
    Button *m_copy, *m_launch;
    qsizetype m_ranks = 0;
};

} // namespace lockstep::ui
