// SPDX-License-Identifier: GPL-3.0-or-later
// A run watched from a terminal: progress on stderr while it goes on, the result at its end. Thread: main, with an
// event loop.
#pragma once

#include "app/options.h"
#include "app/signals.h"
#include "core/rundata.h"
#include "remote/runsession.h"

#include <QElapsedTimer>
#include <QHash>
#include <QSet>

#include <functional>

namespace lockstep {

class TerminalRun : public QObject {
    Q_OBJECT

public:
    enum class Wish { Follow, Detach, Stop };
    struct Manner {
        Wish wish = Wish::Follow;
        Output output = Output::Text;
        int graceS = -1;                          // for Stop; < 0: the spec's
        std::function<void(const RunData&)> draw; // the curves, at the end; empty: nowhere
    };

    TerminalRun(RunParts parts, StoreThread& store, Manner manner);
    ~TerminalRun() override;

    // Either; then exec() gives the exit code.
    void launch(const RunSpec& spec, const QList<Node>& nodes);
    void attach(const QString& runId, const Inventory& inventory);
    [[nodiscard]] int exec();

private:
    void showState(const RunState& state);
    void showWarnings(const LaunchPlan& plan);
    void showLinks(const RunState& state);
    void showProgress();
    void sentence(const QString& text);
    void signalled(int signal);
    void interrupt();
    void finish();
    void leaveDetached(int exitCode);

    Manner m_manner;
    InterruptSignals m_signals; // before the session, whose threads must inherit the blocked signals
    RunData m_data;
    RunSession m_session;
    QTimer m_progressTimer;
    QElapsedTimer m_clock;
    QString m_said;                     // the last state or deploy line that was printed
    QSet<QString> m_warned;             // a plan comes again when more of it is known
    QHash<QString, LinkPhase> m_silent; // nodes that were said to be silent, and how
    qint64 m_nextLineMs = 0;
    int m_interrupts = 0;
    bool m_attached = false; // to a run that somebody launched before
    bool m_lineOpen = false; // a progress line without its newline stands on the terminal
    std::optional<Error> m_refused;
    std::optional<int> m_exitCode;
};

} // namespace lockstep
