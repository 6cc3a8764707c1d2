// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/listen.h"

#include "core/wire/encoder.h"
#include "remote/agent/answer.h"
#include "remote/agent/clocks.h"
#include "remote/agent/fd.h"
#include "remote/agent/portrange.h"
#include "remote/agent/socketaddress.h"

#include <poll.h>

#include <cerrno>
#include <cstring>
#include <random>
#include <vector>

namespace lockstep::agent {

namespace {

constexpr std::int64_t kTriesUs = 60'000'000;   // the others try for 5 s, after a login shell that takes seconds
constexpr std::int64_t kHoldUs = 3'600'000'000; // as long as a deploy may take; a desktop that went ends our stdin
constexpr int kMostConnections = 1024;
constexpr int kFirstPort = 20'000; // the range that is tried before the kernel's own choice
constexpr int kLastPort = 60'999;
constexpr int kTries = 64;

// A port out of the ephemeral range is given to the next outgoing connection of anybody, between our check and the
// ranks' start; a reserved one is somebody's.
std::vector<int> portsToTry(int wanted)
{
    if (wanted != 0)
        return {wanted};
    const PortRange range = PortRange::read("/proc");
    std::vector<int> ports;
    std::minstd_rand random{std::random_device{}()};
    std::uniform_int_distribution<int> any(kFirstPort, kLastPort);
    for (int i = 0; i < kTries * 4 && ports.size() < kTries; ++i)
        if (const int port = any(random); !range.isEphemeral(port) && !range.isReserved(port))
            ports.push_back(port);
    ports.push_back(0); // the whole range is ephemeral: the kernel's choice
    return ports;
}

struct Held {
    std::vector<Fd> listeners; // one an address, all on one port
    int port = 0;
};

// The same port on all addresses; `error` and `which` tell of a failure.
bool holdOn(std::vector<SocketAddress> addresses, int candidate, Held& held, int& error, std::string& which)
{
    held = {{}, candidate};
    for (SocketAddress& address : addresses) {
        address.setPort(held.port);
        Fd fd(::socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
        const int on = 1;
        if (fd.isOpen() && address.family() == AF_INET6)
            ::setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
        // Without SO_REUSEADDR: a port whose connections linger is not free for every program.
        if (!fd.isOpen() || ::bind(fd.get(), address.get(), address.size()) != 0 || ::listen(fd.get(), 256) != 0) {
            error = errno;
            which = address.text();
            return false;
        }
        held.port = address.boundPort(fd.get());
        held.listeners.push_back(std::move(fd));
    }
    return true;
}

Outcome<Held> hold(const std::vector<SocketAddress>& addresses, int wanted)
{
    int error = EADDRINUSE;
    std::string which;
    for (const int candidate : portsToTry(wanted)) {
        Held held;
        if (holdOn(addresses, candidate, held, error, which))
            return held;
        if (error != EADDRINUSE)
            break;
    }
    if (error == EADDRINUSE)
        return failed("busy", "port " + std::to_string(wanted) + " of " + which + " is taken by another program");
    return failed("io", "can't listen on " + which + ": " + std::strerror(error));
}

enum class Told { TriesOver, LetGo };

// Lets everybody in and gives each byte back, until stdin says something or ends.
Told echo(const std::vector<Fd>& listeners, int inFd)
{
    std::vector<Fd> peers;
    for (const std::int64_t end = monotonicUs() + kTriesUs; monotonicUs() < end;) {
        std::vector<pollfd> entries{{inFd, POLLIN, 0}};
        for (const Fd& listener : listeners)
            entries.push_back({listener.get(), POLLIN, 0});
        const std::size_t first = entries.size();
        for (const Fd& peer : peers)
            entries.push_back({peer.get(), POLLIN, 0});
        if (::poll(entries.data(), entries.size(), 1000) < 0 && errno != EINTR)
            return Told::LetGo;
        char bytes[64];
        if (entries[0].revents != 0)
            return ::read(inFd, bytes, sizeof bytes) > 0 ? Told::TriesOver : Told::LetGo;
        for (std::size_t i = peers.size(); i-- > 0;) {
            if (entries[first + i].revents == 0)
                continue;
            const ssize_t got = ::recv(peers[i].get(), bytes, sizeof bytes, 0);
            if (got > 0)
                (void)::send(peers[i].get(), bytes, static_cast<std::size_t>(got), MSG_NOSIGNAL);
            else
                peers.erase(peers.begin() + static_cast<std::ptrdiff_t>(i));
        }
        for (std::size_t i = 0; i < listeners.size(); ++i) {
            if (entries[1 + i].revents == 0)
                continue;
            Fd peer(::accept4(listeners[i].get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
            if (peer.isOpen() && peers.size() < kMostConnections)
                peers.push_back(std::move(peer));
        }
    }
    return Told::LetGo;
}

// Nobody is let in any more, and nobody else gets the port. Linux leaves a socket that is shut down the port that it
// was bound to by number (EINVAL: bound still), and takes back one of its own choice.
void closeDoors(const Held& held, std::vector<SocketAddress> addresses)
{
    for (std::size_t i = 0; i < held.listeners.size(); ++i) {
        addresses[i].setPort(held.port);
        ::shutdown(held.listeners[i].get(), SHUT_RDWR);
        (void)::bind(held.listeners[i].get(), addresses[i].get(), addresses[i].size());
    }
}

void waitForEnd(int inFd)
{
    for (const std::int64_t end = monotonicUs() + kHoldUs; monotonicUs() < end;) {
        pollfd entry{inFd, POLLIN, 0};
        if (::poll(&entry, 1, 1000) < 0 && errno != EINTR)
            return;
        char bytes[64];
        if (entry.revents != 0 && ::read(inFd, bytes, sizeof bytes) <= 0)
            return;
    }
}

bool say(int outFd, std::string_view kind, int port)
{
    std::string out;
    wire::Encoder(out).begin(kind, wire::kNode, monotonicUs()).field("port", port).end();
    return writeAll(outFd, out);
}

} // namespace

int runListen(std::string_view addresses, std::string_view port, int outFd, int inFd)
{
    const auto where = SocketAddress::parseList(addresses, port);
    if (!where)
        return answerFailure(outFd, where.error());
    const auto held = hold(*where, where->front().port());
    if (!held)
        return answerFailure(outFd, held.error());
    if (!say(outFd, "port", held->port) || echo(held->listeners, inFd) == Told::LetGo)
        return 0;
    closeDoors(*held, *where);
    if (say(outFd, "held", held->port))
        waitForEnd(inFd);
    return 0;
}

} // namespace lockstep::agent
