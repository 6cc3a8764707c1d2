// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/placement.h"

#include "trainer/failure.h"

#include <charconv>
#include <cstdlib>

namespace lockstep::trainer {

namespace {

constexpr int kMostRanks = 1 << 20;
constexpr int kMostPort = 65535;

std::optional<int> whole(const Lookup& environment, const char* name, int least, int most)
{
    const std::optional<std::string> text = environment(name);
    if (!text || text->empty())
        return std::nullopt;
    int value = 0;
    const char* end = text->data() + text->size();
    const auto result = std::from_chars(text->data(), end, value);
    if (result.ec != std::errc{} || result.ptr != end || value < least || value > most)
        throw Failure(ExitCode::Options, std::string(name) + " is '" + *text + "', but must be a whole number from " +
                                             std::to_string(least) + " to " + std::to_string(most));
    return value;
}

} // namespace

std::optional<std::string> environmentVariable(const char* name)
{
    const char* value = std::getenv(name);
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

Placement placementFor(const std::string&, const Lookup& environment)
{
    Placement place;
    const auto world = whole(environment, "WORLD_SIZE", 1, kMostRanks);
    const auto rank = whole(environment, "RANK", 0, kMostRanks);
    if (world.has_value() != rank.has_value())
        throw Failure(ExitCode::Options,
                      world ? "WORLD_SIZE is set, but RANK is not" : "RANK is set, but WORLD_SIZE is not");
    place.world = world.value_or(1);
    place.rank = rank.value_or(0);
    if (place.rank >= place.world)
        throw Failure(ExitCode::Options, "RANK is " + std::to_string(place.rank) + ", but WORLD_SIZE is only " +
                                             std::to_string(place.world));
    place.localWorld = whole(environment, "LOCAL_WORLD_SIZE", 1, kMostRanks).value_or(1);
    place.localRank = whole(environment, "LOCAL_RANK", 0, kMostRanks).value_or(0);
    place.nodeRank = whole(environment, "NODE_RANK", 0, kMostRanks).value_or(0);
    if (place.world == 1)
        return place; // nobody to meet: no address is needed
    place.masterAddr = environment("MASTER_ADDR").value_or("");
    const auto port = whole(environment, "MASTER_PORT", 1, kMostPort);
    if (place.masterAddr.empty() || !port)
        throw Failure(ExitCode::Options, "WORLD_SIZE is " + std::to_string(place.world) + ", but " +
                                             (place.masterAddr.empty() ? "MASTER_ADDR" : "MASTER_PORT") +
                                             " is not set");
    place.masterPort = static_cast<std::uint16_t>(*port);
    return place;
}

} // namespace lockstep::trainer
