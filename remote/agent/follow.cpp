// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/follow.h"

#include "core/wire/encoder.h"
#include "core/wire/kinds.h"
#include "remote/agent/answer.h"
#include "remote/agent/clock.h"
#include "remote/agent/clocks.h"
#include "remote/agent/runlock.h"
#include "remote/agent/runslist.h"
#include "remote/agent/spoolreader.h"
#include "remote/agent/spooltail.h"
#include "remote/agent/sweep.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

namespace lockstep::agent {

namespace {

constexpr std::int64_t kBeatUs = 250'000;
constexpr std::int64_t kBusyBeatUs = 1'000'000;    // while records flow, which are as good a sign of life
constexpr std::size_t kGatherBytes = 64 * 1024;    // who reads as much is catching up
constexpr std::int64_t kStandingUs = 20'000;       // how soon the end of the supervisor is seen after its last record
constexpr std::int64_t kQuietStandingUs = 500'000; // and while records flow or nothing happens
constexpr std::size_t kTailBytes = 4096;
constexpr int kWithoutInotifyMs = 50;

// The output must not block: beats go on and the end of stdin is seen while the reader is slow.
class NonBlocking {
public:
    explicit NonBlocking(int fd) : m_fd(fd), m_flags(::fcntl(fd, F_GETFL))
    {
        ::fcntl(fd, F_SETFL, m_flags | O_NONBLOCK);
    }
    ~NonBlocking() { ::fcntl(m_fd, F_SETFL, m_flags); } // a terminal is shared with the shell
    NonBlocking(const NonBlocking&) = delete;
    NonBlocking& operator=(const NonBlocking&) = delete;

private:
    int m_fd;
    int m_flags;
};

Fd watchFolder(const std::string& runFolder)
{
    Fd fd(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
    if (fd.isOpen() && ::inotify_add_watch(fd.get(), runFolder.c_str(), IN_MODIFY | IN_CREATE) < 0)
        fd.reset();
    return fd;
}

class Following {
public:
    Following(std::string folder, std::int64_t gatherUs, const FollowFds& fds)
        : m_folder(std::move(folder)), m_gatherUs(gatherUs), m_fds(fds), m_reader(m_folder),
          m_watch(watchFolder(m_folder))
    {
    }

    [[nodiscard]] Outcome<void> begin(std::uint64_t offset) { return m_reader.seek(offset); }

    [[nodiscard]] Outcome<void> run()
    {
        const NonBlocking out(m_fds.out);
        while (true) {
            if (const auto filled = fill(); !filled)
                return filled;
            if (m_pending.empty() && m_over)
                return m_lost ? failed("lost", "the supervisor of the run on this node is gone") : Outcome<void>();
            beat();
            if (!wait())
                return {};
        }
    }

private:
    // Reads on when all that was read is sent; at the end, looks whether there will be more.
    Outcome<void> fill()
    {
        const std::int64_t nowUs = monotonicUs();
        if (!m_pending.empty() || m_over || nowUs < m_nextReadUs)
            return {};
        auto got = m_reader.read(m_pending);
        if (!got)
            return std::unexpected(got.error());
        if (*got > 0) {
            m_sawEnd = m_pending.find("phase=ended", m_pending.size() - std::min(m_pending.size(), kTailBytes)) !=
                       std::string::npos;
            m_nextStandingUs = nowUs + (m_sawEnd ? kStandingUs : kQuietStandingUs);
            m_nextReadUs = nowUs + (m_sawEnd || *got >= kGatherBytes ? 0 : untilNext(m_gatherUs));
            // Records are a beat too; one that would be due before the next of them goes with these.
            m_nextBeatUs = nowUs - m_beatUs + m_gatherUs >= kBusyBeatUs ? nowUs : nowUs + m_gatherUs + kBeatUs;
            return {};
        }
        if (nowUs < m_nextStandingUs)
            return {};
        m_nextStandingUs = nowUs + (m_sawEnd ? kStandingUs : kQuietStandingUs);
        if (RunLock::holder(m_folder))
            return {};
        const RunStatus status = runStatus(m_folder);
        if (status.standing == RunStanding::Running)
            return {};
        // It ended after our last read, perhaps: what it wrote before comes first.
        got = m_reader.read(m_pending);
        if (!got)
            return std::unexpected(got.error());
        if (*got == 0) {
            m_over = true;
            m_lost = status.standing == RunStanding::Lost;
        }
        return {};
    }

    // Up to the next multiple by the clock, which is about the same on all nodes: the desktop wakes once for all.
    [[nodiscard]] static std::int64_t untilNext(std::int64_t periodUs)
    {
        return periodUs == 0 ? 0 : periodUs - wallUs() % periodUs;
    }

    void beat()
    {
        const std::int64_t nowUs = monotonicUs();
        if (nowUs < m_nextBeatUs)
            return;
        m_beatUs = nowUs;
        m_nextBeatUs = nowUs + untilNext(kBeatUs);
        std::string record;
        wire::Encoder encoder(record);
        encoder.begin("beat", wire::kNode, nowUs).field("wall_us", wallUs()).field("size", m_reader.size()).end();
        say(record);
    }

    // Beside the spool's bytes. What finds no room is late already: a beat, the time of day.
    void say(std::string_view records) const
    {
        pollfd writable{m_fds.err, POLLOUT, 0};
        if (::poll(&writable, 1, 0) == 1 && (writable.revents & POLLOUT) != 0)
            writeAll(m_fds.err, records);
    }

    // False: the other side is gone.
    bool wait()
    {
        const std::int64_t nowUs = monotonicUs();
        const bool gathers = m_pending.empty() && nowUs < m_nextReadUs;
        const bool looksOut = m_pending.empty() && !gathers;
        std::int64_t next = gathers ? std::min(m_nextBeatUs, m_nextReadUs) : m_nextBeatUs;
        if (looksOut)
            next = std::min(next, std::max(m_nextStandingUs, nowUs + 1000));
        int timeoutMs = static_cast<int>(std::clamp<std::int64_t>((next - nowUs + 999) / 1000, 0, 1000));
        if (!m_watch.isOpen() && looksOut)
            timeoutMs = std::min(timeoutMs, kWithoutInotifyMs);
        pollfd polled[3] = {{m_fds.in, POLLIN, 0},
                            {m_fds.out, static_cast<short>(m_pending.empty() ? 0 : POLLOUT), 0},
                            {looksOut ? m_watch.get() : -1, POLLIN, 0}};
        ::poll(polled, 3, timeoutMs);
        if (polled[0].revents != 0) {
            char input[256];
            const ssize_t got = ::read(m_fds.in, input, sizeof input);
            if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
                return false;
            if (got > 0)
                say(m_questions.answers({input, static_cast<std::size_t>(got)}));
        }
        if (polled[2].revents != 0) {
            char events[4096];
            while (::read(m_watch.get(), events, sizeof events) > 0) {
            }
            if (!m_sawEnd)
                m_nextReadUs = nowUs + untilNext(m_gatherUs);
        }
        if ((polled[1].revents & (POLLERR | POLLHUP | POLLNVAL)) != 0)
            return false;
        return send();
    }

    bool send()
    {
        while (m_sent < m_pending.size()) {
            const ssize_t written = ::write(m_fds.out, m_pending.data() + m_sent, m_pending.size() - m_sent);
            if (written < 0 && errno == EINTR)
                continue;
            if (written < 0)
                return errno == EAGAIN;
            m_sent += static_cast<std::size_t>(written);
        }
        m_pending.clear();
        m_sent = 0;
        return true;
    }

    std::string m_folder;
    std::int64_t m_gatherUs;
    FollowFds m_fds;
    SpoolReader m_reader;
    Fd m_watch;
    ClockQuestions m_questions;
    std::string m_pending;
    std::size_t m_sent = 0; // of m_pending
    bool m_sawEnd = false;  // what looks like the last record went by
    bool m_over = false;
    bool m_lost = false;
    std::int64_t m_nextReadUs = 0;
    std::int64_t m_beatUs = 0; // when the last one was said
    std::int64_t m_nextBeatUs = 0;
    std::int64_t m_nextStandingUs = 0;
};

// With how much of the run lives on, for whoever may end it.
int answerLost(const std::string& folder, int err, const std::string& why)
{
    const std::size_t left = findProcesses(withoutSupervisor(folder)).size();
    std::string record;
    wire::Encoder encoder(record);
    encoder.begin(wire::kind::kError, wire::kNode, monotonicUs())
        .field("code", "lost")
        .field("text", why + "; " + std::to_string(left) + " of its processes live on")
        .field("left", left)
        .end();
    writeAll(err, record);
    return 1;
}

} // namespace

int runFollow(const FollowOrder& order, const FollowFds& fds)
{
    const auto folder = findRun(order.run);
    if (!folder)
        return answerFailure(fds.err, folder.error());
    Following following(*folder, order.gatherUs, fds);
    auto done = following.begin(order.offset);
    if (done)
        done = following.run();
    if (!done && done.error().code == "lost")
        return answerLost(*folder, fds.err, done.error().text);
    return done ? 0 : answerFailure(fds.err, done.error());
}

} // namespace lockstep::agent
