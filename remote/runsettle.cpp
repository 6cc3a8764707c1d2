// SPDX-License-Identifier: GPL-3.0-or-later
// RunSession: what follows from a changed state, and how a run comes to its end.
#include "remote/nodestopper.h"
#include "remote/resultsfetcher.h"
#include "remote/runlaunch.h"
#include "remote/runsession.h"
#include "remote/wallclock.h"

#include <algorithm>

namespace lockstep {

namespace {

constexpr qint64 kSaveEveryUs = 10'000'000;

} // namespace

void RunSession::settled()
{
    if (m_watching == Watching::Replay) {
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
        // Of an attempt that is the newest: spools that are read again tell of older ones first. What lives on without
        // a supervisor is a person's to end, and its peers with it.
        const bool offered = std::ranges::any_of(m_work, [](const NodeWork& work) { return work.offered; });
        if (m_claim && !offered && m_watching == Watching::Live && m_state.attempt == m_attempt &&
            !m_state.stopRequested && !m_others.isActive() && !m_othersStopped && !m_work.empty()) {
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
                      m_saved.attempt == m_state.attempt && m_saved.stopRequested == m_state.stopRequested &&
                      m_saved.startedWallUs == m_state.startedWallUs;
    if (m_state.id.isEmpty() || (same && wallClockUs() - m_savedWallUs < kSaveEveryUs))
        return;
    if (m_state.attempt < m_attempt || (!m_claim && !m_state.stopRequested))
        return; // half read; or the program that drives the run saves it
    m_saved = m_state;
    m_savedWallUs = wallClockUs();
    m_store.post([state = m_state](RunStore& store) {
        if (auto saved = store.saveState(state); !saved) // the spools have everything; the next change tries again
            qWarning("%s", qPrintable(saved.error().text));
    });
}

bool RunSession::isWorking() const
{
    return std::ranges::any_of(m_work, [](const NodeWork& work) {
        return !work.proven || (!(work.followed && work.fetched) && !work.unreachable);
    });
}

void RunSession::finishIfOver()
{
    if (m_finished || m_launch || m_restart.isActive() || isWorking() ||
        (m_work.empty() && !lockstep::isOver(m_state.phase)))
        return;
    m_others.stop();
    switch (m_watching) {
    case Watching::Replay:
        markFinished();
        emit finished();
        return;
    case Watching::Proving:
        if (!m_proofAsked) {
            proveAll();
            if (isWorking())
                return;
        }
        break;
    case Watching::Live:
        if (!m_claim && !m_state.stopRequested) {
            takeClaim(); // whoever drives the run says whether it goes on
            return;
        }
        if (launchAgain())
            return;
        break;
    }
    conclude();
}

// Nothing may change the state any more, or save it when the claim is another program's: followers of nodes that count
// as lost go on, and a timer may be due.
void RunSession::markFinished()
{
    m_finished = true;
    ++m_round;
    m_others.stop();
    m_driver.stop();
    m_counted.stop();
}

void RunSession::conclude()
{
    const bool offered = std::ranges::any_of(m_work, [](const NodeWork& work) { return work.offered; });
    if (m_watching == Watching::Live) {
        if (offered)
            m_state.phase = RunPhase::Lost; // not over: something of it lives on
        else if (m_imposed)
            m_state.phase = RunPhase::Failed;
        else if (!lockstep::isOver(m_state.phase))
            m_state.phase = m_state.stopRequested ? RunPhase::Stopped : RunPhase::Failed;
        if (m_state.phase != RunPhase::Stopped && m_state.cause)
            m_state.reason = m_state.cause->title;
        if (m_state.endedWallUs == 0 && !offered)
            m_state.endedWallUs = wallClockUs();
    }
    markFinished();
    emit stateChanged(m_state);
    m_store.ask([state = m_state](RunStore& store) { return store.saveState(state); }, this,
                [this](const Result<void>& saved) {
                    if (!saved)
                        emit said(saved.error().text);
                    m_claim.reset(); // after its last word is saved
                    emit finished();
                });
}

void RunSession::refuse(const Error& error)
{
    if (m_finished)
        return; // said: of another node
    markFinished();
    emit refused(error);
    emit finished();
}

} // namespace lockstep
