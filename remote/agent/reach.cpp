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

// One way that is tried: connected, then a byte there and back a few times.
class Way {
public:
    explicit Way(const SocketAddress& address)
        : m_address(address), m_fd(::socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0))
    {
        const int on = 1;
        ::setsockopt(m_fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        if (!m_fd.isOpen() || (::connect(m_fd.get(), address.get(), address.size()) != 0 && errno != EINPROGRESS))
            m_error = errno;
    }

    [[nodiscard]] bool isOver() const { return m_error != 0 || m_echoes == kEchoes; }
    [[nodiscard]] pollfd slot() const // -1 when it is over: poll passes over it
    {
        return {isOver() ? -1 : m_fd.get(), static_cast<short>(m_connected ? POLLIN : POLLOUT), 0};
    }

    void ready()
    {
        if (!m_connected) {
            socklen_t size = sizeof m_error;
            ::getsockopt(m_fd.get(), SOL_SOCKET, SO_ERROR, &m_error, &size);
            m_connected = m_error == 0;
        } else {
            char byte = 0;
            const ssize_t got = ::recv(m_fd.get(), &byte, 1, 0);
            if (got != 1) {
                m_error = got == 0 ? ECONNRESET : errno;
                return;
            }
            m_shortestUs = std::min(m_shortestUs, monotonicUs() - m_sentUs);
            ++m_echoes;
        }
        if (!isOver())
            ask();
    }

    void expire()
    {
        if (!isOver())
            m_error = ETIMEDOUT;
    }

    void append(std::string& out) const
    {
        wire::Encoder record(out);
        record.begin(m_error == 0 ? "reached" : "unreached", wire::kNode, monotonicUs());
        record.field("addr", m_address.text());
        if (m_error == 0) {
            const SocketAddress from = SocketAddress::localOf(m_fd.get());
            record.field("rtt_us", m_shortestUs).field("from", from.text()).field("if", from.interface());
        } else {
            record.field("text", std::strerror(m_error));
        }
        record.end();
    }

private:
    void ask()
    {
        m_sentUs = monotonicUs();
        const char byte = 'l';
        if (::send(m_fd.get(), &byte, 1, MSG_NOSIGNAL) != 1)
            m_error = errno;
    }

    SocketAddress m_address;
    Fd m_fd;
    std::int64_t m_sentUs = 0, m_shortestUs = kReachUs;
    int m_error = 0, m_echoes = 0;
    bool m_connected = false;
};

void walk(std::vector<Way>& ways)
{
    const std::int64_t end = monotonicUs() + kReachUs;
    while (!std::ranges::all_of(ways, &Way::isOver)) {
        const std::int64_t left = end - monotonicUs();
        if (left <= 0)
            break;
        std::vector<pollfd> entries;
        entries.reserve(ways.size());
        for (const Way& way : ways)
            entries.push_back(way.slot());
        if (::poll(entries.data(), entries.size(), static_cast<int>(left / 1000 + 1)) < 0 && errno != EINTR)
            break;
        for (std::size_t i = 0; i < ways.size(); ++i)
            if (entries[i].fd >= 0 && entries[i].revents != 0)
                ways[i].ready();
    }
    for (Way& way : ways)
        way.expire();
}

} // namespace

int runReach(std::string_view addresses, std::string_view port, int outFd)
{
    const auto where = SocketAddress::parseList(addresses, port);
    if (!where)
        return answerFailure(outFd, where.error());
    std::vector<Way> ways(where->begin(), where->end());
    walk(ways);
    std::string out;
    for (const Way& way : ways)
        way.append(out);
    return writeAll(outFd, out) ? 0 : 1;
}

} // namespace lockstep::agent
