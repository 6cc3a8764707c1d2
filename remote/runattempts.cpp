// SPDX-License-Identifier: GPL-3.0-or-later
// RunSession: the next attempt of a run that has failed.
#include "remote/nodestopper.h"
#include "remote/porttaken.h"
#include "remote/resultsfetcher.h"
#include "remote/runlaunch.h"
#include "remote/runsession.h"

#include <algorithm>

namespace lockstep {

bool RunSession::launchAgain()
{
    if (std::ranges::any_of(m_work, [](const NodeWork& work) { return work.offered; }))
        return false; // what lives on there would meet the new ranks
    m_attempts.portTaken =
        !m_work.empty() && !m_imposed && std::any_of(m_lastLines.begin(), m_lastLines.end(), saysPortTaken);
    switch (startAgain(m_spec, m_state, m_attempts)) {
    case Again::No:
        return false;
    case Again::OtherPort:
        emit said(QStringLiteral("Port %1 was taken between the plan and the start; launching again on another one")
                      .arg(m_plan.masterPort));
        m_attempts.portRetried = true;
        m_state.phase = RunPhase::Starting;
        m_lastLines.clear();
        startLaunch(LaunchId{m_state.id, ++m_attempt});
        return true;
    case Again::NewAttempt:
        if (m_work.empty())
            return false; // the first launch failed: nothing ran that could go on
        pauseBeforeRestart(m_state.cause->title);
        return true;
    }
    return false;
}

void RunSession::pauseBeforeRestart(const QString& why)
{
    const auto pause = pauseBefore(++m_attempts.restarts);
    const QString from = m_spec.option(QStringLiteral("checkpoint")).isEmpty()
                             ? QStringLiteral("from the beginning: the spec names no checkpoint folder")
                         : m_checkpoint.isEmpty()
                             ? QStringLiteral("from the newest checkpoint in %1, if there is one")
                                   .arg(QString::fromUtf8(m_spec.option(QStringLiteral("checkpoint"))))
                             : QStringLiteral("from the checkpoint of step %1").arg(m_checkpointStep);
    m_state.reason = QStringLiteral("%1. Restart %2 of %3 in %4 s, %5")
                         .arg(why)
                         .arg(m_attempts.restarts)
                         .arg(m_spec.restarts)
                         .arg(pause.count())
                         .arg(from);
    emit said(m_state.reason);
    beginWork(0);
    m_imposed.reset();
    m_lastLines.clear();
    m_othersStopped = false;
    m_state.phase = RunPhase::Starting;
    m_restart.start(pause);
    m_driver.start(); // a stop that somebody else asks for
    save();
    emit stateChanged(m_state);
}

} // namespace lockstep
