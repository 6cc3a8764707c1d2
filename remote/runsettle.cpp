// SPDX-License-Identifier: GPL-3.0-or-later
// RunSession: what follows from a changed state, and how a run comes to its end.
#include "remote/nodestopper.h"
#include "remote/porttaken.h"
#include "remote/resultsfetcher.h"
#include "remote/runlaunch.h"
#include "remote/runsession.h"
#include "remote/wallclock.h"

namespace lockstep {

namespace {

constexpr qint64 kSaveEveryUs = 10'000'000;
constexpr int kMostAttempts = 2; // one relaunch on another port

} // namespace

void RunSession::settled()
{
    if (m_replay) {
        emit stateChanged(m_state);
        finishIfOver();
        return;
    }
    if (m_imposed) { // core judges by what ranks said; this is known beside it
        m_imposed->victims = m_state.cause ? m_state.cause->victims : QList<int>();
        m_state.cause = m_imposed;
    }
    if (m_state.cause) {
        m_state.cause->lastLines = m_lastLines.value(m_state.cause->rank);
        if (!m_state.stopRequested && !m_others.isActive() && !m_othersStopped && !m_work.empty()) {
            m_othersStopped = true;
            m_others.start();
        }
    }
    save();
    emit stateChanged(m_state);
    finishIfOver();
}

void RunSession::save()
{
    const bool same = m_saved.phase == m_state.phase && m_saved.cause == m_state.cause &&
                      m_saved.stopRequested == m_state.stopRequested && m_saved.startedWallUs == m_state.startedWallUs;
    if (m_state.id.isEmpty() || (same && wallClockUs() - m_savedWallUs < kSaveEveryUs))
        return;
    m_saved = m_state;
    m_savedWallUs = wallClockUs();
    m_store.post([state = m_state](RunStore& store) {
        if (auto saved = store.saveState(state); !saved) // the spools have everything; the next change tries again
            qWarning("%s", qPrintable(saved.error().text));
    });
}

bool RunSession::portWasTaken() const
{
    if (m_state.attempt >= kMostAttempts || m_state.stopRequested || m_imposed || !m_state.cause ||
        m_spec.masterPort != 0)
        return false;
    return std::any_of(m_lastLines.begin(), m_lastLines.end(),
                       [](const QStringList& lines) { return saysPortTaken(lines); });
}

void RunSession::finishIfOver()
{
    const bool working = std::any_of(m_work.begin(), m_work.end(), [](const NodeWork& work) {
        return !work.followed || !work.proven || !work.fetched;
    });
    if (m_finished || m_launch || working || (m_work.empty() && !lockstep::isOver(m_state.phase)))
        return;
    m_others.stop();
    if (m_replay) {
        m_finished = true;
        emit finished();
        return;
    }
    if (!m_work.empty() && portWasTaken()) {
        const int port = m_plan.masterPort;
        emit said(QStringLiteral("Port %1 was taken between the plan and the start; launching again on another one")
                      .arg(port));
        m_work.clear();
        m_lastLines.clear();
        m_othersStopped = false;
        m_state.phase = RunPhase::Starting;
        startLaunch(LaunchId{m_state.id, m_state.attempt + 1});
        return;
    }
    if (m_imposed)
        m_state.phase = RunPhase::Failed;
    else if (!lockstep::isOver(m_state.phase))
        m_state.phase = m_state.stopRequested ? RunPhase::Stopped : RunPhase::Failed;
    if (m_state.phase == RunPhase::Failed && m_state.cause)
        m_state.reason = m_state.cause->title;
    if (m_state.endedWallUs == 0)
        m_state.endedWallUs = wallClockUs();
    m_finished = true;
    emit stateChanged(m_state);
    m_store.ask([state = m_state](RunStore& store) { return store.saveState(state); }, this,
                [this](const Result<void>& saved) {
                    if (!saved)
                        emit said(saved.error().text);
                    emit finished();
                });
}

void RunSession::refuse(const Error& error)
{
    m_finished = true;
    emit refused(error);
    emit finished();
}

} // namespace lockstep
