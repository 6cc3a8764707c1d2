// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/parallel/nodepages.h"

#include "trainer/failure.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <random>
#include <string>
#include <system_error>
#include <thread>

namespace lockstep::trainer {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr int kYields = 40;             // some microseconds: peers in step need no sleep, others shall have the core
constexpr milliseconds kLook{5};        // how long an ended peer may go unnoticed
constexpr std::size_t kSeatBytes = 128; // two cache lines: the prefetcher of x86 fetches pairs

std::string nameOf(std::int64_t token)
{
    return "lockstep-ranks-" + std::to_string(static_cast<std::uint64_t>(token));
}

std::string linkOf(const NodePages::Origin& origin)
{
    return "/proc/" + std::to_string(origin.pid) + "/fd/" + std::to_string(origin.fd);
}

// Checked before it is opened: in another container the same number may be any file, or a device.
bool isOurs(const NodePages::Origin& origin)
{
    std::array<char, 128> target{};
    const ssize_t length = ::readlink(linkOf(origin).c_str(), target.data(), target.size());
    return length > 0 && std::string(target.data(), static_cast<std::size_t>(length)) ==
                             "/memfd:" + nameOf(origin.token) + " (deleted)";
}

std::int64_t freshToken()
{
    std::random_device random;
    return static_cast<std::int64_t>((static_cast<std::uint64_t>(random()) << 32) | random());
}

[[noreturn]] void refuse(const char* what)
{
    throw std::system_error(errno, std::generic_category(), what);
}

std::size_t wholeSize(int world, std::size_t slotBytes)
{
    const auto ranks = static_cast<std::size_t>(world);
    const std::size_t seats = (ranks * kSeatBytes + slotBytes - 1) / slotBytes * slotBytes;
    return seats + (ranks + 1) * slotBytes;
}

} // namespace

struct NodePages::Seat {
    alignas(kSeatBytes) std::atomic<std::uint32_t> meetings; // how often its rank has come
    std::atomic<std::uint32_t> sleepers;
};

NodePages::NodePages(int fd, const Origin& origin, int rank, int world, std::size_t slotBytes)
    : m_fd(fd), m_token(origin.token), m_rank(rank), m_world(world), m_slotBytes(slotBytes),
      m_size(wholeSize(world, slotBytes)), m_processes(new int[static_cast<std::size_t>(world)])
{
    static_assert(sizeof(Seat) == kSeatBytes && std::atomic<std::uint32_t>::is_always_lock_free);
    std::fill_n(m_processes.get(), world, -1);
    void* start = ::mmap(nullptr, m_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (start == MAP_FAILED) {
        ::close(fd);
        refuse("mmap");
    }
    m_start = static_cast<std::byte*>(start);
}

NodePages::~NodePages()
{
    ::munmap(m_start, m_size);
    ::close(m_fd);
    for (int rank = 0; rank < m_world; ++rank)
        if (m_processes[static_cast<std::size_t>(rank)] >= 0)
            ::close(m_processes[static_cast<std::size_t>(rank)]);
}

std::unique_ptr<NodePages> NodePages::create(int rank, int world, std::size_t slotBytes)
{
    const Origin origin{::getpid(), -1, freshToken()};
    const int fd = ::memfd_create(nameOf(origin.token).c_str(), MFD_CLOEXEC);
    if (fd < 0)
        refuse("memfd_create");
    if (::ftruncate(fd, static_cast<off_t>(wholeSize(world, slotBytes))) != 0) {
        ::close(fd);
        refuse("ftruncate");
    }
    return std::unique_ptr<NodePages>(new NodePages(fd, origin, rank, world, slotBytes));
}

std::unique_ptr<NodePages> NodePages::open(const Origin& origin, int rank, int world, std::size_t slotBytes)
{
    if (!isOurs(origin))
        return nullptr;
    const int fd = ::open(linkOf(origin).c_str(), O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return nullptr;
    struct stat found = {};
    if (::fstat(fd, &found) != 0 || found.st_size != static_cast<off_t>(wholeSize(world, slotBytes))) {
        ::close(fd);
        return nullptr;
    }
    return std::unique_ptr<NodePages>(new NodePages(fd, origin, rank, world, slotBytes));
}

NodePages::Origin NodePages::origin() const
{
    return {::getpid(), m_fd, m_token};
}

bool NodePages::watch(int rank, const Origin& origin)
{
    if (rank == m_rank)
        return true;
    if (origin.token != m_token || !isOurs(origin))
        return false;
    int& process = m_processes[static_cast<std::size_t>(rank)];
    process = static_cast<int>(::syscall(SYS_pidfd_open, static_cast<pid_t>(origin.pid), 0U));
    return process >= 0;
}

NodePages::Seat& NodePages::seat(int rank) const
{
    return reinterpret_cast<Seat*>(m_start)[rank];
}

std::byte* NodePages::slot(int rank) const
{
    return m_start + m_size - static_cast<std::size_t>(m_world + 1 - rank) * m_slotBytes;
}

std::byte* NodePages::sums() const
{
    return slot(m_world);
}

void NodePages::meet(Clock::time_point deadline, const std::atomic<bool>& stop)
{
    ++m_meetings;
    Seat& own = seat(m_rank);
    own.meetings.store(m_meetings);
    if (own.sleepers.load() > 0)
        ::syscall(SYS_futex, &own.meetings, FUTEX_WAKE, m_world, nullptr, nullptr, 0);
    for (int rank = 0; rank < m_world; ++rank)
        if (rank != m_rank)
            await(rank, deadline, stop);
}

void NodePages::await(int rank, Clock::time_point deadline, const std::atomic<bool>& stop) const
{
    Seat& other = seat(rank);
    // The count may wrap around; peers are never more than one meeting apart.
    const auto came = [&] { return static_cast<std::int32_t>(other.meetings.load() - m_meetings) >= 0; };
    for (int i = 0; i < kYields; ++i) {
        if (came())
            return;
        std::this_thread::yield();
    }
    while (!came()) {
        const std::uint32_t seen = other.meetings.load();
        const timespec look{0, std::chrono::nanoseconds(kLook).count()};
        other.sleepers.fetch_add(1);
        ::syscall(SYS_futex, &other.meetings, FUTEX_WAIT, seen, &look, nullptr, 0); // returns at once if it has changed
        other.sleepers.fetch_sub(1);
        if (came())
            return;
        if (stop.load())
            throw Failure(ExitCode::LostPeer, "this rank left while others were exchanging");
        if (hasEnded(rank))
            throw Failure(ExitCode::LostPeer, "another rank is gone or does not answer: the process of rank " +
                                                  std::to_string(rank) + ", on this node, has ended");
        if (Clock::now() >= deadline)
            throw Failure(ExitCode::LostPeer, "another rank is gone or does not answer: waited for rank " +
                                                  std::to_string(rank) + ", on this node, until the timeout");
    }
}

bool NodePages::hasEnded(int rank) const
{
    pollfd process{m_processes[static_cast<std::size_t>(rank)], POLLIN, 0};
    return process.fd >= 0 && ::poll(&process, 1, 0) > 0 && (process.revents & POLLIN) != 0;
}

} // namespace lockstep::trainer
