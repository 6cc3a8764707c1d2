// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/sampler.h"

#include "remote/agent/clocks.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace lockstep::agent {

namespace {

constexpr std::int64_t kPeriodUs = 1'000'000;
constexpr std::size_t kMaxUnsent =
    std::size_t{256} * 1024; // minutes of samples; more is of no use to a reader that does not read

// Makes a descriptor of somebody else's non-blocking, and leaves it as it was.
class NonBlocking {
public:
    explicit NonBlocking(int fd) : m_fd(fd), m_flags(::fcntl(fd, F_GETFL))
    {
        ::fcntl(fd, F_SETFL, m_flags | O_NONBLOCK);
    }
    ~NonBlocking() { ::fcntl(m_fd, F_SETFL, m_flags); }
    NonBlocking(const NonBlocking&) = delete;
    NonBlocking& operator=(const NonBlocking&) = delete;

private:
    int m_fd;
    int m_flags;
};

bool isOver(ssize_t got)
{
    return got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
}

bool inputEnded(int fd)
{
    std::array<char, 512> ignored{};
    ssize_t got = 0;
    while ((got = ::read(fd, ignored.data(), ignored.size())) > 0) {
    }
    return isOver(got);
}

// false: the reader is gone
bool send(int fd, std::string& unsent)
{
    while (!unsent.empty()) {
        const ssize_t put = ::write(fd, unsent.data(), unsent.size());
        if (put <= 0)
            return put < 0 && !isOver(put);
        unsent.erase(0, static_cast<std::size_t>(put));
    }
    return true;
}

} // namespace

Sampler::Sampler(SamplerOptions options) : m_host(std::move(options.host)), m_gpus(std::move(options.gpus)) {}

void Sampler::tick(std::string& out, std::int64_t nowUs)
{
    m_host.append(out, nowUs);
    m_gpus.tick(out, nowUs);
}

int runSample(int outFd, int inFd)
{
    ::signal(SIGPIPE, SIG_IGN);
    const NonBlocking out(outFd);
    const NonBlocking in(inFd);
    Sampler sampler;
    std::string unsent;
    std::int64_t nextUs = monotonicUs();
    while (true) {
        const std::int64_t nowUs = monotonicUs();
        std::string fresh;
        if (nowUs >= nextUs) {
            sampler.tick(fresh, nowUs);
            nextUs = std::max(nextUs + kPeriodUs, nowUs + kPeriodUs / 2);
        }
        sampler.readable(fresh, nowUs);
        if (unsent.size() + fresh.size() <= kMaxUnsent)
            unsent += fresh;
        if (!send(outFd, unsent))
            return 0;
        std::array waits{pollfd{inFd, POLLIN, 0}, pollfd{outFd, static_cast<short>(unsent.empty() ? 0 : POLLOUT), 0},
                         pollfd{sampler.pollFd(), POLLIN, 0}};
        const auto waitMs = static_cast<int>(std::max<std::int64_t>(0, nextUs - monotonicUs()) / 1000 + 1);
        if (::poll(waits.data(), waits.size(), waitMs) < 0)
            continue;
        if ((waits[0].revents != 0 && inputEnded(inFd)) || (waits[1].revents & (POLLERR | POLLHUP)) != 0)
            return 0;
    }
}

} // namespace lockstep::agent
