// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/followloop.h"

#include "core/needsperson.h"
#include "core/wire/kinds.h"
#include "remote/agentcall.h"
#include "remote/nodecheck.h"
#include "remote/wallclock.h"

#include <QLoggingCategory>

namespace lockstep {

namespace {

using namespace std::chrono_literals;

Q_LOGGING_CATEGORY(logFollow, "lockstep.follow")

constexpr auto kTick = 100ms;        // how often is looked, while a link is awaited
constexpr auto kStaleAfter = 1s;     // four beats
constexpr auto kReconnectAfter = 3s; // a second connection beside the first
constexpr auto kStartTime = 20s;     // a login shell that takes 5 s
constexpr auto kMostPause = 5s;      // less than what a silent node is waited for
constexpr auto kLookForOthers = 1s;  // whether they have a connection
constexpr auto kReportEvery = 1s;
constexpr auto kStoreAgain = 5s; // after our own disk was full: the node keeps everything meanwhile

constexpr std::size_t kMostBootIdBytes = 64; // a UUID has 36

} // namespace

FollowLoop::FollowLoop(FollowJob& job, Sinks sinks, std::stop_token stop)
    : m_job(job), m_sinks(std::move(sinks)), m_stop(std::move(stop)), m_copy(*job.copy), m_clock(job.clockEvery),
      m_heard(Clock::now())
{
}

FollowLoop::~FollowLoop()
{
    m_spareStop.request_stop(); // the future waits for its thread
}

std::optional<FollowEnd> FollowLoop::run()
{
    const std::stop_callback onStop(m_stop, [this] { m_spareStop.request_stop(); });
    catchUp();
    if (m_job.until == FollowJob::Until::CopyEnds)
        return m_end.value_or(FollowEnd{});
    if (m_job.link.transport && !m_end)
        openStream(std::move(m_job.link));
    while (!m_end && !m_stop.stop_requested()) {
        if (m_stream)
            readStream();
        else if (m_spare.valid())
            m_spare.wait_for(kTick);
        else
            m_pause.wait(kTick, m_stop);
        if (m_end || m_stop.stop_requested())
            break;
        if (m_spare.valid() && m_spare.wait_for(0s) == std::future_status::ready)
            takeSpare();
        else if (!m_spare.valid() && needsLink() && Clock::now() >= m_nextSpare && mayConnect())
            startSpare();
        report();
    }
    if (m_end && m_end->how == FollowEnd::How::Ended) {
        m_report.phase = LinkPhase::Ended;
        m_report.reason.clear();
        m_sinks.linkChanged(m_report);
    }
    return m_end;
}

bool FollowLoop::needsLink() const
{
    return !m_stream || silence() > kReconnectAfter;
}

void FollowLoop::catchUp()
{
    if (auto done = m_copy.catchUp(m_sinks.updated, m_stop); !done)
        m_end = FollowEnd{FollowEnd::How::StoreFailed, done.error()};
    m_report.spoolBytes = m_copy.offset();
}

void FollowLoop::readStream()
{
    askClock();
    // Woken by what comes: 64 threads that look at the clock ten times a second cost more than their records.
    const bool waitsForLink = m_spare.valid() || silence() > kStaleAfter;
    auto chunk = m_stream->read(waitsForLink ? Deadline::in(kTick) : Deadline{m_heard + kStaleAfter + 1ms}, m_stop);
    if (!chunk) {
        if (chunk.error().code != ErrorCode::Timeout && chunk.error().code != ErrorCode::Stopped)
            loseStream(chunk.error().text);
        return;
    }
    if (!chunk->out.isEmpty() || !chunk->err.isEmpty()) {
        m_heard = Clock::now();
        m_report.lastHeardWallUs = wallClockUs();
        m_backOff.reset();
        m_needsPerson = false;
    }
    hear(chunk->err);
    if (!chunk->out.isEmpty()) {
        auto update = m_copy.append(chunk->out);
        if (!update) {
            refuseStored(update.error());
            return;
        }
        m_blocked = false;
        m_report.spoolBytes = m_copy.offset();
        m_sinks.updated(std::move(*update));
    }
    if (chunk->ended)
        streamEnded(*chunk);
}

// Another program follows the same run into the same folder, or our disk is full. The file is the truth.
void FollowLoop::refuseStored(const Error& error)
{
    catchUp();
    loseStream(error.text);
    m_blocked = error.code == ErrorCode::Io;
    if (m_blocked)
        m_nextSpare = Clock::now() + kStoreAgain;
}

void FollowLoop::hear(const QByteArray& beats)
{
    m_beats.feed({beats.constData(), static_cast<std::size_t>(beats.size())}, [this](const wire::RecordView& record) {
        if (record.kind == "beat")
            m_report.spoolBytesThere = record.integer("size").value_or(m_report.spoolBytesThere);
        else if (record.kind == wire::kind::kError)
            m_said = AgentRecord::from(record);
        else if (record.kind == wire::kind::kClock)
            hearClock(record);
    });
    askClock(); // the next question at once
}

void FollowLoop::hearClock(const wire::RecordView& record)
{
    const auto of = record.integer("of"), wall = record.integer("wall_us");
    const std::string boot = record.text("boot_id");
    if (!of || !wall || boot.size() > kMostBootIdBytes)
        return;
    if (const auto reading = m_clock.answered({*of, record.timeUs, *wall, QString::fromStdString(boot)}, Clock::now()))
        tell(*reading);
}

void FollowLoop::askClock()
{
    if (m_job.node.local || !m_clock.isDue(Clock::now()))
        return;
    m_stream->queueInput(QByteArray::number(m_clock.asked(Clock::now(), wallClockUs())) + '\n');
}

void FollowLoop::tell(const ClockReading& reading)
{
    m_report.clock = reading;
    if (auto kept = m_copy.measured(reading); !kept)
        qCWarning(logFollow).noquote() << kept.error().text; // the next one tries again
}

void FollowLoop::streamEnded(const Chunk& chunk)
{
    if (chunk.exitCode == 0 && chunk.signal.isEmpty()) {
        m_end = FollowEnd{};
        return;
    }
    if (!m_said) {
        loseStream(QStringLiteral("the agent's answer ended with exit code %1").arg(chunk.exitCode));
        return;
    }
    const Error error = agentError(*m_said, m_job.node.name);
    if (m_said->text("code") == QLatin1String("lost"))
        m_end =
            FollowEnd{FollowEnd::How::SupervisorLost, error, static_cast<int>(m_said->integer("left").value_or(-1))};
    else if (m_said->text("code") == QLatin1String("not_found"))
        m_end = FollowEnd{FollowEnd::How::NeverStarted, error};
    else
        loseStream(error.text);
}

void FollowLoop::loseStream(const QString& reason)
{
    m_stream.reset();
    if (!m_needsPerson) // which says what is to be done
        m_report.reason = reason;
    if (!m_spare.valid())
        m_nextSpare = Clock::now() + m_backOff.next();
}

void FollowLoop::startSpare()
{
    m_spareBegan = Clock::now();
    m_spare = std::async(std::launch::async, [this, stop = m_spareStop.get_token()] {
        return openNode(m_job.transports, m_job.node, m_job.agent, stop);
    });
}

void FollowLoop::takeSpare()
{
    auto link = m_spare.get();
    if (!link) {
        refused(link.error());
    } else if (needsLink()) {
        openStream(std::move(*link));
    } // else the first connection came back meanwhile: the second is dropped
}

// A node that says nothing is knocked at all the time, so the pause counts from the beginning of the last try; one that
// has answered is not. Where only a person can help, there is no further try: it would ask again at once what was just
// declined, or show a node the same wrong keys until it locks the account.
void FollowLoop::refused(const Error& error)
{
    m_report.reason = error.text;
    const auto pause = m_backOff.next();
    m_nextSpare = worthAnotherTry(error.code) ? m_spareBegan + std::min<std::chrono::milliseconds>(pause, kMostPause)
                                              : Clock::now() + pause;
    m_needsPerson = m_needsPerson || needsPerson(phaseOf(error.code));
    if (m_needsPerson)
        m_report.reason +=
            QStringLiteral(" It is not tried again by itself: check the node, or attach to the run again.");
}

// After a refusal that only a person can change: once somebody has got in, by a check of the node or a stop.
bool FollowLoop::mayConnect()
{
    if (!m_needsPerson)
        return true;
    m_others = m_job.transports(m_job.node);
    if (m_others->isConnected())
        return true;
    m_nextSpare = Clock::now() + kLookForOthers;
    return false;
}

void FollowLoop::openStream(NodeLink link)
{
    m_stream.reset(); // of the old link: nothing of it is read any more, so that no byte can come twice
    m_link = std::move(link);
    m_beats = wire::Decoder();
    m_said.reset();
    auto process = m_link.transport->start({m_link.agent.path, "follow", m_copy.origin().run.toUtf8(), "--from",
                                            QByteArray::number(m_copy.offset()), "--gather",
                                            QByteArray::number(qint64{m_job.gather.count()})},
                                           Deadline::in(kStartTime), m_stop);
    if (!process) {
        m_spareBegan = Clock::now();
        refused(process.error());
        return;
    }
    m_stream = std::move(*process);
    m_clock.restart(Clock::now());
    m_heard = Clock::now();
}

void FollowLoop::report()
{
    if (m_blocked)
        m_report.phase = LinkPhase::Blocked;
    else if (!m_stream)
        m_report.phase = m_report.lastHeardWallUs == 0 ? LinkPhase::Connecting : LinkPhase::Reconnecting;
    else if (silence() > kStaleAfter)
        m_report.phase = needsLink() ? LinkPhase::Reconnecting : LinkPhase::Stale;
    else if (m_report.lastHeardWallUs != 0)
        m_report.phase = LinkPhase::Live;
    if (m_report.phase == LinkPhase::Live)
        m_report.reason.clear();
    if (m_report.phase == m_reported.phase && m_report.reason == m_reported.reason && Clock::now() < m_nextReport)
        return;
    m_nextReport = Clock::now() + kReportEvery;
    m_reported = m_report;
    m_sinks.linkChanged(m_report);
}

} // namespace lockstep
