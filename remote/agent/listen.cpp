// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/agent/listen.h"

#include "core/wire/encoder.h"
#include "remote/agent/answer.h"
#include "remote/agent/clocks.h"
#include "remote/agent/fd.h"
#include "remote/agent/socketaddress.h"

#include <poll.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <random>
#include <vector>

namespace lockstep::agent {

namespace {

constexpr std::int64_t kListenUs = 60'000'000; // a desktop that vanished does not hold a port
constexpr int kMostConnections = 1024;
constexpr int kFirstPort = 20'000; // the range that is tried before the kernel's own choice
constexpr int kLastPort = 60'999;
constexpr int kTries = 64;

// A port out of the ephemeral range is given to the next outgoing connection of anybody, between our check and the
// ranks' start.
std::vector<int> portsToTry(int wanted)
{
    if (wanted != 0)
        return {wanted};
    int low = 32768, high = 60999;
    if (std::FILE* file = std::fopen("/proc/sys/net/ipv4/ip_local_port_range", "re")) {
        if (std::fscanf(file, "%d %d", &low, &high) != 2)
            low = 32768, high = 60999;
        std::fclose(file);
    }
    std::vector<int> ports;
    std::minstd_rand random{std::random_device{}()};
    std::uniform_int_distribution<int> any(kFirstPort, kLastPort);
    for (int i = 0; i < kTries * 4 && ports.size() < kTries; ++i)
        if (const int port = any(random); port < low || port > high)
            ports.push_back(port);
    ports.push_back(0); // the whole range is ephemeral: the kernel's choice
    return ports;
}

Outcome<Fd> listenOn(SocketAddress address, int wanted, int& port)
{
    int error = EADDRINUSE;
    for (const int candidate : portsToTry(wanted)) {
        address.setPort(candidate);
        Fd fd(::socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
        // Without SO_REUSEADDR: a port whose connections linger is not free for every program.
        if (fd.isOpen() && ::bind(fd.get(), address.get(), address.size()) == 0 && ::listen(fd.get(), 256) == 0) {
            port = address.boundPort(fd.get());
            return fd;
        }
        error = errno;
        if (error != EADDRINUSE)
            break;
    }
    if (error == EADDRINUSE)
        return failed("busy",
                      "port " + std::to_string(wanted) + " of " + address.text() + " is taken by another program");
    return failed("io", "can't listen on " + address.text() + ": " + std::strerror(error));
}

// Lets everybody in and gives each byte back, until stdin ends.
void echoUntilEnd(const Fd& listener, int inFd)
{
    std::vector<Fd> peers;
    for (const std::int64_t end = monotonicUs() + kListenUs; monotonicUs() < end;) {
        std::vector<pollfd> entries{{inFd, POLLIN, 0}, {listener.get(), POLLIN, 0}};
        for (const Fd& peer : peers)
            entries.push_back({peer.get(), POLLIN, 0});
        if (::poll(entries.data(), entries.size(), 1000) < 0 && errno != EINTR)
            return;
        char bytes[64];
        if (entries[0].revents != 0 && ::read(inFd, bytes, sizeof bytes) <= 0)
            return;
        for (std::size_t i = peers.size(); i-- > 0;) {
            if (entries[i + 2].revents == 0)
                continue;
            const ssize_t got = ::recv(peers[i].get(), bytes, sizeof bytes, 0);
            if (got > 0)
                (void)::send(peers[i].get(), bytes, static_cast<std::size_t>(got), MSG_NOSIGNAL);
            else
                peers.erase(peers.begin() + static_cast<std::ptrdiff_t>(i));
        }
        if (entries[1].revents != 0) {
            Fd peer(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
            if (peer.isOpen() && peers.size() < kMostConnections)
                peers.push_back(std::move(peer));
        }
    }
}

} // namespace

int runListen(std::string_view address, std::string_view port, int outFd, int inFd)
{
    const auto where = SocketAddress::parse(address, port);
    if (!where)
        return answerFailure(outFd, where.error());
    int bound = 0;
    const auto listener = listenOn(*where, where->port(), bound);
    if (!listener)
        return answerFailure(outFd, listener.error());
    std::string out;
    wire::Encoder(out).begin("port", wire::kNode, monotonicUs()).field("port", bound).end();
    if (writeAll(outFd, out))
        echoUntilEnd(*listener, inFd);
    return 0;
}

} // namespace lockstep::agent
