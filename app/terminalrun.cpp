// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/terminalrun.h"

#include "app/answer.h"
#include "app/jsonvalues.h"
#include "app/plantext.h"
#include "app/storedruns.h"
#include "app/termchart.h"
#include "ui/plots/figures.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <unistd.h>

namespace lockstep {
namespace {

using namespace std::chrono_literals;

constexpr auto kProgressEvery = 500ms;   // on a terminal, where the line is written over
constexpr qint64 kPlainEveryMs = 10'000; // into a file, where every line stays
constexpr int kChartWidth = 78, kChartHeight = 12;

bool onTerminal()
{
    return isatty(STDERR_FILENO) == 1;
}

QString progressText(const RunData& data)
{
    const qint64 step = data.step(), total = data.totalSteps();
    if (step < 0)
        return {};
    QStringList parts;
    if (total > 0)
        parts << QStringLiteral("step %1 of %2, %3 %")
                     .arg(ui::figures::grouped(step), ui::figures::grouped(total))
                     .arg(100 * step / total);
    else
        parts << QStringLiteral("step %1").arg(ui::figures::grouped(step));
    if (std::isfinite(data.meanLoss()))
        parts << QStringLiteral("loss %1").arg(data.meanLoss(), 0, 'f', 4);
    if (std::isfinite(data.samplesPerSecond()))
        parts << QStringLiteral("%1 samples/s").arg(ui::figures::grouped(std::llround(data.samplesPerSecond())));
    if (std::isfinite(data.waitFraction()))
        parts << QStringLiteral("%1 % waiting for gradients").arg(std::lround(100 * data.waitFraction()));
    if (std::isfinite(data.etaSeconds()))
        parts << QStringLiteral("%1 left").arg(ui::figures::clock(data.etaSeconds()));
    return parts.join(QStringLiteral(" · "));
}

// Every node has proven it; a run that was stopped before its ranks started has nothing to prove.
bool nothingLeft(const RunState& state)
{
    return std::ranges::all_of(state.nodes, [&state](const NodeRunState& node) {
        return node.left == 0 || (node.left < 0 && node.spoolBytes == 0 && state.phase == RunPhase::Stopped);
    });
}

bool isAllHere(const RunState& state)
{
    return !state.nodes.isEmpty() && std::ranges::all_of(state.nodes, [](const NodeRunState& node) {
        return node.ended ||
               (node.link == LinkPhase::Live && node.spoolBytesThere > 0 && node.spoolBytes >= node.spoolBytesThere);
    });
}

} // namespace

TerminalRun::TerminalRun(RunParts parts, StoreThread& store, Manner manner)
    : m_manner(std::move(manner)), m_session(std::move(parts), store)
{
    connect(&m_signals, &InterruptSignals::interrupted, this, &TerminalRun::signalled);
    connect(&m_session, &RunSession::planChanged, &m_data, &RunData::setPlan);
    connect(&m_session, &RunSession::planChanged, this,
            [this](const RunSpec&, const LaunchPlan& plan) { showWarnings(plan); });
    connect(&m_session, &RunSession::stateChanged, this, &TerminalRun::showState);
    connect(&m_session, &RunSession::updated, &m_data, &RunData::apply);
    connect(&m_session, &RunSession::said, this, &TerminalRun::sentence);
    connect(&m_session, &RunSession::refused, this, [this](const Error& error) { m_refused = error; });
    connect(&m_session, &RunSession::finished, this, &TerminalRun::finish);
    connect(&m_progressTimer, &QTimer::timeout, this, &TerminalRun::showProgress);
    m_progressTimer.start(kProgressEvery);
    m_clock.start();
}

TerminalRun::~TerminalRun() = default;

void TerminalRun::launch(const RunSpec& spec, const QList<Node>& nodes)
{
    m_session.launch(spec, nodes);
}

void TerminalRun::attach(const QString& runId, const Inventory& inventory)
{
    m_attached = true;
    m_session.attach(runId, inventory);
    if (m_manner.wish == Wish::Stop)
        m_session.stop(m_manner.graceS);
}

int TerminalRun::exec()
{
    if (!m_exitCode)
        QCoreApplication::exec();
    return m_exitCode.value_or(kExitFailed);
}

void TerminalRun::showState(const RunState& state)
{
    m_data.setState(state);
    QString text = words(state.phase);
    if (!state.reason.isEmpty())
        text += QStringLiteral(": ") + state.reason;
    if (text != m_said && !isOver(state.phase)) {
        m_said = text;
        sentence(QStringLiteral("%1 #%2 (%3): %4").arg(state.name).arg(state.number).arg(state.id, text));
    }
    showLinks(state);
    const bool enough = m_attached ? isAllHere(state) : state.phase == RunPhase::Running;
    if (m_manner.wish == Wish::Detach && enough)
        leaveDetached(kExitDone);
}

// What the plan found that stops no launch: who else holds a device, ranks that share a core. Errors come as the cause.
void TerminalRun::showWarnings(const LaunchPlan& plan)
{
    if (m_attached)
        return; // said at its launch
    for (const Problem& problem : plan.problems) {
        const QString text = problemLine(problem);
        if (problem.severity != Severity::Warning || m_warned.contains(text))
            continue;
        m_warned.insert(text);
        sentence(text);
    }
}

// Old numbers must not look like new ones: a node that falls silent is said, and when it is back.
void TerminalRun::showLinks(const RunState& state)
{
    for (const NodeRunState& node : state.nodes) {
        switch (node.link) {
        case LinkPhase::Stale:
        case LinkPhase::Reconnecting:
            if (node.lastHeardWallUs == 0 || m_silent.value(node.name, LinkPhase::Live) == node.link)
                break;
            m_silent[node.name] = node.link;
            sentence(
                node.link == LinkPhase::Stale
                    ? QStringLiteral("%1 is silent; what is shown of it is old. Its ranks go on.").arg(node.name)
                    : QStringLiteral("%1 is silent; connecting again. %2").arg(node.name, node.linkReason).trimmed());
            break;
        case LinkPhase::Blocked:
            if (m_silent.value(node.name, LinkPhase::Live) == node.link)
                break;
            m_silent[node.name] = node.link;
            sentence(QStringLiteral("What %1 sends can't be kept here and waits on the node. %2")
                         .arg(node.name, node.linkReason));
            break;
        case LinkPhase::Live:
        case LinkPhase::Ended:
            if (m_silent.remove(node.name) > 0)
                sentence(QStringLiteral("%1 is heard again.").arg(node.name));
            break;
        case LinkPhase::Connecting:
            break;
        }
    }
}

void TerminalRun::showProgress()
{
    if (m_manner.output == Output::Json)
        return;
    QStringList deploying;
    for (const auto& node : m_data.state().nodes)
        if (!node.progress.isEmpty())
            deploying << QStringLiteral("%1: %2").arg(node.name, node.progress);
    const QString text = deploying.isEmpty() ? progressText(m_data) : deploying.join(QStringLiteral(" · "));
    if (text.isEmpty())
        return;
    if (onTerminal()) {
        const QByteArray line = "\r\x1b[K" + text.toUtf8();
        if (write(STDERR_FILENO, line.constData(), static_cast<size_t>(line.size())) > 0)
            m_lineOpen = true;
    } else if (m_clock.elapsed() >= m_nextLineMs) {
        m_nextLineMs = m_clock.elapsed() + kPlainEveryMs;
        note(text);
    }
}

void TerminalRun::sentence(const QString& text)
{
    if (m_lineOpen)
        note({});
    m_lineOpen = false;
    note(text);
}

// TERM comes to every program when a session ends or the machine goes down: that must not end what the nodes own.
void TerminalRun::signalled(int signal)
{
    const RunPhase phase = m_data.state().phase;
    if (signal == SIGTERM && (phase == RunPhase::Running || phase == RunPhase::Stopping)) {
        sentence(QStringLiteral("Left to the nodes."));
        leaveDetached(kExitFailed);
    } else {
        interrupt();
    }
}

void TerminalRun::interrupt()
{
    const bool viewer = m_attached && m_manner.wish != Wish::Stop; // who only looks ends nobody's training
    if (viewer)
        sentence(QStringLiteral("Left to the nodes."));
    if (++m_interrupts == 1 && m_manner.wish != Wish::Detach && !viewer) {
        sentence(QStringLiteral("Stopping the run on every node. Once more: leave it to the nodes."));
        m_session.stop(m_manner.graceS);
    } else {
        leaveDetached(kExitFailed); // how it ends is not known
    }
}

void TerminalRun::leaveDetached(int exitCode)
{
    if (m_exitCode)
        return; // leaving already; one answer only
    m_progressTimer.stop();
    if (m_manner.output == Output::Json)
        printJson(toJson(m_data.state()));
    else
        print(m_data.state().id + '\n');
    m_exitCode = exitCode;
    QCoreApplication::exit(*m_exitCode);
}

void TerminalRun::finish()
{
    m_progressTimer.stop();
    if (m_lineOpen)
        note({});
    if (m_refused) {
        m_exitCode = leave(*m_refused, m_manner.output);
    } else {
        const RunState& state = m_data.state();
        if (m_manner.output == Output::Json)
            printJson(toJson(state));
        else
            print(lossChart(m_data, kChartWidth, kChartHeight) + '\n' + runText(m_data));
        if (m_manner.draw && m_data.step() >= 0)
            m_manner.draw(m_data);
        // Whoever asked for a stop got what was asked for when nothing is left.
        const bool gone = nothingLeft(state);
        m_exitCode = m_manner.wish == Wish::Stop && gone ? kExitDone : state.exitCode();
    }
    QCoreApplication::exit(*m_exitCode);
}

} // namespace lockstep
