// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/parallel/portprobe.h"

#include "trainer/failure.h"

#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <thread>

namespace lockstep::trainer {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kBetweenTries{5};
constexpr milliseconds kPatienceATry{1000}; // for an answer to one SYN

class Socket {
public:
    Socket(const addrinfo& address, int type)
        : m_descriptor(socket(address.ai_family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0))
    {
    }
    ~Socket()
    {
        if (m_descriptor >= 0)
            close(m_descriptor);
    }
    Socket(const Socket&) = delete;
    Socket& operator=(const Socket&) = delete;

    [[nodiscard]] int descriptor() const { return m_descriptor; }

private:
    int m_descriptor;
};

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

Addresses resolve(const std::string& host, std::uint16_t port)
{
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* list = nullptr;
    const int code = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list);
    if (code != 0)
        throw Failure(ExitCode::Rendezvous, "MASTER_ADDR '" + host + "' does not resolve: " + gai_strerror(code));
    return {list, freeaddrinfo};
}

bool connects(const addrinfo& address, milliseconds patience)
{
    const Socket socket(address, SOCK_STREAM);
    if (socket.descriptor() < 0)
        return false;
    if (connect(socket.descriptor(), address.ai_addr, address.ai_addrlen) == 0)
        return true;
    if (errno != EINPROGRESS)
        return false;
    pollfd waiting{socket.descriptor(), POLLOUT, 0};
    if (poll(&waiting, 1, static_cast<int>(patience.count())) != 1)
        return false;
    int error = 0;
    socklen_t size = sizeof error;
    return getsockopt(socket.descriptor(), SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
}

} // namespace

PortState waitForPort(const std::string& host, std::uint16_t port, milliseconds deadline)
{
    const Addresses addresses = resolve(host, port);
    const auto end = Clock::now() + deadline;
    for (;;) {
        for (const addrinfo* address = addresses.get(); address != nullptr; address = address->ai_next) {
            const auto left = std::chrono::duration_cast<milliseconds>(end - Clock::now());
            if (connects(*address, std::clamp(left, milliseconds(1), kPatienceATry)))
                return PortState::Open;
        }
        if (Clock::now() >= end)
            return PortState::Closed;
        std::this_thread::sleep_for(kBetweenTries);
    }
}

std::string localAddressTowards(const std::string& host, std::uint16_t port)
{
    const Addresses addresses = resolve(host, port);
    for (const addrinfo* address = addresses.get(); address != nullptr; address = address->ai_next) {
        const Socket socket(*address,
                            SOCK_DGRAM); // a datagram socket's connect sends nothing, it only chooses the route
        sockaddr_storage own{};
        socklen_t size = sizeof own;
        std::array<char, NI_MAXHOST> text{};
        auto* name = reinterpret_cast<sockaddr*>(&own);
        if (socket.descriptor() >= 0 && connect(socket.descriptor(), address->ai_addr, address->ai_addrlen) == 0 &&
            getsockname(socket.descriptor(), name, &size) == 0 &&
            getnameinfo(name, size, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) == 0)
            return text.data();
    }
    return {};
}

} // namespace lockstep::trainer
