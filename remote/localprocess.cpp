// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/localprocess.h"

#include "remote/descriptorlimit.h"
#include "remote/spawnprogram.h"
#include "remote/waiting.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>

namespace lockstep {

namespace {

constexpr std::chrono::milliseconds kCloseGrace{500}; // for a program that ends when its input does
constexpr qsizetype kBufferBytes = 1024 * 1024;       // read ahead of the caller at most
constexpr qsizetype kPieceBytes = 64 * 1024;
constexpr int kNotFound = 127, kNotExecutable = 126;

struct Pipe {
    Descriptor ours, theirs;
};

// A socket pair for stdin, as sshd gives its programs: send() can be told not to raise SIGPIPE.
std::optional<Pipe> inputPipe()
{
    int fds[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0)
        return {};
    Pipe made{Descriptor(fds[0]), Descriptor(fds[1])};
    fcntl(made.ours.get(), F_SETFL, O_NONBLOCK);
    shutdown(made.ours.get(), SHUT_RD);
    return made;
}

std::optional<Pipe> outputPipe()
{
    int fds[2];
    if (pipe2(fds, O_CLOEXEC) != 0)
        return {};
    Pipe made{Descriptor(fds[0]), Descriptor(fds[1])};
    fcntl(made.ours.get(), F_SETFL, O_NONBLOCK);
    return made;
}

// Reads until EAGAIN (true: nothing more is there now), the end (true), or until `into` is full (false).
bool drain(Descriptor& from, QByteArray& into)
{
    while (from && into.size() < kBufferBytes) {
        const qsizetype before = into.size();
        into.resize(before + kPieceBytes);
        const ssize_t got = ::read(from.get(), into.data() + before, static_cast<std::size_t>(kPieceBytes));
        into.resize(before + std::max<ssize_t>(got, 0));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 && errno == EAGAIN)
            return true;
        if (got <= 0)
            from.reset();
    }
    return !from;
}

} // namespace

LocalProcess::LocalProcess(QString node, QString program, std::stop_token closed)
    : m_node(std::move(node)), m_program(std::move(program)), m_closed(std::move(closed))
{
}

Result<std::unique_ptr<Process>> LocalProcess::start(const QList<QByteArray>& argv, const QString& node,
                                                     std::stop_token closed)
{
    std::unique_ptr<LocalProcess> process(new LocalProcess(node, QString::fromUtf8(argv.first()), std::move(closed)));
    auto in = inputPipe();
    auto out = outputPipe();
    auto err = outputPipe();
    if (!in || !out || !err)
        return failure(ErrorCode::Io,
                       QStringLiteral("Could not make pipes to start %1 on %2: %3.")
                           .arg(process->m_program, node, descriptorError(errno)),
                       node);
    const int error = spawnProgram(&process->m_pid, argv, {in->theirs.get(), out->theirs.get(), err->theirs.get()});
    if (error != 0) {
        process->m_pid = -1;
        process->m_exited = process->m_outDrained = process->m_errDrained = process->m_inputGone = true;
        process->m_exitCode = error == ENOENT ? kNotFound : kNotExecutable;
        process->m_errBytes = argv.first() + ": " + std::strerror(error) + '\n';
        return process;
    }
    process->m_pidFd.reset(pidFd(process->m_pid));
    process->m_in = std::move(in->ours);
    process->m_out = std::move(out->ours);
    process->m_err = std::move(err->ours);
    return process;
}

LocalProcess::~LocalProcess()
{
    m_in.reset();
    m_out.reset();
    m_err.reset();
    if (m_pid < 0 || m_exited)
        return;
    pollfd end{m_pidFd.get(), POLLIN, 0};
    if (poll(&end, 1, static_cast<int>(kCloseGrace.count())) == 0)
        kill(m_pid, SIGKILL);
    while (waitpid(m_pid, nullptr, 0) < 0 && errno == EINTR) {
    }
}

void LocalProcess::pumpInput()
{
    while (m_in && !m_pending.empty()) {
        const QByteArray& piece = m_pending.front();
        const ssize_t sent = send(m_in.get(), piece.constData() + m_pendingOffset,
                                  static_cast<std::size_t>(piece.size() - m_pendingOffset), MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0 && errno == EAGAIN)
            return;
        if (sent < 0) {
            m_inputGone = true;
            m_in.reset();
            m_pending.clear();
            return;
        }
        m_pendingOffset += sent;
        if (m_pendingOffset == piece.size()) {
            m_pending.pop_front();
            m_pendingOffset = 0;
        }
    }
    if (m_closeInput)
        m_in.reset();
}

void LocalProcess::noticeEnd()
{
    siginfo_t info{};
    if (m_exited || waitid(P_PIDFD, static_cast<id_t>(m_pidFd.get()), &info, WEXITED | WNOHANG) != 0 ||
        info.si_pid == 0)
        return;
    m_exited = true;
    m_in.reset();
    if (info.si_code == CLD_EXITED)
        m_exitCode = info.si_status;
    else
        m_signal = sigabbrev_np(info.si_status);
}

void LocalProcess::pump()
{
    noticeEnd(); // before the last look at its output
    pumpInput();
    // A grandchild may hold the pipes for ever: after the program's own end, what is there now is all.
    m_outDrained = drain(m_out, m_outBytes);
    m_errDrained = drain(m_err, m_errBytes);
}

Result<void> LocalProcess::waitFor(Until until, Deadline deadline, const std::stop_token& stop)
{
    const StopWake wake(stop, m_closed);
    for (;;) {
        if (m_closed.stop_requested())
            return failure(ErrorCode::ConnectionLost, QStringLiteral("%1 was closed.").arg(m_node), m_node);
        pump();
        const bool reached = until == Until::Bytes ? !m_outBytes.isEmpty() || !m_errBytes.isEmpty() || ended()
                                                   : m_pending.empty() || m_inputGone || m_exited;
        if (reached)
            return {};
        if (stop.stop_requested())
            return failure(ErrorCode::Stopped, QStringLiteral("%1 on %2 was stopped.").arg(m_program, m_node), m_node);
        if (passed(deadline))
            return failure(ErrorCode::Timeout,
                           QStringLiteral("%1 on %2 did not answer in time.").arg(m_program, m_node), m_node);
        // Entries with a negative descriptor are ignored by poll.
        pollfd entries[] = {
            wake.pollEntry(),
            {m_exited ? -1 : m_pidFd.get(), POLLIN, 0},
            {m_pending.empty() ? -1 : m_in.get(), POLLOUT, 0},
            {m_outBytes.size() < kBufferBytes ? m_out.get() : -1, POLLIN, 0},
            {m_errBytes.size() < kBufferBytes ? m_err.get() : -1, POLLIN, 0},
        };
        poll(entries, std::size(entries), pollTimeout(deadline));
    }
}

Result<Chunk> LocalProcess::read(Deadline deadline, std::stop_token stop)
{
    if (auto waited = waitFor(Until::Bytes, deadline, stop); !waited)
        return std::unexpected(waited.error());
    Chunk chunk;
    chunk.out = std::exchange(m_outBytes, {});
    chunk.err = std::exchange(m_errBytes, {});
    chunk.ended = ended();
    if (chunk.ended) {
        chunk.exitCode = m_exitCode;
        chunk.signal = m_signal;
    }
    return chunk;
}

Result<void> LocalProcess::write(const QByteArray& bytes, Deadline deadline, std::stop_token stop)
{
    queueInput(bytes);
    if (auto waited = waitFor(Until::InputTaken, deadline, stop); !waited)
        return waited;
    if (m_inputGone || m_exited)
        return failure(ErrorCode::Protocol,
                       QStringLiteral("%1 on %2 ended before it had read all of its input.").arg(m_program, m_node),
                       m_node);
    return {};
}

void LocalProcess::queueInput(const QByteArray& bytes)
{
    if (!bytes.isEmpty() && m_in)
        m_pending.push_back(bytes);
}

Result<void> LocalProcess::closeInput()
{
    m_closeInput = true;
    pumpInput();
    return {};
}

} // namespace lockstep
