// SPDX-License-Identifier: GPL-3.0-or-later
// The pipes that a run's ranks got as descriptors 1, 2 and 3, kept in its folder. Only what descends from a rank has
// one of them there for writing: so a process is known that has cleared its environment, also when its supervisor and
// the rank are gone. Numbers of pipes count up from boot and are used again after 4 billion; those of another boot, and
// of a run that has come to its end, are none.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <sys/types.h>
#include <utility>

namespace lockstep::agent {

class RankPipes {
public:
    void add(int fd); // either end; -1: none
    // Where it can't be written (a full disk) such a process is found by nobody once its supervisor is gone.
    void save(const std::string& runFolder) const;
    [[nodiscard]] static RankPipes load(const std::string& runFolder);
    static void remove(const std::string& runFolder);

    [[nodiscard]] bool isHeldBy(pid_t process) const;
    bool operator==(const RankPipes&) const = default;

private:
    std::set<std::pair<std::uint64_t, std::uint64_t>> m_pipes; // device and inode
};

} // namespace lockstep::agent
