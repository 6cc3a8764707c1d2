// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer/placement.h"

#include "trainer/failure.h"

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace lockstep::trainer {

namespace {

constexpr int kMostRanks = 1 << 20;
constexpr int kMostPort = 65535;

[[noreturn]] void refuseUrl(const std::string& init, const std::string& why)
{
    throw Failure(ExitCode::Options, "--init is '" + init + "', but must be env://, tcp://HOST:PORT or file:///PATH, " +
                                         "with ?rank=R&world_size=W where RANK and WORLD_SIZE are not set: " + why);
}

int number(const std::string& name, std::string_view text, int least, int most)
{
    int value = 0;
    const char* end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, value);
    if (result.ec != std::errc{} || result.ptr != end || value < least || value > most)
        throw Failure(ExitCode::Options, name + " is '" + std::string(text) + "', but must be a whole number from " +
                                             std::to_string(least) + " to " + std::to_string(most));
    return value;
}

std::optional<int> whole(const Lookup& environment, const char* name, int least, int most)
{
    const std::optional<std::string> text = environment(name);
    if (!text || text->empty())
        return std::nullopt;
    return number(name, *text, least, most);
}

struct Url {
    std::string_view scheme; // env, tcp, file
    std::string_view place;  // between :// and ?
    std::optional<int> rank;
    std::optional<int> world;
};

Url split(const std::string& init)
{
    Url url;
    std::string_view rest = init;
    const std::size_t colon = rest.find("://");
    url.scheme = rest.substr(0, colon);
    if (colon == std::string_view::npos || (url.scheme != "env" && url.scheme != "tcp" && url.scheme != "file"))
        refuseUrl(init, "it begins with none of the three");
    rest.remove_prefix(colon + 3);
    const std::size_t question = rest.find('?');
    url.place = rest.substr(0, question);
    rest.remove_prefix(question == std::string_view::npos ? rest.size() : question + 1);
    while (!rest.empty()) {
        const std::string_view pair = rest.substr(0, rest.find('&'));
        rest.remove_prefix(std::min(pair.size() + 1, rest.size()));
        if (pair.starts_with("rank="))
            url.rank = number("rank in --init", pair.substr(5), 0, kMostRanks);
        else if (pair.starts_with("world_size="))
            url.world = number("world_size in --init", pair.substr(11), 1, kMostRanks);
        else
            refuseUrl(init, "'" + std::string(pair) + "' is neither rank=R nor world_size=W");
    }
    return url;
}

void setAddress(Placement& place, const Url& url, const std::string& init)
{
    std::string_view host = url.place.substr(0, url.place.rfind(':'));
    if (host.size() == url.place.size())
        refuseUrl(init, "no :PORT");
    const std::string_view port = url.place.substr(host.size() + 1);
    if (host.starts_with('[') && host.ends_with(']'))
        host = host.substr(1, host.size() - 2);
    else if (host.find(':') != std::string_view::npos)
        refuseUrl(init, "an IPv6 address goes in brackets, tcp://[::1]:29500");
    if (host.empty() || host.find_first_of("/[]@") != std::string_view::npos)
        refuseUrl(init, "'" + std::string(url.place) + "' is no HOST:PORT");
    place.masterAddr = host;
    place.masterPort = static_cast<std::uint16_t>(number("the port in --init", port, 1, kMostPort));
}

void setAddress(Placement& place, const Lookup& environment)
{
    place.masterAddr = environment("MASTER_ADDR").value_or("");
    const auto port = whole(environment, "MASTER_PORT", 1, kMostPort);
    if (place.masterAddr.empty() || !port)
        throw Failure(ExitCode::Options, "WORLD_SIZE is " + std::to_string(place.world) + ", but " +
                                             (place.masterAddr.empty() ? "MASTER_ADDR" : "MASTER_PORT") +
                                             " is not set");
    place.masterPort = static_cast<std::uint16_t>(*port);
}

} // namespace

std::optional<std::string> environmentVariable(const char* name)
{
    const char* value = std::getenv(name);
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

int rankSaid(const Lookup& environment)
{
    const std::string text = environment("RANK").value_or("");
    int rank = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rank);
    return error == std::errc{} && end == text.data() + text.size() && rank >= 0 && rank <= kMostRanks ? rank : 0;
}

Placement placementFor(const std::string& init, const Lookup& environment)
{
    const Url url = split(init);
    Placement place;
    const auto world = url.world ? url.world : whole(environment, "WORLD_SIZE", 1, kMostRanks);
    const auto rank = url.rank ? url.rank : whole(environment, "RANK", 0, kMostRanks);
    if (world.has_value() != rank.has_value())
        throw Failure(ExitCode::Options,
                      world ? "WORLD_SIZE is set, but RANK is not" : "RANK is set, but WORLD_SIZE is not");
    if (!world && url.scheme != "env")
        refuseUrl(init, "it says where to meet, but neither it nor the environment says which rank this is");
    place.world = world.value_or(1);
    place.rank = rank.value_or(0);
    if (place.rank >= place.world)
        throw Failure(ExitCode::Options, "RANK is " + std::to_string(place.rank) + ", but WORLD_SIZE is only " +
                                             std::to_string(place.world));
    place.localWorld = whole(environment, "LOCAL_WORLD_SIZE", 1, kMostRanks).value_or(1);
    place.localRank = whole(environment, "LOCAL_RANK", 0, kMostRanks).value_or(0);
    place.ranksPerDevice = whole(environment, "LOCKSTEP_RANKS_PER_DEVICE", 1, kMostRanks).value_or(1);
    place.nodeRank = whole(environment, "NODE_RANK", 0, kMostRanks).value_or(0);

    if (url.scheme == "tcp") {
        setAddress(place, url, init);
    } else if (url.scheme == "file") {
        if (!url.place.starts_with('/') || url.place.ends_with('/'))
            refuseUrl(init, "the path of a file must begin with / after file://");
        place.meetingFile = url.place;
    } else if (!url.place.empty()) {
        refuseUrl(init, "nothing may follow env:// but ?");
    } else if (place.world > 1) { // alone there is nobody to meet: no address is needed
        setAddress(place, environment);
    }
    return place;
}

} // namespace lockstep::trainer
