// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/proxycommand.h"

#include "remote/spawnprogram.h"
#include "remote/waiting.h"

#include <QFile>

#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <future>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>

namespace lockstep {

namespace {

constexpr std::chrono::milliseconds kHangUpGrace{1000}; // between HUP and KILL
constexpr std::chrono::milliseconds kComplaintTime{500};
constexpr qsizetype kComplaintBytes = 600; // the end of what it said

} // namespace

struct ProxyCommand::State {
    pid_t pid = -1;
    Descriptor end, err;
    std::stop_source hangUp;
    std::promise<QString> said;
    std::shared_future<QString> words{said.get_future()};

    void watch();
    [[nodiscard]] QString wordsAtEnd(const QByteArray& last) const;
};

// One that fails without a word is told by its exit code. It stays to be reaped.
QString ProxyCommand::State::wordsAtEnd(const QByteArray& last) const
{
    QString complaint = QString::fromUtf8(last).simplified();
    siginfo_t info{};
    if (!complaint.isEmpty() || waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
        info.si_status == 0)
        return complaint;
    return (info.si_code == CLD_EXITED ? QStringLiteral("it ended with exit code %1 and said nothing.")
                                       : QStringLiteral("signal %1 ended it."))
        .arg(info.si_status);
}

// On a thread of its own, to the end of the command: its complaints must not block it, and it must be reaped.
void ProxyCommand::State::watch()
{
    QByteArray last, piece(4096, '\0');
    const StopWake wake(hangUp.get_token(), {});
    Deadline kill;
    bool hungUp = false;
    for (bool ended = false; !ended;) {
        if (hangUp.stop_requested() && !std::exchange(hungUp, true)) {
            ::kill(-pid, SIGHUP); // it leads a session, and so a group, of its own
            kill = Deadline::in(kHangUpGrace);
        }
        if (passed(kill))
            ::kill(-pid, SIGKILL);
        pollfd entries[] = {{end.get(), POLLIN, 0}, {err.get(), POLLIN, 0}, wake.pollEntry()};
        poll(entries, hungUp ? 2 : 3, pollTimeout(kill));
        if (entries[1].revents != 0) {
            const ssize_t got = ::read(err.get(), piece.data(), static_cast<std::size_t>(piece.size()));
            if (got > 0)
                last = (last + piece.left(got)).right(kComplaintBytes);
            else if (got == 0)
                err.reset();
            continue; // to the last word before the end counts
        }
        ended = entries[0].revents != 0;
    }
    said.set_value(wordsAtEnd(last));
    while (!hangUp.stop_requested()) { // what it has put into the background may still carry the connection
        pollfd entry = wake.pollEntry();
        poll(&entry, 1, -1);
    }
    ::kill(-pid, SIGHUP); // the group's number is its own until it is reaped
    while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
}

ProxyCommand::ProxyCommand(std::shared_ptr<State> state) : m_state(std::move(state)) {}

ProxyCommand::~ProxyCommand()
{
    m_state->hangUp.request_stop();
}

Result<ProxyCommand::Started> ProxyCommand::start(const QString& command, const QString& node)
{
    const auto failed = [&](int error) {
        return failure(ErrorCode::Io,
                       QStringLiteral("The ProxyCommand `%1` of %2 could not be started: %3.")
                           .arg(command, node, QString::fromLocal8Bit(std::strerror(error))),
                       node);
    };
    int ends[2] = {-1, -1}, errors[2] = {-1, -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return failed(errno);
    Descriptor ours(ends[0]);
    const Descriptor theirs(ends[1]);
    if (pipe2(errors, O_CLOEXEC) != 0)
        return failed(errno);
    auto state = std::make_shared<State>();
    state->err.reset(errors[0]);
    const Descriptor theirErr(errors[1]);
    fcntl(ours.get(), F_SETFL, O_NONBLOCK);
    const QByteArray shell = qEnvironmentVariable("SHELL", QStringLiteral("/bin/sh")).toLocal8Bit();
    const int error = spawnProgram(&state->pid, {shell, "-c", "exec " + command.toLocal8Bit()},
                                   {theirs.get(), theirs.get(), theirErr.get()});
    if (error != 0)
        return failed(error);
    state->end.reset(pidFd(state->pid));
    std::thread([state] { state->watch(); }).detach();
    return Started{std::shared_ptr<ProxyCommand>(new ProxyCommand(state)), std::move(ours)};
}

QString ProxyCommand::complaint(const std::stop_token& stop) const
{
    if (stop.stop_requested() || m_state->words.wait_for(kComplaintTime) != std::future_status::ready)
        return {};
    return m_state->words.get();
}

} // namespace lockstep
