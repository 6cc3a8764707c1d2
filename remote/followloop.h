// SPDX-License-Identifier: GPL-3.0-or-later
// The straight-line work of a Follower, on its thread.
#pragma once

#include "core/wire/decoder.h"
#include "remote/agentcall.h"
#include "remote/follower.h"
#include "remote/pause.h"

#include <future>

namespace lockstep {

class FollowLoop {
public:
    struct Sinks {
        std::function<void(RunUpdate)> updated;
        std::function<void(const LinkReport&)> linkChanged;
    };

    FollowLoop(FollowJob& job, Sinks sinks, std::stop_token stop);
    ~FollowLoop();

    [[nodiscard]] std::optional<FollowEnd> run(); // nullopt: stopped

private:
    using Clock = std::chrono::steady_clock;

    void readStream();
    void refuseStored(const Error& error);
    void hear(const QByteArray& beats);
    void hearClock(const wire::RecordView& record);
    void askClock();
    void tell(const ClockReading& reading);
    void streamEnded(const Chunk& chunk);
    void startSpare();
    void takeSpare();
    void refused(const Error& error);
    [[nodiscard]] bool mayConnect();
    void openStream(NodeLink link);
    void loseStream(const QString& reason);
    void catchUp();
    void report();
    [[nodiscard]] Clock::duration silence() const { return Clock::now() - m_heard; }
    [[nodiscard]] bool needsLink() const;

    FollowJob& m_job;
    Sinks m_sinks;
    std::stop_token m_stop;
    SpoolCopy& m_copy;
    Pause m_pause;
    BackOff m_backOff;

    NodeLink m_link;
    std::unique_ptr<Process> m_stream;
    wire::Decoder m_beats;
    LiveClock m_clock;
    Clock::time_point m_heard;
    std::optional<AgentRecord> m_said; // the last `error` record of the stream

    std::stop_source m_spareStop;
    std::future<Result<NodeLink>> m_spare; // a second connection being made
    Clock::time_point m_spareBegan, m_nextSpare;
    bool m_needsPerson = false;          // the last word on a connection, until the node is heard
    std::shared_ptr<Transport> m_others; // held then: a connection that somebody makes stays, and is found

    bool m_blocked = false; // what came last could not be kept

    LinkReport m_report, m_reported;
    Clock::time_point m_nextReport;
    std::optional<FollowEnd> m_end;
};

} // namespace lockstep
