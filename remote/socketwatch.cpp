// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/socketwatch.h"

#include "remote/descriptor.h"

#include <QHash>
#include <QSocketNotifier>

#include <array>
#include <cerrno>
#include <cstring>
#include <sys/epoll.h>

namespace lockstep {

class SocketWatch::Hub : public std::enable_shared_from_this<SocketWatch::Hub> {
public:
    Hub() : m_epoll(epoll_create1(EPOLL_CLOEXEC)), m_notifier(m_epoll.get(), QSocketNotifier::Read)
    {
        if (m_epoll.get() < 0)
            qFatal("epoll: %s", std::strerror(errno)); // no descriptor is left for anything
        QObject::connect(&m_notifier, &QSocketNotifier::activated, &m_notifier, [this] { wake(); });
    }

    static std::shared_ptr<Hub> ofThisThread()
    {
        static thread_local std::weak_ptr<Hub> known;
        auto hub = known.lock();
        if (!hub)
            known = hub = std::make_shared<Hub>();
        return hub;
    }

    std::uint64_t add(std::function<void()> ready)
    {
        m_ready.insert(++m_lastId, std::move(ready));
        return m_lastId;
    }

    void remove(std::uint64_t id) { m_ready.remove(id); }

    void control(int operation, int fd, std::uint64_t id, std::uint32_t events)
    {
        epoll_event event{};
        event.events = events;
        event.data.u64 = id;
        if (epoll_ctl(m_epoll.get(), operation, fd, &event) != 0)
            qFatal("epoll: %s", std::strerror(errno)); // a descriptor that is closed or no socket: ours to avoid
    }

private:
    void wake()
    {
        const auto alive = shared_from_this(); // the last watch may go meanwhile
        std::array<epoll_event, 64> events{};
        const int count = epoll_wait(m_epoll.get(), events.data(), static_cast<int>(events.size()), 0);
        for (int i = 0; i < count; ++i)
            if (const auto ready = m_ready.value(events[static_cast<std::size_t>(i)].data.u64)) // still there
                ready();
    }

    Descriptor m_epoll;
    QSocketNotifier m_notifier;
    QHash<std::uint64_t, std::function<void()>> m_ready; // by id
    std::uint64_t m_lastId = 0;
};

SocketWatch::SocketWatch(int fd, std::function<void()> ready)
    : m_hub(Hub::ofThisThread()), m_fd(fd), m_id(m_hub->add(std::move(ready)))
{
}

SocketWatch::~SocketWatch()
{
    set(false, false);
    m_hub->remove(m_id);
}

void SocketWatch::set(bool reading, bool writing)
{
    if (reading == m_reading && writing == m_writing)
        return;
    const bool wasWatched = m_reading || m_writing;
    m_reading = reading;
    m_writing = writing;
    const std::uint32_t events = (reading ? EPOLLIN : 0U) | (writing ? EPOLLOUT : 0U);
    const int changed = wasWatched ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
    m_hub->control(events == 0 ? EPOLL_CTL_DEL : changed, m_fd, m_id, events); // an epoll tells of a hang-up unasked
}

} // namespace lockstep
