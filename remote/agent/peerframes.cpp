// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/peerframes.h"

#include "remote/agent/clocks.h"
#include "remote/agent/sha256.h"
#include "remote/agent/socketaddress.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

namespace lockstep::agent {

namespace {

constexpr int kConnectMs = 5'000;
constexpr int kSilenceMs = 15'000; // of the other node in the middle of a frame
constexpr std::size_t kPieceBytes = std::size_t{256} << 10;

bool waitFor(int fd, short events, int milliseconds)
{
    const std::int64_t end = monotonicUs() + std::int64_t{milliseconds} * 1000;
    for (;;) {
        const std::int64_t left = end - monotonicUs();
        pollfd entry{fd, events, 0};
        const int ready = left > 0 ? ::poll(&entry, 1, static_cast<int>(left / 1000 + 1)) : 0;
        if (ready > 0)
            return true;
        if (ready == 0 || errno != EINTR)
            return false;
    }
}

std::unexpected<Failure> unreachable(const std::string& from, const std::string& why)
{
    return failed("unreachable", "the node at " + from + " does not pass the bundle on: " + why);
}

bool sendAll(int fd, std::string_view bytes)
{
    while (!bytes.empty()) {
        const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent > 0)
            bytes.remove_prefix(static_cast<std::size_t>(sent));
        else if (errno != EINTR && (errno != EAGAIN || !waitFor(fd, POLLOUT, kSilenceMs)))
            return false;
    }
    return true;
}

} // namespace

Outcome<PeerFrames> PeerFrames::connect(const std::string& address, const std::string& port, const std::string& token)
{
    const auto where = SocketAddress::parse(address, port);
    if (!where)
        return std::unexpected(where.error());
    Fd socket(::socket(where->family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket.isOpen())
        return failedSystemCall("make a socket");
    int error = ::connect(socket.get(), where->get(), where->size()) == 0 ? 0 : errno;
    if (error == EINPROGRESS) {
        error = ETIMEDOUT;
        socklen_t size = sizeof error;
        if (waitFor(socket.get(), POLLOUT, kConnectMs))
            ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    }
    if (error != 0)
        return unreachable(address, std::strerror(error));
    if (!sendAll(socket.get(), token + "\n"))
        return unreachable(address, std::strerror(errno));
    return PeerFrames(std::move(socket), address);
}

Outcome<void> PeerFrames::take(const std::string& hash, std::uint64_t bytes, const std::string& sha256,
                               const std::function<Outcome<void>(std::string_view)>& each)
{
    if (!sendAll(m_socket.get(), hash + "\n"))
        return unreachable(m_from, std::strerror(errno));
    Sha256 check;
    std::vector<char> piece(kPieceBytes);
    for (std::uint64_t left = bytes; left > 0;) {
        if (!waitFor(m_socket.get(), POLLIN, kSilenceMs))
            return unreachable(m_from, "it fell silent");
        const ssize_t got = ::recv(m_socket.get(), piece.data(),
                                   static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), left)), 0);
        if (got < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (got <= 0)
            return unreachable(m_from, got == 0 ? "it ended the connection" : std::strerror(errno));
        const std::string_view taken(piece.data(), static_cast<std::size_t>(got));
        check.add(taken);
        if (const auto added = each(taken); !added)
            return added;
        left -= taken.size();
    }
    if (check.hex() != sha256)
        return unreachable(m_from, "what it sent is not what was asked for");
    return {};
}

} // namespace lockstep::agent
