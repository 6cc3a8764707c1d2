// SPDX-License-Identifier: GPL-3.0-or-later
// Which rank this process is and where it meets the others: from --init and the variables that torchrun and Lockstep
// set. With env:// and without RANK and WORLD_SIZE it is alone.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace lockstep::trainer {

struct Placement {
    int rank = 0;
    int localRank = 0;
    int world = 1;
    int nodeRank = 0;
    int localWorld = 1;
    int ranksPerDevice = 1; // LOCKSTEP_RANKS_PER_DEVICE: neighbours share a GPU
    std::string masterAddr; // where rank 0 listens; empty when alone or when they meet in a file
    std::uint16_t masterPort = 0;
    std::string meetingFile; // file:///PATH: on storage that all ranks share

    [[nodiscard]] int device() const { return localRank / ranksPerDevice; } // among the visible ones

    bool operator==(const Placement&) const = default;
};

using Lookup = std::function<std::optional<std::string>(const char* name)>;

// init: env://, tcp://HOST:PORT or file:///PATH (an IPv6 HOST in brackets), each with ?rank=R&world_size=W where the
// environment has no RANK and WORLD_SIZE; the URL goes before the environment, as in torch.distributed.
// Throws Failure(Options) naming the variable, or the form that the URL must have.
[[nodiscard]] Placement placementFor(const std::string& init, const Lookup& environment);
// RANK alone, for what is said before the rest is known; 0 where it is no rank.
[[nodiscard]] int rankSaid(const Lookup& environment);
[[nodiscard]] std::optional<std::string> environmentVariable(const char* name);

} // namespace lockstep::trainer
