// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/gpuprocess.h"

#include "core/wire/decoder.h"
#include "core/wire/encoder.h"
#include "core/wire/kinds.h"
#include "core/wire/runtag.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace lockstep::agent {

namespace {

constexpr std::int64_t kSecondUs = 1'000'000;
constexpr std::int64_t kSilenceUs = 3 * kSecondUs;
// A driver that nobody keeps loaded initialises every GPU first: seconds on a machine with eight.
constexpr std::int64_t kFirstWordUs = 15 * kSecondUs;
constexpr std::array kRetryUs = {10 * kSecondUs, 30 * kSecondUs, 60 * kSecondUs};
constexpr std::int64_t kHealthyUs = 60 * kSecondUs; // after this long a fault is a new one
// Longer between two ticks: this process itself was stopped, and its child with it.
constexpr std::int64_t kOwnAbsenceUs = 2 * kSecondUs;
constexpr std::int64_t kStuckUs = 10 * kSecondUs; // still there after SIGKILL
constexpr int kGoodbyeMs = 200;

void appendError(std::string& out, std::int64_t nowUs, const std::string& text)
{
    wire::Encoder record(out);
    record.begin(wire::kind::kDevice, wire::kNode, nowUs).field("id", "gpus").field("error", text).end();
}

std::vector<char*> pointers(std::vector<std::string>& words)
{
    std::vector<char*> list;
    list.reserve(words.size() + 1);
    for (std::string& word : words)
        list.push_back(word.data());
    list.push_back(nullptr);
    return list;
}

// Without the tag of a run: this child is none of its processes, and must not be taken for a survivor of it.
std::vector<char*> environmentWithoutTag()
{
    std::vector<char*> list;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text = *entry, name = text.substr(0, text.find('='));
        if (name != wire::kRunVariable && name != wire::kRunFolderVariable)
            list.push_back(*entry);
    }
    list.push_back(nullptr);
    return list;
}

class SpawnSettings {
public:
    explicit SpawnSettings(int outFd)
    {
        ::posix_spawn_file_actions_init(&m_actions);
        ::posix_spawnattr_init(&m_attributes);
        ::posix_spawn_file_actions_addopen(&m_actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        ::posix_spawn_file_actions_adddup2(&m_actions, outFd, STDOUT_FILENO);
        ::posix_spawn_file_actions_addopen(&m_actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
        sigset_t none;
        sigset_t all;
        ::sigemptyset(&none);
        ::sigfillset(&all);
        ::posix_spawnattr_setsigmask(&m_attributes, &none);
        ::posix_spawnattr_setsigdefault(&m_attributes, &all);
        ::posix_spawnattr_setflags(&m_attributes,
                                   POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    }
    ~SpawnSettings()
    {
        ::posix_spawn_file_actions_destroy(&m_actions);
        ::posix_spawnattr_destroy(&m_attributes);
    }
    SpawnSettings(const SpawnSettings&) = delete;
    SpawnSettings& operator=(const SpawnSettings&) = delete;

    [[nodiscard]] const posix_spawn_file_actions_t* actions() const { return &m_actions; }
    [[nodiscard]] const posix_spawnattr_t* attributes() const { return &m_attributes; }

private:
    posix_spawn_file_actions_t m_actions{};
    posix_spawnattr_t m_attributes{};
};

} // namespace

GpuProcess::~GpuProcess()
{
    if (m_pid == 0)
        return;
    kill();
    if (m_pidFd.isOpen()) {
        pollfd gone{m_pidFd.get(), POLLIN, 0};
        ::poll(&gone, 1, kGoodbyeMs); // one that is stuck in the driver is left to init
    }
    reap();
}

void GpuProcess::tick(std::string& out, std::int64_t nowUs)
{
    if (m_tickUs != 0 && nowUs - m_tickUs > kOwnAbsenceUs)
        m_heardUs = nowUs;
    m_tickUs = nowUs;
    if (m_state == State::Waiting && nowUs >= m_nextStartUs)
        start(out, nowUs);
    if (m_state == State::Running) {
        readable(out, nowUs);
        checkSilence(out, nowUs);
    }
    if (m_state == State::Ending)
        finish(out, nowUs);
}

void GpuProcess::start(std::string& out, std::int64_t nowUs)
{
    m_partial.clear();
    m_spoke = m_saidWhy = m_saidNone = m_saidStuck = false;
    m_startedUs = m_heardUs = nowUs;
    int ends[2] = {-1, -1};
    if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
        return fail(out, nowUs, std::string("no pipe: ") + std::strerror(errno));
    Fd readEnd(ends[0]);
    const Fd writeEnd(ends[1]);
    // The child's writes wait for room, or a slow reader would cost it a part of a line.
    ::fcntl(writeEnd.get(), F_SETFL, 0);

    const SpawnSettings settings(writeEnd.get());
    std::vector<std::string> words = m_options.arguments;
    words.insert(words.begin(), m_options.program);
    const std::vector<char*> arguments = pointers(words);
    const std::vector<char*> environment = environmentWithoutTag();
    pid_t pid = 0;
    const int error = ::posix_spawn(&pid, m_options.program.c_str(), settings.actions(), settings.attributes(),
                                    arguments.data(), environment.data());
    if (error != 0)
        return fail(out, nowUs, m_options.program + " could not be started: " + std::strerror(error));
    m_pid = pid;
    // Nobody can have reaped it yet, so the number is still its own.
    m_pidFd = Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    m_pipe = std::move(readEnd);
    m_state = State::Running;
}

void GpuProcess::readable(std::string& out, std::int64_t nowUs)
{
    std::array<char, 4096> buffer{};
    while (m_pipe.isOpen()) {
        const ssize_t got = ::read(m_pipe.get(), buffer.data(), buffer.size());
        if (got > 0) {
            m_heardUs = nowUs;
            m_spoke = true;
            m_partial.append(buffer.data(), static_cast<std::size_t>(got));
            takeLines(out);
        } else if (got < 0 && errno == EINTR) {
            continue;
        } else if (got < 0 && errno == EAGAIN) {
            return;
        } else {
            expectEnd(nowUs); // its end of the pipe is closed
        }
    }
}

// Only what such a process has to say passes on, whatever else came through its pipe.
void GpuProcess::takeLines(std::string& out)
{
    std::string_view rest = m_partial;
    std::vector<wire::Field> fields;
    for (std::size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
        const std::string_view line = rest.substr(0, end);
        wire::RecordView record;
        if (wire::decodeLine(line, record, fields) && record.kind == wire::kind::kDevice &&
            record.rank == wire::kNode) {
            const bool aboutAll = record.text("id") == "gpus";
            m_saidWhy = aboutAll && record.find("error") != nullptr;
            m_saidNone = aboutAll && record.find("note") != nullptr;
            out.append(line).push_back('\n');
        }
        rest.remove_prefix(end + 1);
    }
    m_partial.erase(0, m_partial.size() - rest.size());
    if (m_partial.size() > wire::kMaxRecordBytes)
        m_partial.clear();
}

void GpuProcess::checkSilence(std::string& out, std::int64_t nowUs)
{
    const std::int64_t limit = m_spoke ? kSilenceUs : kFirstWordUs;
    if (m_state != State::Running || nowUs - m_heardUs < limit)
        return;
    appendError(out, nowUs,
                "The GPU driver has not answered for " + std::to_string((nowUs - m_heardUs) / kSecondUs) +
                    " s. Its reader was ended and is tried again later; look for `Xid` or `NVRM` in the kernel log.");
    m_saidWhy = true;
    expectEnd(nowUs);
    kill();
}

void GpuProcess::expectEnd(std::int64_t nowUs)
{
    m_pipe.reset();
    m_state = State::Ending;
    m_endingUs = nowUs;
}

void GpuProcess::finish(std::string& out, std::int64_t nowUs)
{
    if (!reap()) {
        kill();
        if (nowUs - m_endingUs >= kStuckUs && !m_saidStuck) {
            m_saidStuck = true;
            appendError(out, nowUs,
                        "The process that reads the GPUs is stuck in their driver and cannot be ended (pid " +
                            std::to_string(m_pid) + "): reboot the node.");
        }
        return;
    }
    if (m_saidNone) {
        m_state = State::Done;
        return;
    }
    if (m_saidWhy)
        scheduleRetry(nowUs);
    else
        fail(out, nowUs, "the process that reads the GPUs ended by itself" + m_ending);
}

void GpuProcess::fail(std::string& out, std::int64_t nowUs, const std::string& why)
{
    appendError(out, nowUs, "GPUs cannot be read: " + why + ". It is tried again later.");
    scheduleRetry(nowUs);
}

void GpuProcess::scheduleRetry(std::int64_t nowUs)
{
    if (m_heardUs - m_startedUs >= kHealthyUs)
        m_failures = 0;
    m_nextStartUs = nowUs + kRetryUs[std::min(m_failures, kRetryUs.size() - 1)];
    ++m_failures;
    m_state = State::Waiting;
}

void GpuProcess::kill()
{
    // A pid alone is no name: whoever owns this process may reap children before this class does.
    if (m_pidFd.isOpen())
        ::syscall(SYS_pidfd_send_signal, m_pidFd.get(), SIGKILL, nullptr, 0);
    else if (siginfo_t info{}; ::waitid(P_PID, static_cast<id_t>(m_pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0)
        ::kill(m_pid, SIGKILL); // still a child of this process
}

bool GpuProcess::reap()
{
    int status = 0;
    const pid_t got = ::waitpid(m_pid, &status, WNOHANG);
    if (got == 0 || (got < 0 && errno == EINTR))
        return false;
    m_ending.clear(); // ECHILD: somebody else reaped it, and knows how it ended
    if (got > 0 && WIFSIGNALED(status))
        m_ending =
            std::string(" by signal ") + std::to_string(WTERMSIG(status)) + " (" + ::strsignal(WTERMSIG(status)) + ")";
    else if (got > 0 && WIFEXITED(status))
        m_ending = " with code " + std::to_string(WEXITSTATUS(status));
    m_pid = 0;
    m_pidFd.reset();
    return true;
}

} // namespace lockstep::agent
