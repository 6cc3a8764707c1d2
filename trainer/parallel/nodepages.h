// SPDX-License-Identifier: GPL-3.0-or-later
// Memory that all ranks of one node map: a slot for each rank to write into, a place for sums, and the meetings
// between. It is an anonymous file (memfd), found through /proc by processes of the same user: nothing lies on a disk
// or in /dev/shm, nothing is left when the ranks are gone, and no container's limit on /dev/shm counts.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace lockstep::trainer {

class NodePages {
public:
    struct Origin { // where another process finds them: /proc/PID/fd/FD, a file whose name holds the token
        std::int64_t pid = 0;
        std::int64_t fd = -1;
        std::int64_t token = 0;
    };

    // slotBytes: what a rank can show the others between two meetings; a multiple of a page.
    // Throws std::system_error when the kernel refuses.
    [[nodiscard]] static std::unique_ptr<NodePages> create(int rank, int world, std::size_t slotBytes);
    // nullptr when they are not to be seen from here: another node, another container.
    [[nodiscard]] static std::unique_ptr<NodePages> open(const Origin& origin, int rank, int world,
                                                         std::size_t slotBytes);
    ~NodePages();
    NodePages(const NodePages&) = delete;
    NodePages& operator=(const NodePages&) = delete;

    [[nodiscard]] Origin origin() const; // as this process holds them
    // Whether the process of that rank has mapped the same pages; from now on meet() notices when it ends.
    [[nodiscard]] bool watch(int rank, const Origin& origin);

    [[nodiscard]] std::byte* slot(int rank) const;
    [[nodiscard]] std::byte* sums() const; // as large as a slot
    [[nodiscard]] std::size_t slotBytes() const { return m_slotBytes; }

    // Returns when every rank has come as often as this one; what each wrote before is then seen by all.
    // Throws Failure(LostPeer) when a rank's process has ended, at the deadline, and when `stop` is set. One thread
    // only.
    void meet(std::chrono::steady_clock::time_point deadline, const std::atomic<bool>& stop);

private:
    struct Seat;

    NodePages(int fd, const Origin& origin, int rank, int world, std::size_t slotBytes);
    [[nodiscard]] Seat& seat(int rank) const;
    void await(int rank, std::chrono::steady_clock::time_point deadline, const std::atomic<bool>& stop) const;
    [[nodiscard]] bool hasEnded(int rank) const;

    int m_fd;
    std::int64_t m_token;
    int m_rank;
    int m_world;
    std::size_t m_slotBytes;
    std::byte* m_start = nullptr;
    std::size_t m_size;
    std::unique_ptr<int[]> m_processes; // by rank: a pidfd, -1 for those not watched
    std::uint32_t m_meetings = 0;
};

} // namespace lockstep::trainer
