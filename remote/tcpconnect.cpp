// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/tcpconnect.h"

#include "remote/descriptorlimit.h"
#include "remote/waiting.h"

#include <cerrno>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <thread>
#include <vector>

namespace lockstep {

namespace {

// A host that answers nothing is reported within 10 s (cases/remote.md), sign-in included.
constexpr std::chrono::seconds kConnectDeadline{8};
constexpr std::chrono::milliseconds kNextAddress{250}; // RFC 8305, Connection Attempt Delay
constexpr std::chrono::seconds kOnceMore{1}; // TCP repeats a lost SYN after 1, 3, 7 s: a cut that heals would last on
// With both, a link that swallows packets is noticed after 5.1 s (reference/cluster.md, section 3).
constexpr int kKeepIdleS = 2, kKeepIntervalS = 1, kKeepCount = 3;
constexpr int kUserTimeoutMs = 5000;
constexpr int kNotSentLowBytes = 128 * 1024;

struct Resolved {
    struct Free {
        void operator()(addrinfo* list) const { freeaddrinfo(list); }
    };
    std::unique_ptr<addrinfo, Free> list;
    int error = 0;
};

Resolved lookUp(const QByteArray& host, const QByteArray& port, int family, int flags)
{
    addrinfo hints{};
    hints.ai_family = family;
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = flags | AI_NUMERICSERV;
    addrinfo* list = nullptr;
    const int error = getaddrinfo(host.constData(), port.constData(), &hints, &list);
    return {std::unique_ptr<addrinfo, Resolved::Free>(error == 0 ? list : nullptr), error};
}

// The resolver cannot be interrupted: it runs on a thread of its own, which is left behind at the deadline.
std::optional<Resolved> resolve(const TcpTarget& target, Deadline deadline, const std::stop_token& stop)
{
    const QByteArray host = target.host.toUtf8(), port = QByteArray::number(target.port);
    const int family = target.family == QLatin1String("inet")    ? AF_INET
                       : target.family == QLatin1String("inet6") ? AF_INET6
                                                                 : AF_UNSPEC;
    if (Resolved numeric = lookUp(host, port, family, AI_NUMERICHOST); numeric.error == 0)
        return numeric;
    struct Shared {
        Resolved answer;
        std::stop_source done;
    };
    const auto shared = std::make_shared<Shared>();
    std::thread([shared, host, port, family] {
        shared->answer = lookUp(host, port, family, 0);
        shared->done.request_stop();
    }).detach();
    const StopWake wake(shared->done.get_token(), stop);
    while (!shared->done.stop_requested() && !stop.stop_requested() && !passed(deadline)) {
        pollfd entry = wake.pollEntry();
        poll(&entry, 1, pollTimeout(deadline));
    }
    if (!shared->done.stop_requested())
        return {};
    return std::move(shared->answer);
}

void setOptions(int socket)
{
    const auto set = [socket](int level, int name, int value) {
        setsockopt(socket, level, name, &value, sizeof value);
    };
    set(IPPROTO_TCP, TCP_NODELAY, 1);
    set(SOL_SOCKET, SO_KEEPALIVE, 1);
    set(IPPROTO_TCP, TCP_KEEPIDLE, kKeepIdleS);
    set(IPPROTO_TCP, TCP_KEEPINTVL, kKeepIntervalS);
    set(IPPROTO_TCP, TCP_KEEPCNT, kKeepCount);
    set(IPPROTO_TCP, TCP_USER_TIMEOUT, kUserTimeoutMs);
    set(IPPROTO_TCP, TCP_NOTSENT_LOWAT, kNotSentLowBytes);
}

// BindAddress and BindInterface of ssh_config. False: errno says why.
bool bindTo(int socket, int family, const TcpTarget& target)
{
    const QByteArray interface = target.bindInterface.toLocal8Bit();
    if (!interface.isEmpty() && setsockopt(socket, SOL_SOCKET, SO_BINDTODEVICE, interface.constData(),
                                           static_cast<socklen_t>(interface.size())) != 0)
        return false;
    if (target.bindAddress.isEmpty())
        return true;
    const Resolved own = lookUp(target.bindAddress.toUtf8(), "0", family, AI_NUMERICHOST);
    if (own.error != 0) {
        errno = EADDRNOTAVAIL;
        return false;
    }
    return bind(socket, own.list->ai_addr, own.list->ai_addrlen) == 0;
}

class Race { // of all addresses, the next one started when the last one failed or has not answered for a moment; then
             // all of them anew beside those that are still tried
public:
    Race(const addrinfo* list, const TcpTarget& target) : m_list(list), m_next(list), m_target(target) {}

    [[nodiscard]] bool over() const { return m_next == nullptr && m_running.empty(); }
    [[nodiscard]] int error() const { return m_error; }

    void startNext()
    {
        if (m_next == nullptr)
            m_next = m_list;
        const addrinfo* address = std::exchange(m_next, m_next->ai_next);
        Descriptor made(socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
        if (made)
            setOptions(made.get());
        if (made && bindTo(made.get(), address->ai_family, m_target) &&
            (connect(made.get(), address->ai_addr, address->ai_addrlen) == 0 || errno == EINPROGRESS))
            m_running.push_back(std::move(made));
        else
            m_error = errno;
        m_startNextAt = Deadline::in(m_next != nullptr ? kNextAddress : kOnceMore);
    }

    [[nodiscard]] std::optional<Descriptor> turn(const StopWake& wake, Deadline deadline)
    {
        if (m_running.empty() || passed(m_startNextAt))
            startNext();
        std::vector<pollfd> entries{wake.pollEntry()};
        for (const Descriptor& running : m_running)
            entries.push_back({running.get(), POLLOUT, 0});
        poll(entries.data(), entries.size(), pollTimeout(earlier(deadline, m_startNextAt)));
        for (std::size_t i = m_running.size(); i-- > 0;) {
            if (entries[i + 1].revents == 0)
                continue;
            int error = 0;
            socklen_t size = sizeof error;
            getsockopt(m_running[i].get(), SOL_SOCKET, SO_ERROR, &error, &size);
            if (error == 0)
                return std::move(m_running[i]);
            m_error = error;
            m_running.erase(m_running.begin() + static_cast<std::ptrdiff_t>(i));
        }
        return {};
    }

private:
    const addrinfo* m_list;
    const addrinfo* m_next; // null: all have been started
    const TcpTarget& m_target;
    std::vector<Descriptor> m_running;
    Deadline m_startNextAt;
    int m_error = 0;
};

} // namespace

Result<Descriptor> connectTcp(const TcpTarget& target, Deadline deadline, const std::stop_token& stop)
{
    const Deadline limit = earlier(deadline, Deadline::in(kConnectDeadline));
    const QString place = QStringLiteral("%1 port %2").arg(target.host).arg(target.port);
    const auto failed = [&](ErrorCode code, const QString& why) {
        return failure(code, QStringLiteral("%1 cannot be reached at %2: %3").arg(target.node, place, why),
                       target.node);
    };
    const auto ended = [&]() -> Result<Descriptor> {
        if (stop.stop_requested())
            return failure(ErrorCode::Stopped, QStringLiteral("Connecting to %1 was stopped.").arg(target.node),
                           target.node);
        return failed(ErrorCode::Unreachable,
                      QStringLiteral("it did not answer in time. Is it switched on, and is the address right?"));
    };

    const auto resolved = resolve(target, limit, stop);
    if (!resolved)
        return ended();
    if (resolved->error != 0)
        return failed(ErrorCode::Unreachable, QStringLiteral("there is no address for this name (%1).")
                                                  .arg(QString::fromLocal8Bit(gai_strerror(resolved->error))));

    const StopWake wake(stop, {});
    Race race(resolved->list.get(), target);
    while (!race.over()) {
        if (stop.stop_requested() || passed(limit))
            return ended();
        if (auto connected = race.turn(wake, limit))
            return std::move(*connected);
    }
    if (race.error() == ECONNREFUSED)
        return failed(ErrorCode::Unreachable,
                      QStringLiteral("nothing listens there (connection refused). Is sshd running?"));
    return failed(ErrorCode::Unreachable, descriptorError(race.error()) + u'.');
}

} // namespace lockstep
