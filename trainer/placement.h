// SPDX-License-Identifier: GPL-3.0-or-later
// Which rank this process is, from the variables that torchrun and Lockstep set. Without RANK and WORLD_SIZE it is
// alone.
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
    std::string masterAddr;
    std::uint16_t masterPort = 0;

    bool operator==(const Placement&) const = default;
};

using Lookup = std::function<std::optional<std::string>(const char* name)>;

// init: env://, tcp://HOST:PORT or file:///PATH. Throws Failure(Options) naming the variable or what is wrong.
[[nodiscard]] Placement placementFor(const std::string& init, const Lookup& environment);
[[nodiscard]] std::optional<std::string> environmentVariable(const char* name);

} // namespace lockstep::trainer
