// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/childanswer.h"

#include "remote/agent/clocks.h"
#include "remote/agent/fd.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace lockstep::agent {

namespace {

constexpr std::size_t kMaxAnswer = std::size_t{1024} * 1024;

// false: the deadline passed
bool readToEnd(int fd, std::int64_t deadlineUs, std::string& text)
{
    std::array<char, 4096> buffer{};
    while (text.size() < kMaxAnswer) {
        const std::int64_t leftMs = (deadlineUs - monotonicUs()) / 1000;
        pollfd waiting{fd, POLLIN, 0};
        if (leftMs <= 0 || ::poll(&waiting, 1, static_cast<int>(leftMs)) == 0)
            return false;
        const ssize_t got = ::read(fd, buffer.data(), buffer.size());
        if (got == 0)
            return true;
        if (got > 0)
            text.append(buffer.data(), static_cast<std::size_t>(got));
        else if (errno != EINTR && errno != EAGAIN)
            return true;
    }
    return true;
}

} // namespace

std::optional<std::string> answerInTime(const std::function<void(int fd)>& ask, std::chrono::milliseconds deadline)
{
    const std::int64_t deadlineUs = monotonicUs() + deadline.count() * 1000;
    int ends[2] = {-1, -1};
    if (::pipe2(ends, O_CLOEXEC) != 0)
        return std::nullopt;
    const Fd readEnd(ends[0]);
    Fd writeEnd(ends[1]);
    const pid_t pid = ::fork();
    if (pid == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
        ::dup2(null, STDOUT_FILENO); // a library that prints must not spoil the answer
        ::dup2(null, STDERR_FILENO);
        ask(writeEnd.get());
        ::_exit(0);
    }
    writeEnd.reset();
    std::string text;
    const bool inTime = pid > 0 && readToEnd(readEnd.get(), deadlineUs, text);
    if (pid > 0) {
        ::kill(pid, SIGKILL);
        ::waitpid(pid, nullptr, inTime ? 0 : WNOHANG);
    }
    return inTime ? std::optional(std::move(text)) : std::nullopt;
}

} // namespace lockstep::agent
