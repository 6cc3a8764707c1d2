// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/socketwatch.h"

#include "remote/descriptor.h"

#include <QHash>
#include <QSocketNotifier>

#include <array>
#include <cerrno>
#include <optional>
#include <sys/epoll.h>

namespace lockstep {

class SocketWatch::Hub : public std::enable_shared_from_this<SocketWatch::Hub> {
public:
    Hub() : m_epoll(epoll_create1(EPOLL_CLOEXEC)), m_error(m_epoll ? 0 : errno)
    {
        if (!m_epoll)
            return;
        m_notifier.emplace(m_epoll.get(), QSocketNotifier::Read);
        QObject::connect(&*m_notifier, &QSocketNotifier::activated, &*m_notifier, [this] { wake(); });
    }

    static std::shared_ptr<Hub> ofThisThread()
    {
        static thread_local std::weak_ptr<Hub> known;
        auto hub = known.lock();
        if (!hub || !hub->m_epoll) // a descriptor may be left by now
            known = hub = std::make_shared<Hub>();
        return hub;
    }

    std::uint64_t add(const std::function<void()>& ready)
    {
        m_ready.insert(++m_lastId, ready);
        return m_lastId;
    }

    void remove(std::uint64_t id) { m_ready.remove(id); }

    [[nodiscard]] int control(int operation, int fd, std::uint64_t id, std::uint32_t events) // 0, or an errno
    {
        if (!m_epoll)
            return m_error;
        epoll_event event{};
        event.events = events;
        event.data.u64 = id;
        return epoll_ctl(m_epoll.get(), operation, fd, &event) == 0 ? 0 : errno;
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
    int m_error;
    std::optional<QSocketNotifier> m_notifier;
    QHash<std::uint64_t, std::function<void()>> m_ready; // by id
    std::uint64_t m_lastId = 0;
};

SocketWatch::SocketWatch(int fd, const std::function<void()>& ready)
    : m_hub(Hub::ofThisThread()), m_fd(fd), m_id(m_hub->add(ready))
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
    const std::uint32_t events = (reading ? EPOLLIN : 0U) | (writing ? EPOLLOUT : 0U);
    const int changed = wasWatched ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
    // Not left there with no events: an epoll tells of a hang-up unasked.
    if (const int error = m_hub->control(events == 0 ? EPOLL_CTL_DEL : changed, m_fd, m_id, events); error != 0) {
        m_error = error;
        return;
    }
    m_reading = reading;
    m_writing = writing;
}

} // namespace lockstep
