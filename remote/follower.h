// SPDX-License-Identifier: GPL-3.0-or-later
// Follows one node of a run to its last record, through any number of cut links. The size of our copy is where it goes
// on: no gap, no double. Silence of 1 s is said; after 3 s a second connection is made beside the first, since waiting
// for TCP to give up costs up to half a minute. Where only a person can help (core/needsperson.h), it says so and waits
// until somebody else has got in to the node, or the first connection is heard again. Thread: its owner's; the work is
// on one thread inside, whose signals arrive queued.
#pragma once

#include "core/runstate.h"
#include "remote/liveclock.h"
#include "remote/nodelink.h"
#include "remote/spoolcopy.h"

#include <QObject>

#include <optional>
#include <thread>

namespace lockstep {

struct LinkReport {
    LinkPhase phase = LinkPhase::Connecting;
    QString reason; // why it is not live
    qint64 lastHeardWallUs = 0;
    qint64 spoolBytes = 0;             // here
    qint64 spoolBytesThere = 0;        // as the last beat said
    std::optional<ClockReading> clock; // the last one

    bool operator==(const LinkReport&) const = default;
};

struct FollowEnd {
    enum class How {
        Ended,          // the spool's last record is here
        SupervisorLost, // everything is here, and the node's supervisor is gone without a last record
        NeverStarted,   // the node knows no such run
        StoreFailed,    // our own disk
    } how = How::Ended;
    Error error;
    int left = -1; // SupervisorLost: processes of the run that live on there; -1: not known
};

struct FollowJob {
    enum class Until { RunEnds, CopyEnds }; // CopyEnds: reads what the store has, and asks no node

    std::shared_ptr<SpoolCopy> copy; // used by one follower at a time
    Node node;
    AgentFile agent;
    TransportFactory transports;
    NodeLink link; // an open one to begin with; empty: connect
    Until until = Until::RunEnds;
    std::chrono::milliseconds gather{}; // what comes within it is sent together
    std::chrono::milliseconds clockEvery = kClockEvery;
};

class Follower : public QObject {
    Q_OBJECT

public:
    Follower(FollowJob job, QObject* parent = nullptr);
    ~Follower() override; // ends the watching

    void start();

signals:
    void updated(std::shared_ptr<const lockstep::RunUpdate> update); // shared: a queued signal copies what it holds
    void linkChanged(const lockstep::LinkReport& report);            // on each change, and once a second
    void ended(const lockstep::FollowEnd& end);                      // the last signal

private:
    FollowJob m_job;
    std::jthread m_thread;
};

} // namespace lockstep
