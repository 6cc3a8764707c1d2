// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/wire/encoder.h"
#include "remote/agent/answer.h"
#include "remote/agent/clocks.h"
#include "remote/agent/fd.h"
#include "remote/agent/listen.h"
#include "remote/agent/socketaddress.h"

#include <netinet/tcp.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace lockstep::agent {

namespace {

constexpr std::int64_t kReachUs = 5'000'000;
constexpr int kEchoes = 5; // the shortest counts: the first one wakes the other side up

// Waits for `events`; ETIMEDOUT after `end`.
int waitFor(int fd, short events, std::int64_t end)
{
    for (;;) {
        const std::int64_t left = end - monotonicUs();
        if (left <= 0)
            return ETIMEDOUT;
        pollfd entry{fd, events, 0};
        const int ready = ::poll(&entry, 1, static_cast<int>(left / 1000 + 1));
        if (ready > 0)
            return 0;
        if (ready < 0 && errno != EINTR)
            return errno;
    }
}

int connectTo(int fd, const SocketAddress& address, std::int64_t end)
{
    if (::connect(fd, address.get(), address.size()) == 0)
        return 0;
    if (errno != EINPROGRESS)
        return errno;
    if (const int waited = waitFor(fd, POLLOUT, end); waited != 0)
        return waited;
    int error = 0;
    socklen_t size = sizeof error;
    ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
    return error;
}

int echo(int fd, std::int64_t end, std::int64_t& shortestUs)
{
    for (int i = 0; i < kEchoes; ++i) {
        const std::int64_t begin = monotonicUs();
        char byte = 'l';
        if (::send(fd, &byte, 1, MSG_NOSIGNAL) != 1)
            return errno;
        if (const int waited = waitFor(fd, POLLIN, end); waited != 0)
            return waited;
        const ssize_t got = ::recv(fd, &byte, 1, 0);
        if (got != 1)
            return got == 0 ? ECONNRESET : errno;
        shortestUs = std::min(shortestUs, monotonicUs() - begin);
    }
    return 0;
}

} // namespace

int runReach(std::string_view address, std::string_view port, int outFd)
{
    const auto where = SocketAddress::parse(address, port);
    if (!where)
        return answerFailure(outFd, where.error());
    const std::int64_t end = monotonicUs() + kReachUs;
    const Fd fd(::socket(where->family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const int on = 1;
    ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    std::int64_t shortest = kReachUs;
    int error = fd.isOpen() ? connectTo(fd.get(), *where, end) : errno;
    if (error == 0)
        error = echo(fd.get(), end, shortest);
    if (error != 0)
        return answerFailure(outFd, Failure{"unreachable", std::string(std::strerror(error))});
    std::string out;
    wire::Encoder(out)
        .begin("reached", wire::kNode, monotonicUs())
        .field("rtt_us", shortest)
        .field("from", SocketAddress::localOf(fd.get()).text())
        .end();
    return writeAll(outFd, out) ? 0 : 1;
}

} // namespace lockstep::agent
