// SPDX-License-Identifier: GPL-3.0-or-later
// The exact command that starts one rank by hand; copied as one line for a POSIX shell, shown in several.
#pragma once

#include "core/launchplan.h"
#include "ui/widgets/panel.h"

class QTextEdit;

namespace lockstep::ui {

class Button;
class Combo;

// Breaks a shell line for reading: variables together, the program alone, an option with its value a piece. Only spaces
// outside of quotes become line ends, so nothing is lost.
[[nodiscard]] QString commandForReading(const QByteArray& command, int characters);

class CommandPanel : public QFrame {
    Q_OBJECT

public:
    explicit CommandPanel(Theme& theme, QWidget* parent = nullptr);
    // Keeps the rank chosen where it still exists. A command is shown once the port and the runtime's folder on the
    // node are measured.
    void setPlan(const LaunchPlan& plan);
    [[nodiscard]] QByteArray command() const;
    [[nodiscard]] QByteArray allCommands() const; // every rank, a comment with its node before each

private:
    void showCommand();

    Theme& m_theme;
    LaunchPlan m_plan;
    Combo* m_rank;
    QTextEdit* m_text;
    Button* m_copy;
};

} // namespace lockstep::ui
